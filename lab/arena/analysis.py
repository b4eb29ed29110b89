"""`make lab ARGS=analysis`: visitors who ask an arena's engine while games are played."""

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from bot.cli.games import Board, GameName, chosen_game
from bot.cli.measurements import (
    Count,
    FigureTable,
    MeasurementReport,
    Seconds,
    measurement,
    progress,
)

if TYPE_CHECKING:
    from bot.bench.summary import Times
    from lab.arena.analysis_load import AnalysisLoad
    from lab.arena.device_load import DeviceLoad


@measurement
def analysis(
    *,
    games: Annotated[Count, Parameter(help="number of games at once")] = 100,
    visitors: Annotated[Count, Parameter(help="visitors who ask at the same moment")] = 50,
    workers: Annotated[Count, Parameter(help="worker processes, one search each at a time")] = 1,
    seconds: Annotated[
        Seconds, Parameter(help="seconds of play that are measured, three times or four")
    ] = 60.0,
    pause: Annotated[Seconds, Parameter(help="mean thinking time before a turn, in seconds")] = 1.0,
    clients: Annotated[
        Count, Parameter(help="number of processes among which the games are divided")
    ] = 1,
    device: Annotated[
        bool,
        Parameter(
            help="visitors search on their devices, before as many spectators; without workers",
            negative=(),
        ),
    ] = False,
    game: GameName = "bluestone",
    board: Board = None,
) -> MeasurementReport:
    """Let visitors ask for an analysis all at once while games are played, and report the latency
    of turns before, with and after them, and how long the visitors wait.

    Starts an arena on an empty folder, and workers at low priority, as `bluestone up` does.
    """
    from bot.bench.crowd import LoadPlan
    from lab.arena.analysis_load import measure_analysis
    from lab.arena.device_load import measure_device_load

    plan = LoadPlan(
        game=chosen_game(game, board, None),
        games=games,
        seconds=seconds,
        pause_s=pause,
        clients=clients,
        spectators=visitors if device else 0,
    )
    if device:
        return device_report(asyncio.run(measure_device_load(plan, visitors, progress)))
    return analysis_report(asyncio.run(measure_analysis(plan, visitors, workers, progress)))


def analysis_report(load: "AnalysisLoad") -> MeasurementReport:
    """Return the report of `make lab ARGS=analysis`."""
    visits = load.visits
    times = {
        **_turn_times(load),
        "request to first lines": visits.first_ms,
        "request to result": visits.done_ms,
    }
    served = f"visitors: {visits.served} of {visits.asked} served within"
    text: list[str | FigureTable] = [
        f"{load.games} games at once, {load.visitors} visitors, {load.workers} workers",
        _table(times),
        _SLOWDOWN.format(load.slowdown),
        f"{served} {visits.done_ms.highest / 1000:.1f} s; {visits.shortened} with a short search",
    ]
    return MeasurementReport(text, load, visits.failed == 0)


def device_report(load: "DeviceLoad") -> MeasurementReport:
    """Return the report of `make lab ARGS="analysis --device"`."""
    text: list[str | FigureTable] = [
        f"{load.games} games at once, {load.visitors} visitors who search on their devices",
        _table({**_device_turns(load), "requests of visitors": load.request_ms}),
        _SLOWDOWN.format(load.slowdown),
        f"visitors: {load.requests} requests, {load.failed} failed",
        f"to open the board, a visitor makes {load.opening_requests} requests",
    ]
    return MeasurementReport(text, load, load.failed == 0)


_SLOWDOWN = "turns: the 99th percentile is {:.2f} times as long with visitors"


def _turn_times(load: "AnalysisLoad | DeviceLoad") -> dict[str, "Times"]:
    return {
        "turns before": load.alone.arrival_ms,
        "turns with visitors": load.together.arrival_ms,
        "turns after": load.after.arrival_ms,
    }


def _device_turns(load: "DeviceLoad") -> dict[str, "Times"]:
    before, *others = _turn_times(load).items()
    return dict([before, ("turns while visitors come", load.arriving.arrival_ms), *others])


def _table(times: Mapping[str, "Times"]) -> FigureTable:
    rows = [
        (name, *(f"{time:g}" for time in (t.count, t.median, t.p95, t.p99, t.highest)))
        for name, t in times.items()
    ]
    return FigureTable(("ms", "count", "median", "p95", "p99", "highest"), rows)
