"""This process in an arena of several: everything between its services and the other processes.

The order: the parts that announcements need come first (`opened`), because the services are made
with them. Then the services are given to it (`placed`, `renaming`), and `linked` lets other
processes reach them. `join` comes last: from then on other processes give games to this one, and
end it if it is silent for the length of a lease.
"""

import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Final, cast

import structlog

from bot import __version__
from bot.arena.announcer import Announcer
from bot.arena.arena_clock import ArenaClock
from bot.arena.cluster.bus import Bus, bus_key
from bot.arena.cluster.connected_bus import ConnectedBus
from bot.arena.cluster.directory import Directory
from bot.arena.cluster.events import ClusterAnnouncer, Delivery, Events
from bot.arena.cluster.hall import QUESTION, Hall, SharedHall, SharedRenaming
from bot.arena.cluster.leases import Leases
from bot.arena.cluster.link import Links, LinkServer
from bot.arena.cluster.membership import Membership, Repairs
from bot.arena.cluster.peers import HallSeat, Peers
from bot.arena.cluster.placed_games import PlacedGames
from bot.arena.cluster.presence_store import PresenceStore
from bot.arena.cluster.presence_sync import PresenceSync
from bot.arena.cluster.router import Router
from bot.arena.cluster.takeover import GameTakeover, HallDuty
from bot.arena.cluster.watch import GameWatch
from bot.arena.games.finished_games import FinishedGames
from bot.arena.games.game_service import Games
from bot.arena.games.game_store import GameStore
from bot.arena.games.game_views import state_of
from bot.arena.games.running_games import RunningGame, RunningGames
from bot.arena.link_address import join_address, split_address
from bot.arena.lobby.renaming import Renaming
from bot.arena.operations import Operations
from bot.arena.players.presence import Presence
from bot.arena.processes import HallServices
from bot.arena.settings import ArenaSettings
from bot.arena.store.database import Database
from bot.arena.store.servers import driver_of
from bot.errors import ConfigurationError, HostError
from bot.runtime.extras import how_to_install
from bot.time_source import TimeSource

NOT_INSTALLED: Final = f"cluster.bus: Valkey needs the package valkey; {how_to_install('cluster')}"

log = structlog.get_logger()


class Cluster:
    """See `Processes`."""

    def __init__(
        self,
        settings: ArenaSettings,
        database: Database,
        process_id: str,
        secret: str,
        delivery: Delivery,
        bus: Bus,
        time: TimeSource,
    ) -> None:
        self.process_id = process_id
        self._settings = settings
        self._database = database
        self._delivery = delivery
        self._bus = bus
        self._time = time
        self._secret = secret
        self._links = Links(secret, time)
        self._peers = Peers(self._links, process_id)
        self._seat = HallSeat()
        self.hall = Hall(self._peers, self._seat, time)
        self.shared_hall = SharedHall(self.hall)
        self.events = Events(delivery, bus)
        self.directory = Directory()
        self.announcer = ClusterAnnouncer(delivery, bus)
        self._leases = Leases(database, process_id, settings.cluster.lease_s)
        self._running = RunningGames(database)
        self._membership: Membership | None = None
        self._takeover: GameTakeover | None = None
        self._router: Router | None = None
        self._address = ""
        self._placed: PlacedGames
        self._renaming: SharedRenaming
        self.on_replaced: Callable[[], None] = lambda: None
        self.on_incomplete: Callable[[set[str]], None] = lambda _names: None
        """Called with the names of players who must be welcomed again: no process had the hall."""
        self.on_look: Callable[[], None] = lambda: None
        bus.on_gap = self._look_soon

    @property
    def has_hall(self) -> bool:
        """See `Processes`."""
        return self.hall.is_here

    @property
    def games_known(self) -> int:
        """See `Processes`."""
        return len(self.directory)

    def names_in(self, game_id: str) -> tuple[str, ...] | None:
        """See `Processes`."""
        entry = self.directory.find(game_id)
        return None if entry is None else entry.names

    def follow_games(
        self, changed: Callable[[], None], ended: Callable[[RunningGame], None]
    ) -> None:
        """See `Processes`."""
        self.directory.on_start.append(lambda _entry: changed())
        self.directory.on_end += [lambda _entry: changed(), ended]

    @property
    def process_count(self) -> int:
        """The number of living processes as of the last look; 0 before and after the membership."""
        return 0 if self._membership is None else len(self._membership.members)

    @property
    def games_taken_over(self) -> int:
        """How many games this process has taken over since it joined."""
        return 0 if self._takeover is None else self._takeover.count

    def shown(self) -> list[dict[str, object]]:
        """The living processes as of the last look, for operators."""
        members = [] if self._membership is None else self._membership.members
        return [
            {
                "id": each.id,
                "pid": each.pid,
                "version": each.version,
                "games": each.games,
                "lease_left_s": round(each.lease_left_s, 1),
                "has_hall": each.id == self._seat.holder,
                "answers": each.id == self.process_id,
            }
            for each in members
        ]

    def placed(self, games: Games, finished: FinishedGames, presence: Presence) -> PlacedGames:
        """All games of the arena, for the hall's services; `games` are those of this process."""
        placed = self._placed = PlacedGames(
            games,
            finished,
            self.directory,
            self._running,
            self._peers,
            self._seat,
            self.events,
            presence,
        )
        games.playing.on_start.append(placed.here)
        games.playing.on_end.append(placed.ended_here)
        self.events.on("owned", placed.owned_elsewhere)
        self.events.on("ended", placed.ended_elsewhere)
        return placed

    def renaming(self, renaming: Renaming, presence: Presence) -> SharedRenaming:
        """The renaming of players of all processes."""
        self._renaming = SharedRenaming(renaming, self.hall, presence, self.events)
        return self._renaming

    @asynccontextmanager
    async def linked(
        self,
        operations: Operations,
        games: Games,
        store: GameStore,
        presence: Presence,
        clock: ArenaClock,
        hall_services: HallServices,
    ) -> AsyncIterator[Router]:
        """Answer other processes with this process's services; leave the arena at the end.

        Raises HostError or ConfigurationError if the address `cluster.link` cannot be used.
        """
        router = self._router = Router(
            operations,
            games,
            self.directory,
            self._running,
            self._peers,
            self.hall,
            self.events,
            clock,
        )

        async def stored_state(game_id: str) -> str | None:
            found = await store.running_one(game_id)
            if found is None:
                return None
            game = replace(found.revived(self._settings.play), banked_ms=found.thought_ms)
            return state_of(game, presence, clock).as_json()

        router.stored = stored_state
        watch = GameWatch(self._delivery, self.directory, router.game, self.process_id, self._time)
        self.events.on("game", watch.received)
        sync = PresenceSync(
            presence,
            PresenceStore(self._database, self.process_id),
            games,
            self.events,
            self.process_id,
            self._renaming.note,
            watch.missed,
        )
        limits = self._settings.play
        self._takeover = GameTakeover(self._leases, games, store, limits, clock, self.process_id)
        membership = self._membership = Membership(
            self._leases,
            games,
            self._takeover,
            HallDuty(self._leases, self._seat, hall_services, self.process_id),
            Repairs(sync, self.directory, self._running, watch),
            self._peers,
            self._settings.cluster,
            clock,
            self._time,
            lambda: self.on_replaced(),
        )

        def look() -> None:
            self.on_look()
            if self._seat.holder is not None and (names := router.take_incomplete()):
                self.on_incomplete(names)

        membership.on_look = look
        self.events.on("left", lambda _told, _text: self._look_soon())
        server = LinkServer(
            {
                "perform": router.answer,
                "welcome": router.answer_welcome,
                "lobby": router.answer_lobby,
                "start": self._placed.answer_start,
                "abort": self._placed.answer_abort,
                "hint": self._placed.answer_hint,
                "rename": self._renaming.answer,
                QUESTION: self.shared_hall.answer,
            },
            self._secret,
            self._time,
        )
        host, port = split_address(self._settings.cluster.link)
        try:
            self._address = join_address(host, await server.open(host, port))
        except HostError as error:
            raise HostError(f"cluster.link: {error}") from error
        try:
            await self.events.open()
            yield router
        finally:
            await self.leave()
            await watch.close()
            await sync.close()
            await server.close()
            await self._links.close()

    async def join(self) -> None:
        """Become a member of the arena, once this process can answer. Raises HostError.

        Nothing that stops the event loop may follow: the lease begins here.
        """
        assert self._membership is not None
        await self._membership.open(self._address, os.getpid(), __version__)
        log.info("arena_joined", process=self.process_id, address=self._address)

    def _look_soon(self) -> None:
        if self._membership is not None:
            self._membership.look_soon()

    async def leave(self) -> None:
        """Give games and hall to the other processes now; a second call does nothing."""
        membership, self._membership = self._membership, None
        if self._router is not None:
            self._router.close()
        if membership is not None:
            await membership.leave()
            self.events.tell_all("left", process=self.process_id)


@asynccontextmanager
async def opened(
    settings: ArenaSettings,
    database: Database,
    process_id: str,
    announcer: Announcer,
    time: TimeSource,
) -> AsyncIterator[Cluster]:
    """The connections to other processes, closed at the end. Raises HostError.

    `announcer` must be a `Delivery`.
    """
    delivery = cast("Delivery", announcer)
    leases = Leases(database, process_id, settings.cluster.lease_s)
    secret = await leases.secret()
    bus = new_bus(settings, process_id, bus_key(secret))
    cluster = Cluster(settings, database, process_id, secret, delivery, bus, time)
    await bus.open()
    try:
        yield cluster
    finally:
        await bus.close()


def new_bus(settings: ArenaSettings, process_id: str, key: bytes) -> Bus:
    """The bus that `cluster.bus` names, not yet open.

    `process_id` appears in the server's lists of connections; `key` signs messages. Raises
    ConfigurationError if a URL cannot be understood, or if a package is not installed.
    """
    driver = driver_of(settings.database)
    if not settings.cluster.bus:
        from bot.arena.cluster.postgres_bus import PostgresTransport

        return ConnectedBus(PostgresTransport(driver, process_id), key)
    try:
        from bot.arena.cluster.valkey_bus import ValkeyTransport
    except ImportError as error:
        raise ConfigurationError(NOT_INSTALLED) from error
    arena = str(driver.parameters("").get("dbname") or "")
    return ConnectedBus(ValkeyTransport(settings.cluster.bus, arena, process_id), key)
