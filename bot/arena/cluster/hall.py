"""What only the hall does, for all processes: renaming, and answers to capabilities."""

from collections.abc import Callable, Mapping
from typing import Any, Final

import orjson

from bot import wire
from bot.arena.cluster.events import Events
from bot.arena.cluster.link import PeerGone
from bot.arena.cluster.peers import NOT_HERE, HallSeat, Peers
from bot.arena.hall import Answering
from bot.arena.lobby.renaming import Renaming, with_name_of
from bot.arena.players.presence import Presence
from bot.arena.refusals import unavailable
from bot.runtime.bounded import BoundedMemory
from bot.time_source import TimeSource

RENAMED_BYTES: Final = 16_000_000
"""About 10,000 players."""
RENAMED: Final = "renamed"
REGISTERED: Final = "registered"
WAIT_S: Final = 4.0
"""How long a request waits for the hall: less than clients wait for an answer."""
AGAIN_S: Final = 0.1
QUESTION: Final = "library"
"""What links call a question of a capability; version 1.0 has no other ones than of tournaments."""


class Hall:
    """Asks the process that has the hall, which may be this one.

    The hall moves when its process ends. A request then waits for the next process that takes it.
    """

    def __init__(self, peers: Peers, seat: HallSeat, time: TimeSource) -> None:
        self._peers = peers
        self._seat = seat
        self._time = time

    @property
    def is_here(self) -> bool:
        """Whether this process has the hall."""
        return self._seat.is_open

    @property
    def duty(self) -> tuple[str, int]:
        """The holder's id and the epoch, for what the hall writes."""
        return self._peers.process_id, self._seat.epoch

    async def ask(
        self,
        method: str,
        body: Callable[[], object],
        wait_s: float = WAIT_S,
        *,
        may_repeat: bool = True,
    ) -> bytes | None:
        """The answer of the hall in another process; None if this process has it.

        `body` is called for each attempt. A request that may have been carried out is sent again
        only if `may_repeat`. Raises Refused, with `unavailable` if no process has taken
        the hall within `wait_s` seconds.
        """
        deadline = self._time.monotonic() + wait_s
        while not self._seat.is_open:
            answer = await self._try(method, body, may_repeat=may_repeat)
            if answer != NOT_HERE:
                return answer
            if self._time.monotonic() >= deadline:
                raise unavailable()
            await self._time.sleep(AGAIN_S)
        return None

    async def _try(self, method: str, body: Callable[[], object], *, may_repeat: bool) -> bytes:
        holder = self._seat.holder
        if holder is None or holder == self._peers.process_id:  # it is being opened here
            return NOT_HERE
        try:
            return await self._peers.ask(holder, method, body())
        except PeerGone as gone:
            if gone.was_sent and not may_repeat:
                raise unavailable() from None
            return NOT_HERE


class SharedRenaming:
    """Renames players in the hall, and announces new names to all processes."""

    def __init__(self, renaming: Renaming, hall: Hall, presence: Presence, events: Events) -> None:
        self._renaming = renaming
        self._hall = hall
        self._presence = presence
        self._events = events
        self._known: BoundedMemory[str, wire.Player] = BoundedMemory(RENAMED_BYTES)
        renaming.on_renamed.append(self._renamed_here)
        events.on(RENAMED, self._renamed_elsewhere)
        events.on(REGISTERED, self._registered_elsewhere)

    def current(self, player: wire.Player) -> wire.Player:
        """See `Renaming`."""
        return with_name_of(self._known.get(str(player.id)), self._renaming.current(player))

    async def rename(self, player: wire.Player, wish: str, address: str) -> wire.Player:
        """See `Renaming`."""
        body = {"player": player.model_dump(mode="json"), "wish": wish, "address": address}
        answer = await self._hall.ask("rename", lambda: body)
        if answer is None:
            return await self._renaming.rename(player, wish, address)
        renamed = wire.Player.model_validate_json(answer)
        self.note(player.name, renamed)
        return self.current(renamed)

    def registered(self, player: wire.Player) -> None:
        """See `Renaming`."""
        self._presence.rename(player.name, player)
        self._events.tell_all(REGISTERED, player=player.model_dump(mode="json"))

    def _registered_elsewhere(self, told: dict[str, Any], _text: str) -> None:
        player = wire.Player.model_validate(told["player"])
        if self._presence.is_here(player.name):
            self._presence.rename(player.name, player)

    async def answer(self, body: bytes) -> bytes:
        """Rename a player for another process."""
        if not self._hall.is_here:
            return NOT_HERE
        asked: Mapping[str, Any] = orjson.loads(body)
        player = wire.Player.model_validate(asked["player"])
        renamed = await self._renaming.rename(player, asked["wish"], asked["address"])
        return renamed.model_dump_json().encode()

    def _renamed_here(self, former: str, player: wire.Player) -> None:
        self._events.tell_all(RENAMED, former=former, player=player.model_dump(mode="json"))

    def _renamed_elsewhere(self, told: dict[str, Any], _text: str) -> None:
        self.note(told["former"], wire.Player.model_validate(told["player"]))

    def note(self, former: str, player: wire.Player) -> None:
        """Give a player of this process their current name."""
        known = self._known.get(str(player.id))
        if former == player.name or (known is not None and known.name == player.name):
            return
        self._known.put(str(player.id), player)
        self._presence.rename(former, player)


class SharedHall:
    """See `bot.arena.hall.Hall`: questions of capabilities to the process that has the hall."""

    def __init__(self, hall: Hall) -> None:
        self._hall = hall
        self._answering: dict[str, Answering] = {}

    @property
    def duty(self) -> tuple[str, int]:
        """See `Hall`."""
        return self._hall.duty

    async def ask(self, question: str, about: Mapping[str, object]) -> bytes | None:
        """See `bot.arena.hall.Hall`."""
        asked = {"what": question, **about}
        answer = await self._hall.ask(QUESTION, lambda: asked)
        return None if answer is None else answer[1:]

    def answer_with(self, question: str, answering: Answering) -> None:
        """See `bot.arena.hall.Hall`."""
        assert question not in self._answering
        self._answering[question] = answering

    async def answer(self, body: bytes) -> bytes:
        """Answer another process."""
        if not self._hall.is_here:
            return NOT_HERE
        asked = orjson.loads(body)
        return b"+" + await self._answering[asked["what"]](asked)
