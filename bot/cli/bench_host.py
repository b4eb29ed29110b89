"""`bluestone bench host` and `bluestone bench resume`: the host of tournaments, measured."""

import asyncio
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter, validators

from bot.cli.bench_tables import print_table
from bot.cli.games import Board
from bot.cli.output import error_console, only_errors_logged, print_json
from bot.cli.records import Json

if TYPE_CHECKING:
    from tests.lab.host import HostOutcome
    from tests.lab.resume import ResumeOutcome

Count = Annotated[int, Parameter(validator=validators.Number(gte=1, lte=100_000))]


def host(
    *,
    games: Count = 500,
    time: Annotated[Count, Parameter(help="milliseconds of each turn")] = 100,
    concurrency: Annotated[Count, Parameter(help="games at once")] = 2,
    board: Board = None,
    openings: Annotated[str | None, Parameter(help="a file of openings, or random:PLIES")] = None,
    seed: int = 1,
    as_json: Json = False,
) -> int:
    """Two built-in engines on one core each: games lost by time, and the host's share of the time.

    Ends with 1 if a game was lost by time or counts for nothing, or if no engine was thinking in
    more than 5 % of the time. More games at once than there are cores measure something else.
    """
    import uvloop

    from tests.lab.host import HostPlan, measure

    only_errors_logged()
    plan = HostPlan(games, time, concurrency, board, seed, openings)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        outcome = runner.run(measure(plan, error_console().print))
    if as_json:
        print_json({**asdict(outcome), "fine": outcome.fine})
    else:
        _print_host(outcome)
    return int(not outcome.fine)


def _print_host(outcome: "HostOutcome") -> None:
    rows: list[tuple[str, object, object]] = [
        ("games", outcome.games, "-"),
        ("turns", outcome.turns, "-"),
        ("seconds", outcome.seconds, "-"),
        ("games lost by time", outcome.time_forfeits, 0),
        ("games lost by another fault", outcome.other_faults, "-"),
        ("games void, played again", outcome.voids, 0),
        ("host's share of the time", f"{outcome.host_share:.1%}", "5 %"),
        ("a turn besides thinking, ms", outcome.besides_a_turn, "-"),
        ("processor time of the host a turn, ms", outcome.host_cpu_a_turn, "-"),
        *((f"late turns that counted, ms, {which}", ms, "-") for which, ms in outcome.late.items()),
    ]
    print_table(("", "found", "bound"), [(name, f"{is_}", f"{may}") for name, is_, may in rows])


def resume(
    *,
    kills: Annotated[Count, Parameter(help="by SIGKILL, at random moments")] = 30,
    games: Annotated[Count, Parameter(help="of each pair of engines")] = 4,
    engines: Annotated[Count, Parameter(help="besides three that misbehave")] = 5,
    nodes: Annotated[Count, Parameter(help="of each turn")] = 100,
    concurrency: Annotated[Count, Parameter(help="games at once")] = 2,
    patience: Annotated[Count, Parameter(help="ms that the host waits for a turn")] = 3000,
    seed: int = 1,
    as_json: Json = False,
) -> int:
    """A round-robin whose host is killed again and again, and the same one undisturbed.

    Three of its engines never answer, print rubbish, or die in the middle. Ends with 1 unless both
    come to the same table by the same games.
    """
    from tests.lab.resume import ResumePlan, measure

    only_errors_logged()
    plan = ResumePlan(
        kills=kills,
        builtin=engines,
        games_per_pairing=games,
        concurrency=concurrency,
        nodes=nodes,
        patience_ms=patience,
        seed=seed,
    )
    outcome = asyncio.run(measure(plan, error_console().print))
    if as_json:
        print_json({**asdict(outcome), "fine": outcome.fine})
    else:
        _print_resume(outcome)
    return int(not outcome.fine)


def _print_resume(outcome: "ResumeOutcome") -> None:
    losses = outcome.losses
    rows: list[tuple[str, object, object]] = [
        ("games", outcome.games, "-"),
        ("kills", losses.kills, "-"),
        ("kills before a game was told of", losses.without_a_game, "-"),
        ("lines cut off by a kill", losses.cut, "-"),
        ("games lost", losses.lost, 0),
        ("games counted twice", outcome.twice, 0),
        ("pairings changed", outcome.changed + losses.changed, 0),
        ("games that went another way", outcome.different, 0),
        ("final tables equal", "yes" if outcome.equal else "no", "yes"),
        ("games void, played again", outcome.voids, "-"),
        *((f"lost by {why.replace('_', ' ')}", n, "-") for why, n in outcome.faults.items()),
        ("seconds, undisturbed", outcome.undisturbed_s, "-"),
        ("seconds, killed", outcome.killed_s, "-"),
    ]
    print_table(("", "found", "bound"), [(name, f"{is_}", f"{may}") for name, is_, may in rows])
