"""This process as a member of the arena: its lease, and the takeover of what others leave.

Problem. A process may die, be stopped, or be cut off from the database. Its games must continue
in another process within seconds, without cost of time to a player. A process that comes back
must not act as their owner.

Idea. One task renews the lease every `renew_s`, and does nothing else: a takeover of many games
may last longer than a lease. If another process has ended this one, `on_replaced` is called: the
program ends itself and is started again, under another id.

Another task looks at the database once a second, in this order:

1. It ends processes whose lease is over. After an outage of the database, in which no process could
   renew its lease, it waits for one lease first, so that all can.
2. It takes over the games that no living process owns, and the hall (`takeover`).
3. It compares presence, the directory and delivered events with the database (`Repairs`).

A process that leaves says so on the bus, so that the others look at once.
"""

import asyncio
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from typing import Final

import structlog

from bot.arena.arena_clock import ArenaClock
from bot.arena.cluster.directory import Directory
from bot.arena.cluster.leases import LeasedProcess, Leases
from bot.arena.cluster.peers import Peers
from bot.arena.cluster.presence_sync import PresenceSync
from bot.arena.cluster.takeover import GameTakeover, HallDuty
from bot.arena.cluster.watch import GameWatch
from bot.arena.games.game_service import Games
from bot.arena.games.running_games import RunningGames
from bot.arena.settings import ClusterSettings
from bot.errors import HostError
from bot.runtime.tasks import OwnedTasks, within
from bot.time_source import TimeSource

LOOK_S: Final = 1.0
"""The time between two looks at the database."""
SOONEST_S: Final = 0.2
"""The least time between two looks without news."""
BEHIND_S: Final = 0.05
"""The time between the end of a lease and the look at the database."""

log = structlog.get_logger()


class Repairs:
    """Finds in the database what the bus has lost: of presence, of owners, of events."""

    def __init__(
        self, presence: PresenceSync, directory: Directory, running: RunningGames, watch: GameWatch
    ) -> None:
        self._presence = presence
        self._directory = directory
        self._running = running
        self._watch = watch

    @property
    def known(self) -> frozenset[str]:
        """The ids of the games that the directory has."""
        return self._directory.ids

    async def look(
        self,
        members: Collection[LeasedProcess],
        owners: Mapping[str, tuple[str | None, int]],
        before: Collection[str],
    ) -> None:
        """Compare with the living processes and with the owners of running games.

        `before` is what was `known` before the owners were read.
        """
        await self._presence.compare(members)
        unknown = self._directory.compare(owners, before)
        for row in await self._running.find(unknown):
            self._directory.add(row)
        shown = self._watch.shown
        if shown:
            progress = await self._running.progress(shown)
            self._watch.compare({game_id: each.revision for game_id, each in progress.items()})


class Membership:
    """Renews the lease of this process, and looks for what other processes leave."""

    def __init__(
        self,
        leases: Leases,
        games: Games,
        takeover: GameTakeover,
        hall: HallDuty,
        repairs: Repairs,
        peers: Peers,
        settings: ClusterSettings,
        clock: ArenaClock,
        time: TimeSource,
        on_replaced: Callable[[], None],
    ) -> None:
        self._leases = leases
        self._games = games
        self._takeover = takeover
        self._hall = hall
        self._repairs = repairs
        self._peers = peers
        self._settings = settings
        self._clock = clock
        self._time = time
        self._on_replaced = on_replaced
        self._renewed_at = time.monotonic()
        self._patient_until = 0.0
        self._tasks = OwnedTasks("membership_failed")
        self._news = asyncio.Event()
        self._is_replaced = False
        self.on_look: Callable[[], None] = lambda: None
        self.members: list[LeasedProcess] = []

    async def open(self, address: str, pid: int, version: str) -> None:
        """Join the arena, take what has no owner, and start the regular looks."""
        await self._leases.join(address, pid, version, self._clock.monotonic())
        self._renewed_at = self._time.monotonic()
        self._tasks.start(self._keep_lease())
        await self._look()
        self._tasks.start(self._go_on())

    async def leave(self) -> None:
        """Give everything to the other processes, now."""
        await self._tasks.cancel()
        await self._hall.close()
        try:
            await self._leases.leave(self._clock.monotonic())
        except HostError as error:
            log.warning("lease_not_released", why=str(error))
        self._games.playing.drop_all()

    def look_soon(self) -> None:
        """Look at the database now, because another process has left."""
        self._news.set()

    async def _keep_lease(self) -> None:
        while not self._is_replaced:
            waits_s = self._renewed_at + self._settings.renew_s - self._time.monotonic()
            await self._time.sleep(max(waits_s, self._settings.renew_s / 4))
            try:
                self._is_replaced = not await self._renew()
            except HostError as error:
                log.warning("lease_not_renewed", why=str(error))
            except Exception:
                log.exception("lease_not_renewed")
        log.error("process_replaced", process=self._peers.process_id)
        self._games.playing.drop_all()
        await self._hall.close()
        while True:  # it may be before anybody listens
            self._on_replaced()
            await self._time.sleep(LOOK_S)

    async def _go_on(self) -> None:
        while not self._is_replaced:
            await self._pause()
            try:
                await self._look()
            except HostError as error:
                log.warning("membership_not_read", why=str(error))
            except Exception:
                log.exception("membership_failed")

    async def _pause(self) -> None:
        with suppress(TimeoutError):
            await within(self._time, self._next_look_s(), self._news.wait())
        self._news.clear()

    def _next_look_s(self) -> float:
        """Return the time until the next look: sooner if a lease will be over before."""
        usual_s = min(LOOK_S, self._settings.renew_s / 2)
        ends = [each.lease_left_s + BEHIND_S for each in self.members if each.lease_left_s > 0]
        return min([usual_s, *(left_s for left_s in ends if left_s > SOONEST_S)])

    async def _renew(self) -> bool:
        """Renew the lease. Returns False if this process was replaced."""
        asked_at = self._time.monotonic()
        if not await self._leases.renew(self._clock.monotonic()):
            return False
        now = self._time.monotonic()
        if now - self._renewed_at > self._settings.lease_s / 2:
            # The others may have been unable to renew as well.
            self._patient_until = now + self._settings.lease_s
        self._renewed_at = asked_at
        return True

    # ---- what the database says --------------------------------------------------------------

    async def _look(self) -> None:
        self.members = await self._leases.members()
        expired = [each for each in self.members if each.lease_left_s < 0]
        if expired and self._may_judge():
            for process in await self._leases.end_expired():
                log.warning("process_ended", process=process)
            self.members = await self._leases.members()
        self._peers.update(self.members)
        before = self._repairs.known
        owners = await self._leases.owners()
        living = {each.id for each in self.members}
        await asyncio.gather(self._takeover.look(owners, living), self._hall.look())
        await self._repairs.look(self.members, owners, before)
        self.on_look()

    def _may_judge(self) -> bool:
        """Return whether an expired lease shows that its process is dead.

        During an outage of the database, and for one lease after it, all leases may be over.
        """
        now = self._time.monotonic()
        is_recent = now - self._renewed_at <= self._settings.lease_s / 2
        return is_recent and now >= self._patient_until
