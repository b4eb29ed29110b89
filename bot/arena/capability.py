"""What a capability gives the arena: requests, routes, metrics, and its part of the hall.

Problem. A capability such as puzzles or chat has requests, routes, tables and listeners. If the
core names each of them, a change of one capability touches a dozen files, and none can be removed.
Idea. A capability comes by the door `bluestone.capabilities`, from our own packages and from
others. The arena opens it with its `Core`, and gets a `Part`: what the arena must call, and when.
Rejected: base classes with empty methods, which hide what a capability really adds; capabilities
that import each other, because then neither can be removed.

Its tables come by the door `bluestone.tables` (`bot.arena.store.tables`), because commands of the
operator need them too. docs/adding-a-capability.md has a complete example.
"""

import random
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import structlog

from bot import wire
from bot.arena.announcer import Announcer
from bot.arena.arena_clock import ArenaClock
from bot.arena.edge.guest_keys import GuestKeys
from bot.arena.edge.handshake import Origins
from bot.arena.edge.login import LoginAttempts
from bot.arena.games.all_games import AllGames
from bot.arena.games.archive import RecordFile
from bot.arena.games.finished_games import FinishedGames
from bot.arena.games.game_service import Games
from bot.arena.games.game_store import GameStore
from bot.arena.games.maintenance import MaintenanceMode
from bot.arena.games.preparation import Preparation
from bot.arena.games.rated_play import RatedPlay
from bot.arena.games.referee import Menu
from bot.arena.hall import Hall
from bot.arena.http.addresses import Proxies
from bot.arena.http.documents import DocumentCache
from bot.arena.http.routes import Routes
from bot.arena.lobby.game_starter import GameStarter
from bot.arena.lobby.ignores import Ignores
from bot.arena.lobby.lobby import Lobby
from bot.arena.lobby.renaming import Renamer
from bot.arena.metrics import ArenaMetrics
from bot.arena.operations import WelcomePart
from bot.arena.operator.moderation import Moderation
from bot.arena.players.accounts import Accounts
from bot.arena.players.held_names import NameKeeper
from bot.arena.players.hosts import Hosts
from bot.arena.players.presence import Presence
from bot.arena.request_table import Request
from bot.arena.settings import ArenaSettings
from bot.arena.store.database import Database
from bot.arena.web.previews import Previews
from bot.errors import ConfigurationError
from bot.runtime.doors import Door
from bot.runtime.metrics import Reading
from bot.runtime.workers import Workers
from bot.time_source import TimeSource

log = structlog.get_logger()


class GameOver(NamedTuple):
    """A game that has ended, in any process of the arena."""

    setup: wire.GameSetup
    names: tuple[str, str]
    tournament_id: str | None


@dataclass(frozen=True)
class Core:
    """The services that every arena has, for the capabilities.

    `time` is real time, and `clock` runs only while games can be played. `on_game_over` is called
    in the process that has the hall, after the end of any game.
    """

    settings: ArenaSettings
    database: Database
    announcer: Announcer
    time: TimeSource
    clock: ArenaClock
    rng: random.Random
    metrics: ArenaMetrics
    workers: Workers
    presence: Presence
    accounts: Accounts
    store: GameStore
    records: RecordFile | None
    """The file of records; None in an arena of several processes."""
    preparation: Preparation
    finished: FinishedGames
    games: Games
    """The games of this process."""
    all_games: AllGames
    """The games of all processes."""
    menu: Menu
    rated_play: RatedPlay
    ignores: Ignores
    lobby: Lobby
    renamer: Renamer
    moderation: Moderation
    starter: GameStarter
    maintenance: MaintenanceMode
    hosts: Hosts
    name_keepers: list[NameKeeper]
    """Capabilities that need the names of their players."""
    hall: Hall
    on_game_over: list[Callable[[GameOver], None]] = field(default_factory=list)
    alarm_failures: dict[str, Callable[[], int]] = field(default_factory=dict)
    """Counts deadlines whose step failed, by what they are of."""


@dataclass(frozen=True)
class Http:
    """What the routes of a capability need of the server."""

    routes: Routes
    keys: GuestKeys
    documents: DocumentCache
    proxies: Proxies
    origins: Origins
    """The addresses of the arena's own pages."""
    attempts: LoginAttempts
    previews: Previews


async def nothing() -> None:
    """Do nothing."""


@dataclass(frozen=True)
class Part:
    """What an open capability gives the arena.

    `welcome` sets fields of the message `welcome` for a player, in the process that has the
    hall; `welcome_here` does so in the process to which the player is connected.

    `open` is called once, at the start of the process, and `close` at its end.
    `subscribe` is called once, before `open_hall`, and may add listeners to services of the core.
    `open_hall` is called when this process gets the hall, after the games of the last run are
    there, and `close_hall` when it ends; in an arena of one process, that is its whole life.
    """

    requests: Sequence[Request] = ()
    add_routes: Callable[[Http], None] | None = None
    readings: Sequence[Reading] = ()
    welcome: WelcomePart | None = None
    welcome_here: WelcomePart | None = None
    open: Callable[[], Awaitable[None]] = nothing
    close: Callable[[], Awaitable[None]] = nothing
    subscribe: Callable[[], None] | None = None
    open_hall: Callable[[], Awaitable[None]] = nothing
    close_hall: Callable[[], Awaitable[None]] = nothing


@dataclass(frozen=True)
class Capability:
    """A capability, by its name. `open` makes its services, and starts nothing."""

    name: str
    open: Callable[[Core], Part]


CAPABILITIES: Final[Door[Capability]] = Door("bluestone.capabilities", "capability", Capability)


def open_capabilities(core: Core) -> list[Part]:
    """Open all installed capabilities, in the order of their names.

    One that cannot be imported is left out and logged. Raises ConfigurationError if one cannot be
    opened: it may have subscribed to services of the core already.
    """
    for name, why in CAPABILITIES.problems().items():
        log.error("capability_unusable", capability=name, error=why)
    return [_opened(each, core) for each in CAPABILITIES.usable().values()]


def _opened(capability: Capability, core: Core) -> Part:
    try:
        return capability.open(core)
    except Exception as error:  # of another package
        log.exception("capability_failed", capability=capability.name)
        reason = f"{type(error).__name__}: {error}"
        raise ConfigurationError(
            f"the capability {capability.name!r} cannot be opened: {reason}"
        ) from error
