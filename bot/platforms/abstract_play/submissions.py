"""Turns to the platform, none of them twice: on any doubt the game is read before more is sent.

No number of the move goes with a move, and nothing is locked there: a turn that is sent twice can
be played twice. Source: the protocol page of Abstract Play, "What bites", 5.
"""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Final, Protocol

import structlog

from bot.errors import PeerError
from bot.platforms.abstract_play.answers import Conclusion, Verdict
from bot.platforms.abstract_play.store import Sent
from bot.platforms.base import GameFacts, NoAnswer, NotNow, TurnRefused
from bot.time_source import TimeSource

SETTLED_AFTER_S: Final = 10.0
"""The platform kills its own work after 6 s: what has not happened by then does not happen."""
APART_S: Final = 3.0
"""Two reads so far apart do not both see what is from before."""
AGAIN_S: Final = (0.0, 20.0, 60.0)
"""So long a turn that was surely not played is kept before it is sent once more, besides the time
that it takes to be sure. After the last one it counts as illegal: the platform has the same words
for a turn that it could not store, and that may happen twice in a row.
"""

USUAL_PAUSE_S: Final = 30.0
SETTLED: Final = frozenset({Verdict.PLAYED, Verdict.NEW_TOKEN, Verdict.NOT_SENT})
"""Of these it is known what has become of the turn: in the last two nobody has looked at it."""

log = structlog.get_logger()

Read = Callable[[str], Awaitable[GameFacts]]
"""The game as it stands, which the daemon has been told. Raises PeerError."""


class SentTurns(Protocol):
    """What of a `Store` is used: on the disk when each returns. Raises HostError."""

    async def sending(self, game_id: str, sent: Sent) -> None: ...

    async def sent(self, game_id: str) -> Sent | None: ...

    async def settled(self, game_id: str) -> None: ...


class Outdated(PeerError):
    """The game has gone on: the turn is of no use, or is played already."""

    def __init__(self) -> None:
        super().__init__("outdated", "the game has gone on")


class Submissions:
    """One turn of a game at a time."""

    def __init__(
        self,
        send: Callable[[str, str], Awaitable[Conclusion]],
        read: Read,
        seen: Callable[[str], int],
        written: SentTurns,
        time: TimeSource,
    ) -> None:
        """`send` takes the game's id and the turn; `seen` says how many plies a game has had."""
        self._send = send
        self._read = read
        self._seen = seen
        self._written = written
        self._time = time
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def submit(self, game_id: str, ply: int, turn: str) -> Conclusion:
        """Play a turn for that ply; returns once the platform has said that it is played.

        Raises Outdated if the game has gone on, TurnRefused if the platform does not take it,
        NotNow if it wants to be asked later, and NoAnswer while it is not known what happened: then
        the same may be asked again.
        """
        async with self._locks[game_id]:
            try:
                return await self._submit(game_id, ply, turn)
            except Outdated:
                await self._written.settled(game_id)
                raise

    async def _submit(self, game_id: str, ply: int, turn: str) -> Conclusion:
        if self._seen(game_id) > ply:
            raise Outdated
        await self._clear_up(game_id, ply)
        waits = iter(AGAIN_S)
        while True:
            await self._written.sending(game_id, Sent(ply, turn, self._time.wall()))
            conclusion = await self._send(game_id, turn)
            if conclusion.verdict in SETTLED:
                await self._written.settled(game_id)
            if conclusion.verdict is Verdict.PLAYED:
                return conclusion
            if conclusion.verdict is Verdict.NOT_SENT:
                raise _later(conclusion)
            await self._doubted(game_id, ply, turn, conclusion)
            await self._clear_up(game_id, ply)
            if (wait_s := next(waits, None)) is None:
                raise TurnRefused("illegal", conclusion.message, can_retry=True)
            await self._time.sleep(wait_s)

    async def _doubted(self, game_id: str, ply: int, turn: str, told: Conclusion) -> None:
        """Returns if the platform says that the turn was not played, which it may be wrong about.

        Else raises NotNow or NoAnswer.
        """
        why, verdict = told.message, told.verdict
        about = {"game": game_id, "ply": ply, "turn": turn}
        log.warning("turn_in_doubt", verdict=verdict.value, why=why, **about)
        if verdict not in SETTLED:  # an answer takes its time: from here on it may still be played
            await self._written.sending(game_id, Sent(ply, turn, self._time.wall()))
        if verdict in (Verdict.NEW_TOKEN, Verdict.LATER):
            raise _later(told)
        if verdict is not Verdict.NOT_PLAYED:
            raise NoAnswer(why)

    async def _clear_up(self, game_id: str, ply: int) -> None:
        """Find out whether a turn was played that was sent for this ply. Raises Outdated.

        Returns if it was not, and will not be any more.
        """
        sent = await self._written.sent(game_id)
        if sent is None or sent.ply != ply:
            return
        await self._check_still_due(game_id, ply)
        settled_at = sent.at + timedelta(seconds=SETTLED_AFTER_S)
        wait_s = (settled_at - self._time.wall()).total_seconds()
        await self._time.sleep(min(max(wait_s, APART_S), SETTLED_AFTER_S))
        await self._check_still_due(game_id, ply)
        await self._written.settled(game_id)

    async def _check_still_due(self, game_id: str, ply: int) -> None:
        facts = await self._read(game_id)
        if facts.outcome is None and facts.ply < ply:
            raise NoAnswer(f"what was read is older: {facts.ply} plies")
        if facts.ply != ply or not facts.our_turn:
            raise Outdated


def _later(told: Conclusion) -> NotNow:
    wait_s = USUAL_PAUSE_S if told.retry_after_s is None else told.retry_after_s
    return NotNow(told.verdict.value, told.message, wait_s)
