"""Measurements of servers: an arena under load, the latency of a turn in the bot, and the start."""

import asyncio
import shlex
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Final

from cyclopts import Parameter, validators

from bot.cli.games import Board, GameName, chosen_game
from bot.cli.measurements import (
    Count,
    FigureTable,
    MeasurementReport,
    Seconds,
    counted,
    figure,
    measurement,
    progress,
    share,
)
from bot.errors import ConfigurationError

FEWEST_TURNS: Final = 200
"""With fewer, the 99th percentile is one of the slowest two turns."""

if TYPE_CHECKING:
    from bot.bench.arena_load import ArenaLoad, LoadCapacity
    from bot.bench.load_report import Measured
    from bot.bench.summary import Times
    from bot.bench.usage import Memory

Warmup = Annotated[float, Parameter(validator=validators.Number(gte=0, lte=3600))]
Crowd = Annotated[int, Parameter(validator=validators.Number(gte=0, lte=10_000))]
ArenaCommand = Annotated[
    str | None,
    Parameter(help="another arena, such as 'env PYTHONPATH=../older python -P -m bot arena'"),
]


@measurement
def arena(
    *,
    games: Annotated[Count, Parameter(help="number of games at once")] = 50,
    seconds: Annotated[Seconds, Parameter(help="seconds of play that are measured")] = 60.0,
    pause: Annotated[Seconds, Parameter(help="mean thinking time before a turn, in seconds")] = 1.0,
    warmup: Annotated[Warmup, Parameter(help="seconds of play that are not measured")] = 5.0,
    spectators: Annotated[Crowd, Parameter(help="number of spectators of one of the games")] = 0,
    late: Annotated[
        bool, Parameter(negative="", help="spectators connect all at once when the clock starts")
    ] = False,
    clients: Annotated[
        Count, Parameter(help="number of processes among which the games are divided")
    ] = 1,
    capacity: Annotated[
        bool,
        Parameter(
            negative="", help="shorten the pause until turns come late; each step lasts --seconds"
        ),
    ] = False,
    whole: Annotated[
        bool, Parameter(negative="", help="send clients the whole game after each turn")
    ] = False,
    processes: Annotated[
        Count | None,
        Parameter(help="number of arena processes, on a PostgreSQL server started for this"),
    ] = None,
    bus: Annotated[
        str | None, Parameter(help="Valkey server between processes, such as valkey://host:6379")
    ] = None,
    command: ArenaCommand = None,
    game: GameName = "bluestone",
    board: Board = None,
) -> MeasurementReport:
    """Play many games at once and report the latency from sending a turn to its arrival at the
    opponent, in milliseconds.

    Starts an arena on an empty folder, with limits that this many clients do not reach. --command
    starts another arena instead, with the options --port, --data and --config.

    The arena is one process with a SQLite file. With --processes 1 it is one process with a
    PostgreSQL database, and with more they share one port and that database.
    """
    from bot.bench.arena_load import measure_capacity, measure_load
    from bot.bench.arena_processes import ArenaKind
    from bot.bench.crowd import LoadPlan

    plan = LoadPlan(
        game=chosen_game(game, board, None),
        games=games,
        seconds=seconds,
        pause_s=pause,
        warmup_s=warmup,
        spectators=spectators,
        spectators_come_late=late,
        clients=clients,
        command=arena_command(command),
        changes=not whole,
        kind=ArenaKind(processes, bus),
    )
    if capacity:
        return capacity_report(asyncio.run(measure_capacity(plan, progress)))
    return load_report(asyncio.run(measure_load(plan, progress)))


def arena_command(command: str | None) -> tuple[str, ...] | None:
    """Return the words of `--command`. Raises ConfigurationError if a shell cannot parse it."""
    if command is None:
        return None
    try:
        words = tuple(shlex.split(command))
    except ValueError as error:
        raise ConfigurationError(f"--command: {error}") from error
    if not words:
        raise ConfigurationError("--command: is empty")
    return words


def load_report(load: "ArenaLoad") -> MeasurementReport:
    """Return the report of `bluestone bench arena`."""
    found = load.measured
    times = {"sent to arrival": found.arrival_ms, "sent to acknowledged": found.acknowledged_ms}
    if found.spectators is not None:
        times["sent to the median spectator"] = found.spectators.median_ms
        times["sent to the last spectator"] = found.spectators.last_ms
    audience = f", {load.spectators} spectators of one" if load.spectators else ""
    busy = share(found.used.machine if found.used else None)
    machine = f"the machine, other work included: {busy} of its cores"
    rate = f"{found.turns_a_second:g} turns per second for {load.seconds:g} s"
    text: list[str | FigureTable] = [
        f"{load.games} games at once{audience}, {rate}",
        _times_table(times),
        f"arena: {_cpu(found)} ms of CPU per turn; {_memory(load.memory_mb)}",
        f"clients: {found.busy:.0%} of a core in the busiest process; {machine}",
        f"games ended: {counted(found.ended)}; otherwise than by the rules: {found.forfeits}",
        f"refusals: {counted(found.refusals)}; tables given up: {counted(found.given_up)}",
        f"turns without an answer: {found.unanswered}",
    ]
    if found.spectators is not None:
        came = found.spectators.coming_s
        late = "" if came is None else f"; all of them were there after {came:g} s"
        text.append(f"turns that a spectator did not see: {found.spectators.missed}{late}")
    return MeasurementReport(text, load)


def capacity_report(capacity: "LoadCapacity") -> MeasurementReport:
    """Return the report of `bluestone bench arena --capacity`."""
    rows = [
        (
            f"{step.pause_s:.3f}",
            f"{found.turns_a_second:g}",
            *(f"{time:g}" for time in (found.arrival_ms.median, found.arrival_ms.p99)),
            _cpu(found),
            share(found.used.machine if found.used else None),
            "yes" if step.borne else "no",
        )
        for step in capacity.steps
        for found in (step.measured,)
    ]
    head = ("pause s", "turns/s", "median ms", "p99 ms", "CPU ms per turn", "cores busy", "borne")
    return MeasurementReport([FigureTable(head, rows), *_verdict(capacity)], capacity)


def _cpu(found: "Measured") -> str:
    """Return the milliseconds of the arena, and those of its database server if it has one."""
    database = found.database_cpu_ms_a_turn
    more = "" if database is None else f" + {figure(database)} (database)"
    return f"{figure(found.cpu_ms_a_turn)}{more}"


def _verdict(capacity: "LoadCapacity") -> Iterator[str]:
    """Yield what the paces say about the arena, and no more."""
    games, rate = f"{capacity.games} games at once", figure(capacity.turns_a_second)
    limit = f"the 99th percentile passes {capacity.bound_ms:g} ms"
    if capacity.turns_a_second is None:
        yield f"{games}: {limit} at every pace; try fewer --games or a longer --pause"
    elif capacity.is_limit:
        yield f"{games}: {rate} turns/s before {limit}"
    else:
        yield f"{games}: at least {rate} turns/s; more --games may find the limit"
    if (turns := capacity.fewest_turns) < FEWEST_TURNS:
        yield f"A step had only {turns} turns, so one or two of them decide; raise --seconds"


def memory_figures(memory: "Memory | None") -> tuple[str, str, str]:
    """Return megabytes of memory before, during and after the games."""
    if memory is None:
        return "-", "-", "-"
    return f"{memory.before:g}", f"{memory.during:g}", f"{memory.after:g}"


def _memory(memory: "Memory | None") -> str:
    before, during, after = memory_figures(memory)
    return f"memory {before} MB before, {during} in it, {after} after"


def _times_table(times: "Mapping[str, Times]") -> FigureTable:
    rows = [
        (name, *(f"{time:g}" for time in (t.count, t.median, t.p90, t.p95, t.p99, t.highest)))
        for name, t in times.items()
    ]
    return FigureTable(("ms", "count", "median", "p90", "p95", "p99", "highest"), rows)


@measurement
def startup(
    *, runs: Annotated[Count, Parameter(help="number of starts to measure")] = 3
) -> MeasurementReport:
    """Measure the time from `bluestone up` to a page on which people can play, in seconds."""
    from bot.bench.startup import measure

    times = asyncio.run(measure(runs, progress))
    text = f"{min(times):.2f} to {max(times):.2f} s in {runs} runs"
    return MeasurementReport([text], {"seconds": times})
