"""`bluestone bench distributed`: a tournament whose workers are killed, and one without."""

import asyncio
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter, validators

from bot.cli.bench_tables import print_table
from bot.cli.output import error_console, only_errors_logged, print_json
from bot.cli.records import Json

if TYPE_CHECKING:
    from tests.lab.distributed import DistributedOutcome

Count = Annotated[int, Parameter(validator=validators.Number(gte=1, lte=100_000))]
Workers = Annotated[int, Parameter(validator=validators.Number(gte=1, lte=100))]
Seconds = Annotated[float, Parameter(help="seconds", validator=validators.Number(gt=0, lte=3600))]


def distributed(
    *,
    games: Annotated[Count, Parameter(help="an even number")] = 500,
    workers: Workers = 4,
    kill_every: Seconds = 20.0,
    nodes: Annotated[Count, Parameter(help="of each turn")] = 50,
    board: str = "pent-4",
    seed: int = 1,
    as_json: Json = False,
) -> int:
    """A Dask scheduler and workers on this machine, one worker killed every few seconds.

    Ends with 1 unless each game is in the ledger once, and is the one that is played without them.
    """
    from tests.lab.distributed import DistributedPlan, measure

    only_errors_logged()
    plan = DistributedPlan(games, workers, kill_every, nodes, seed, board)
    outcome = asyncio.run(measure(plan, error_console().print))
    if as_json:
        print_json({**asdict(outcome), "fine": outcome.fine})
    else:
        _print(outcome)
    return int(not outcome.fine)


def _print(outcome: "DistributedOutcome") -> None:
    rows = [
        ("games in the ledger exactly once", outcome.once, outcome.games),
        ("games the same as on one machine", outcome.same, outcome.games),
        ("games that counted for nothing", outcome.voids, "-"),
        ("workers killed", outcome.killed, "-"),
        ("games played again", outcome.lost, "-"),
        ("seconds on one machine", outcome.local_s, "-"),
        ("seconds on the workers", outcome.distributed_s, "-"),
    ]
    print_table(("", "found", "of"), [(name, f"{is_}", f"{of}") for name, is_, of in rows])
