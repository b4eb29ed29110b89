"""The options that choose another venue, as `--dask`, and the table of its workers."""

from dataclasses import asdict, dataclass, make_dataclass
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from bot.errors import ConfigurationError
from bot.matches.venues import VENUES, Elsewhere, WorkerFigures
from bot.runtime.output import print_table

if TYPE_CHECKING:

    @dataclass(frozen=True)
    class VenueOptions:
        """The address of each venue that is installed, or None."""
else:
    VenueOptions = make_dataclass(
        "VenueOptions",
        [
            (name, Annotated[str | None, Parameter(name=f"--{name}", help=kind.help)], None)
            for name, kind in VENUES.usable().items()
        ],
        namespace={"__module__": __name__},  # cyclopts takes a class of `types` for a value
        frozen=True,
    )

Venues = Annotated[VenueOptions, Parameter(name="*")]
NO_VENUE = VenueOptions()


def elsewhere(options: VenueOptions) -> Elsewhere | None:
    """Return the venue of these options; None for this machine. Raises ConfigurationError."""
    chosen = [Elsewhere(kind, address) for kind, address in asdict(options).items() if address]
    if len(chosen) > 1:
        raise ConfigurationError(f"{chosen[0].option} and {chosen[1].option}: give only one")
    return chosen[0] if chosen else None


_HEAD = ("worker", "", "games", "lost", "seconds per game", "last heard")


def workers_document(workers: list[WorkerFigures]) -> list[dict[str, object]]:
    return [asdict(each) for each in workers]


def print_workers(workers: list[WorkerFigures]) -> None:
    print_table(_HEAD, [_row(each) for each in workers])


def _row(each: WorkerFigures) -> tuple[str, ...]:
    state = "slow" if each.is_slow else "" if each.is_there else "gone"
    mean = "-" if each.mean_s is None else f"{each.mean_s:.2f}"
    counts = str(each.games), str(each.lost)
    return (each.worker, state, *counts, mean, f"{each.unheard_s:.0f} s ago")
