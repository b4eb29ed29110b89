"""The option `--dask`, and the table of workers that commands print."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from bot.cli.output import print_table

if TYPE_CHECKING:
    from bot.matches.distributed.fleet import WorkerFigures

Dask = Annotated[
    str | None,
    Parameter(name="--dask", help="HOST:PORT of a Dask scheduler whose workers play the games"),
]
_HEAD = ("worker", "", "games", "lost", "seconds per game", "last heard")


def workers_document(workers: "list[WorkerFigures]") -> list[dict[str, object]]:
    return [asdict(each) for each in workers]


def print_workers(workers: "list[WorkerFigures]") -> None:
    print_table(_HEAD, [_row(each) for each in workers])


def _row(each: "WorkerFigures") -> tuple[str, ...]:
    state = "slow" if each.is_slow else "" if each.is_there else "gone"
    mean = "-" if each.mean_s is None else f"{each.mean_s:.2f}"
    counts = str(each.games), str(each.lost)
    return (each.worker, state, *counts, mean, f"{each.unheard_s:.0f} s ago")
