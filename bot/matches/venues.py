"""Other venues than this machine. They come by the door `bluestone.venues`.

The name of an entry is the option that takes the address of the venue, as in `--dask HOST:PORT`.
"""

from concurrent.futures import Executor
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pkgutil import resolve_name
from typing import Final, NamedTuple, Protocol

from bot.matches.local_games import Note, OpenedVenue
from bot.matches.settings import LocalSettings
from bot.runtime.doors import Door
from bot.time_source import TimeSource


@dataclass(frozen=True)
class WorkerFigures:
    """The figures of a worker for tables and JSON.

    `unheard_s` is the number of seconds since the scheduler last heard of the worker. `mean_s` is
    the mean duration of its games; None before the first.
    """

    worker: str
    address: str
    is_there: bool
    slots: int
    running: int
    games: int
    lost: int
    mean_s: float | None
    unheard_s: float
    is_slow: bool = False


class RemoteVenue(Protocol):
    """A venue of many workers."""

    def __call__(self, settings: LocalSettings, time: TimeSource, note: Note) -> OpenedVenue: ...

    def figures(self) -> list[WorkerFigures]:
        """The figures of the workers, during the games and afterwards."""

    def line(self) -> str:
        """The state of the workers in one short line."""


class Pool(NamedTuple):
    """Workers that run any function; `size` is the number of calls that they run at once."""

    executor: Executor
    size: int


class OpenVenue(Protocol):
    def __call__(self, address: str) -> RemoteVenue:
        """Return the venue; nothing is connected yet. Raises ConfigurationError."""


class OpenPool(Protocol):
    def __call__(self, address: str, game: str) -> AbstractContextManager[Pool]:
        """Connect to the workers, which have compiled the kernels of the game.

        Raises ConfigurationError and HostError.
        """


@dataclass(frozen=True, slots=True)
class VenueKind:
    """An entry of the door. Help texts are made of it, so importing its module must be quick.

    `help` describes the option. `venue` is an `OpenVenue` and `pool` an `OpenPool`, as
    `package.module:name`.
    """

    help: str
    venue: str
    pool: str


VENUES: Final[Door[VenueKind]] = Door("bluestone.venues", "venue", VenueKind)


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """The venue and the address that an option has chosen."""

    kind: str
    address: str

    @property
    def option(self) -> str:
        return f"--{self.kind} {self.address}"

    def venue(self) -> RemoteVenue:
        """Return the venue; nothing is connected yet. Raises ConfigurationError."""
        opened: OpenVenue = resolve_name(VENUES.load(self.kind).venue)
        return opened(self.address)

    def pool(self, game: str) -> AbstractContextManager[Pool]:
        """Connect to the workers. Raises ConfigurationError and HostError."""
        opened: OpenPool = resolve_name(VENUES.load(self.kind).pool)
        return opened(self.address, game)
