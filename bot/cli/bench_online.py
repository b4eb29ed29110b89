"""`bluestone bench online`: a tournament on an arena that is killed and started again."""

import asyncio
from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter, validators

from bot.cli.bench_tables import print_table
from bot.cli.output import error_console, only_errors_logged, print_json
from bot.cli.records import Json
from bot.errors import ConfigurationError

if TYPE_CHECKING:
    from tests.lab.online_report import OnlineOutcome

Players = Annotated[int, Parameter(validator=validators.Number(gte=2, lte=150))]
Rounds = Annotated[int, Parameter(validator=validators.Number(gte=1, lte=100))]
Times = Annotated[int, Parameter(validator=validators.Number(gte=0, lte=100))]
Seconds = Annotated[float, Parameter(validator=validators.Number(gte=0, lte=40))]


def online(
    *,
    players: Players = 40,
    rounds: Rounds = 9,
    kills: Annotated[Times, Parameter(help="of the arena, by SIGKILL at random moments")] = 3,
    away: Annotated[Times, Parameter(help="players who leave once, and come back")] = 5,
    away_seconds: Annotated[Seconds, Parameter(help="how long they stay away")] = 20.0,
    pause: Annotated[Seconds, Parameter(help="mean thinking time before a turn, in seconds")] = 0.5,
    board: str = "pent-4",
    seed: int = 1,
    as_json: Json = False,
) -> int:
    """A Swiss of bots on one arena, which is killed and started again on the same folder.

    Ends with 1 unless it ends by itself with every game once, no forfeit, no turn lost, and
    standings that come out the same when they are computed anew from what the arena exports.
    """
    from bot.terminal.play import ensure_kernels
    from tests.lab.online import GAME, OnlinePlan, measure

    if away > players:
        raise ConfigurationError(f"--away {away}: there are {players} players")
    if rounds >= players + players % 2:
        raise ConfigurationError(f"--rounds {rounds}: too many for {players} players")
    only_errors_logged()
    console = error_console()
    ensure_kernels(console, GAME)
    plan = OnlinePlan(players, rounds, kills, away, away_seconds, pause, board=board, seed=seed)
    outcome = asyncio.run(measure(plan, console.print))
    if as_json:
        print_json({**asdict(outcome), "fine": outcome.fine})
    else:
        print_online(outcome)
    return int(not outcome.fine)


def print_online(outcome: "OnlineOutcome") -> None:
    """What was found, and what it has to be."""
    plan = outcome.expected
    ended = "yes" if outcome.finished else f"no: {outcome.ended_by}"
    same = "yes" if outcome.same_standings else "no"
    rows: list[tuple[str, object, object]] = [
        ("finished without a hand", ended, "yes"),
        ("games finished and exported once", outcome.once, plan.games),
        ("games begun twice", outcome.begun_twice, 0),
        ("pairs that met twice", outcome.met_twice, 0),
        ("byes", outcome.byes, plan.byes),
        ("players with two byes", outcome.byes_twice, 0),
        ("standings equal to those computed anew", same, "yes"),
        *_counted("forfeits", outcome.forfeits),
        ("records that do not replay", outcome.contradictions, 0),
        ("turns acknowledged", outcome.turns, "-"),
        ("acknowledged turns lost", outcome.lost, 0),
        ("turns shown and lost", outcome.shown_and_lost, 0),
        ("turns that nobody sent", outcome.unsent, 0),
        *_counted("turns refused", outcome.refusals),
        ("kills of the arena", outcome.kills, plan.kills),
        ("players who left for a while", outcome.away, plan.away),
        ("seconds from a kill to play, longest", outcome.longest_down_s, "-"),
        ("seconds in all", outcome.seconds, "-"),
    ]
    print_table(("", "found", "bound"), [(name, f"{is_}", f"{may}") for name, is_, may in rows])


def _counted(what: str, by_reason: Mapping[str, int]) -> list[tuple[str, object, object]]:
    """A row for all of them, and one for each reason."""
    reasons = [(f"{what}, {why.replace('_', ' ')}", n, 0) for why, n in sorted(by_reason.items())]
    return [(what, sum(by_reason.values()), 0), *reasons]
