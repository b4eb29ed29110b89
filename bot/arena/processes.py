"""An arena of several processes, as the rest of one process sees the others.

What makes processes one arena comes by the door `bluestone.clusters`, as the entry `cluster`. So an
arena of one process neither imports nor needs it.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any, Final, Protocol

from bot.arena.announcer import Announcer
from bot.arena.arena_clock import ArenaClock
from bot.arena.games.all_games import AllGames
from bot.arena.games.finished_games import FinishedGames
from bot.arena.games.game_service import Games
from bot.arena.games.game_store import GameStore
from bot.arena.games.running_games import RunningGame
from bot.arena.hall import Hall
from bot.arena.lobby.renaming import Renamer, Renaming
from bot.arena.operations import Operations, Performer
from bot.arena.players.presence import Presence
from bot.arena.settings import ArenaSettings
from bot.arena.store.connection import Connection
from bot.arena.store.database import Database
from bot.errors import ConfigurationError
from bot.runtime.doors import Door
from bot.time_source import TimeSource

NOT_INSTALLED: Final = (
    "this installation runs an arena as one process only: the setting cluster.link must be empty, "
    "and --processes must be 1"
)


@dataclass(frozen=True)
class HallServices:
    """Opens the services of the hall in this process, and closes them for good."""

    open: Callable[[], Awaitable[None]]
    close: Callable[[], Awaitable[None]]


class ProcessEvents(Protocol):
    """What processes tell each other. Messages may be lost."""

    def on(self, kind: str, listener: Callable[[dict[str, Any], str], None], /) -> None:
        """Call `listener` with the facts of each message of that kind."""

    def tell_all(self, kind: str, **facts: object) -> None:
        """Publish a message to all other processes."""


class Processes(Protocol):
    """The other processes of the arena, and the place of this one among them."""

    process_id: str
    on_replaced: Callable[[], None]
    """Called when others have taken over everything from this process."""
    on_incomplete: Callable[[set[str]], None]
    """Called with the names of players who must be welcomed again: no process had the hall."""
    on_look: Callable[[], None]
    """Called after each comparison with the database."""

    @property
    def announcer(self) -> Announcer:
        """Reaches the clients of all processes."""

    @property
    def events(self) -> ProcessEvents: ...

    @property
    def shared_hall(self) -> Hall: ...

    @property
    def has_hall(self) -> bool:
        """Whether this process has the hall."""

    @property
    def process_count(self) -> int:
        """The number of living processes; 0 before and after the membership."""

    @property
    def games_known(self) -> int:
        """The running games of all processes that this one knows."""

    @property
    def games_taken_over(self) -> int:
        """How many games this process has taken over since it joined."""

    def names_in(self, game_id: str) -> tuple[str, ...] | None:
        """The players of a running game of any process; None if it is not known."""

    def shown(self) -> Sequence[Mapping[str, object]]:
        """The living processes, for operators."""

    def placed(self, games: Games, finished: FinishedGames, presence: Presence) -> AllGames:
        """All games of the arena; `games` are those of this process."""

    def renaming(self, renaming: Renaming, presence: Presence) -> Renamer:
        """The renaming of players of all processes."""

    def follow_games(
        self, changed: Callable[[], None], ended: Callable[[RunningGame], None]
    ) -> None:
        """Call these at each start and end of a game in any process."""

    def linked(
        self,
        operations: Operations,
        games: Games,
        store: GameStore,
        presence: Presence,
        clock: ArenaClock,
        hall_services: HallServices,
    ) -> AbstractAsyncContextManager[Performer]:
        """Answer other processes with this process's services; leave the arena at the end.

        Raises HostError or ConfigurationError if the address `cluster.link` cannot be used.
        """

    async def join(self) -> None:
        """Become a member of the arena, once this process can answer. Raises HostError."""

    async def leave(self) -> None:
        """Give games and hall to the other processes now; a second call does nothing."""


class Member(Protocol):
    """A living process, as the database has it."""

    @property
    def id(self) -> str: ...

    @property
    def address(self) -> str: ...

    @property
    def version(self) -> str: ...

    @property
    def games(self) -> int: ...

    @property
    def lease_left_s(self) -> float: ...


@dataclass(frozen=True)
class Clustering:
    """What makes processes one arena.

    `open` connects a process, by its id, with the others, until the end of the context; it raises
    HostError. `check_bus` connects with what carries events between processes, and raises HostError
    or ConfigurationError. `members` reads the living processes.
    """

    open: Callable[
        [ArenaSettings, Database, str, Announcer, TimeSource],
        AbstractAsyncContextManager[Processes],
    ]
    check_bus: Callable[[ArenaSettings], Awaitable[None]]
    members: Callable[[Connection], Sequence[Member]]


CLUSTERS: Final[Door[Clustering]] = Door("bluestone.clusters", "cluster", Clustering)
CLUSTER: Final = "cluster"


def installed_clustering() -> Clustering:
    """What makes processes one arena. Raises ConfigurationError if it is not installed."""
    if CLUSTER not in CLUSTERS.names:
        raise ConfigurationError(NOT_INSTALLED)
    return CLUSTERS.load(CLUSTER)
