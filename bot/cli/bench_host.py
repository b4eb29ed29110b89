"""`bluestone bench host` and `bluestone bench resume`: the host of tournaments, measured."""

import asyncio
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter, validators

from bot.cli.bench_tables import print_table
from bot.cli.output import error_console, only_errors_logged, print_json
from bot.cli.records import Json

if TYPE_CHECKING:
    from bot.bench.resume import ResumeOutcome

Count = Annotated[int, Parameter(validator=validators.Number(gte=1, lte=100_000))]


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
    from bot.bench.resume import ResumePlan, measure

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
