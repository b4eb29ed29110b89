"""Presence across processes: who is connected to which one.

The rows of the database are the truth. Each change has a revision of its process and is published
on the bus. A process that misses one reads the whole list.
"""

from collections.abc import Callable, Iterable
from typing import Any, Final

import structlog

from bot import wire
from bot.arena.cluster.events import Events
from bot.arena.cluster.leases import LeasedProcess
from bot.arena.cluster.presence_store import PresenceStore
from bot.arena.games.game_service import Games
from bot.arena.players.presence import Presence
from bot.errors import HostError
from bot.runtime.tasks import OwnedTasks

log = structlog.get_logger()

KIND: Final = "presence"
RENAMED_LOOKS: Final = 10
"""After how many looks at the database the names of this process's players are compared."""


class PresenceSync:
    """Writes who is connected here, and reads who is connected elsewhere."""

    def __init__(
        self,
        presence: Presence,
        store: PresenceStore,
        games: Games,
        events: Events,
        process_id: str,
        on_renamed: Callable[[str, wire.Player], None],
        on_missed: Callable[[str], None],
    ) -> None:
        """`on_missed` is called for a player who came or went without a message of the bus."""
        self._presence = presence
        self._store = store
        self._games = games
        self._events = events
        self._process_id = process_id
        self._on_renamed = on_renamed
        self._on_missed = on_missed
        self._looks = 0
        self._revisions: dict[str, int] = {}
        self._reading: set[str] = set()
        self._tasks = OwnedTasks("presence_not_shared", expected=HostError)
        # Tasks start in this order, and the writer of the database keeps it.
        presence.on_came_here.append(lambda player: self._tasks.start(self._came(player)))
        presence.on_left_here.append(lambda name: self._tasks.start(self._left(name)))
        presence.on_renamed.append(self._renamed)
        events.on(KIND, self._received)

    async def close(self) -> None:
        await self._tasks.cancel()

    # ---- players of this process -----------------------------------------------------------

    async def _came(self, player: wire.Player) -> None:
        self._tell(await self._store.came(player), came=player)

    async def _left(self, name: str) -> None:
        self._tell(await self._store.left(name), left=name)

    def _renamed(self, former: str, player: wire.Player) -> None:
        if self._presence.count_of(player.name):
            self._tasks.start(self._store_renamed(former, player))

    async def _store_renamed(self, former: str, player: wire.Player) -> None:
        revision = await self._store.renamed(former, player)
        left = None if former == player.name else former  # other facts than the name have changed
        self._tell(revision, came=player, left=left)

    def _tell(
        self, revision: int, came: wire.Player | None = None, left: str | None = None
    ) -> None:
        shown = None if came is None else came.model_dump(mode="json")
        facts = {"process": self._process_id, "revision": revision, "came": shown, "left": left}
        self._events.tell_all(KIND, **facts)

    # ---- players of other processes --------------------------------------------------------

    def _received(self, told: dict[str, Any], _text: str) -> None:
        process, revision = told["process"], told["revision"]
        if revision != self._revisions.get(process, -1) + 1:
            self._read_soon(process)
            return
        self._revisions[process] = revision
        if told["left"] is not None:
            self._leave(process, told["left"])
        if told["came"] is not None:
            self._come(process, wire.Player.model_validate(told["came"]))

    async def compare(self, members: Iterable[LeasedProcess]) -> None:
        """Read the players of each process whose revision is not known; forget ended processes."""
        living = {each.id: each.presence_revision for each in members}
        for process in [each for each in self._revisions if each not in living]:
            self.forget(process)
        for process, revision in living.items():
            if process != self._process_id and revision > self._revisions.get(process, -1):
                await self._read(process)
        self._looks += 1
        if self._looks % RENAMED_LOOKS == 0:
            await self._compare_names()

    async def _compare_names(self) -> None:
        """Rename players of this process whose renaming it has missed."""
        for former, player in await self._store.renamed_since():
            if self._presence.count_of(former):
                log.info("renaming_missed", player=former, to=player.name)
                self._on_renamed(former, player)

    def forget(self, process: str) -> None:
        """Remove the players of a process that has ended."""
        self._revisions.pop(process, None)
        for name in self._presence.names_at(process):
            self._leave(process, name)

    def _read_soon(self, process: str) -> None:
        if process not in self._reading:
            self._reading.add(process)
            self._tasks.start(self._read(process))

    async def _read(self, process: str) -> None:
        try:
            revision, players = await self._store.of(process)
        finally:
            self._reading.discard(process)
        if revision < self._revisions.get(process, 0):
            return
        self._revisions[process] = revision
        names, before = {player.name for player in players}, self._presence.names_at(process)
        for player in players:
            self._come(process, player)
        for name in before - names:
            self._leave(process, name)
        for name in before ^ names:
            self._on_missed(name)

    def _come(self, process: str, player: wire.Player) -> None:
        if self._presence.came_elsewhere(process, player):
            self._tasks.start(self._games.player_came_or_left(player.name))

    def _leave(self, process: str, name: str) -> None:
        if self._presence.left_elsewhere(process, name):
            self._tasks.start(self._games.player_came_or_left(name))
