"""Turns to Abstract Play, each played once. In doubt the game is read before more is sent."""

# Problem. A move request has no ply and no key that would identify a repetition, and the platform
# locks nothing: a turn that is sent twice can be played twice, once for us and once, if it is legal
# then, two plies later. The answer seldom shows what happened: the HTTP status is that of a
# gateway, an error may be sent after the move was stored, and a read may be older than one before
# it. The platform has the same words for an illegal turn and for a turn that it could not store.
# Source: the protocol page of Abstract Play, "What bites", 5.
#
# Idea. Store that a turn is on its way, and determine its result before sending again:
#
# - `sending` commits the turn to the store before the request leaves. A restarted bot therefore
#   knows that the turn may have been played.
# - Only an answer that says `played`, or a request that never left this machine or carried no valid
#   token, settles the turn at once.
# - Otherwise the game is read twice, at least `APART_S` apart, the second time not before
#   `SETTLED_AFTER_S` have passed since the request: the platform ends its own work after 6 s. The
#   turn was not played, and may be sent again, only if both reads still show the ply as ours.
# - `NoAnswer` goes to the session, which submits the same turn again later. The store makes sure
#   that this starts with the reads.
# - If the platform says that it has not played a turn, the turn is sent again after each wait of
#   `AGAIN_S`. After the last one it counts as illegal.
# - One lock per game: a read could not distinguish two requests at the same time.
#
# Rejected:
#
# - Sending again after a timeout, as on the arena: here that can play the turn twice.
# - Trusting one read: it may be from before the move.
# - Taking the first refusal as illegal: after a failure of storage the bot would choose another,
#   worse turn.
# - Waiting without sending again: the clock runs, and nothing on the platform would change.

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Final, Protocol
from weakref import WeakValueDictionary

import structlog

from bot.errors import PeerError
from bot.guests.abstract_play.answers import Conclusion, Verdict
from bot.guests.abstract_play.store import Sent
from bot.platforms.base import GameFacts, NoAnswer, NotNow, TurnRefused
from bot.time_source import TimeSource

SETTLED_AFTER_S: Final = 10.0
"""The platform ends its own work after 6 s: what it has not played by then, it never plays."""
APART_S: Final = 3.0
"""Two reads this far apart do not both show an outdated state."""
AGAIN_S: Final = (0.0, 20.0, 60.0)
"""Waits before a turn that was not played is sent again, after the reads that make sure of it."""

USUAL_PAUSE_S: Final = 30.0
"""Seconds to pause if the platform requests a pause without a duration."""
SETTLED: Final = frozenset({Verdict.PLAYED, Verdict.NEW_TOKEN, Verdict.NOT_SENT})
"""These settle a turn: the platform has played it, or has never looked at it."""

log = structlog.get_logger()

Read = Callable[[str], Awaitable[GameFacts]]
"""Read a game and pass it to the daemon before returning. Raises PeerError."""


class SentTurns(Protocol):
    """The part of a `Store` that is used here. Each call returns after the commit to disk.

    Raises HostError.
    """

    async def sending(self, game_id: str, sent: Sent) -> None: ...

    async def sent(self, game_id: str) -> Sent | None: ...

    async def settled(self, game_id: str) -> None: ...


class Outdated(PeerError):
    """The game has moved on: the turn is obsolete, or is already played."""

    def __init__(self) -> None:
        super().__init__("outdated", "the game has moved on")


class Submissions:
    """Sends turns, one at a time per game."""

    def __init__(
        self,
        send: Callable[[str, str], Awaitable[Conclusion]],
        read: Read,
        seen: Callable[[str], int],
        written: SentTurns,
        time: TimeSource,
    ) -> None:
        """`send` takes a game's id and a turn; `seen` returns the plies of a game so far."""
        self._send = send
        self._read = read
        self._seen = seen
        self._written = written
        self._time = time
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def submit(self, game_id: str, ply: int, turn: str) -> Conclusion:
        """Play a turn for that ply, and return once the platform has confirmed that it is played.

        Raises Outdated if the game has moved on, TurnRefused if the platform does not accept the
        turn, NotNow if it requests a pause, and NoAnswer while the result is unknown. After NotNow
        and NoAnswer the caller may submit the same turn again.
        """
        lock = self._locks.setdefault(game_id, asyncio.Lock())  # kept only while it is used
        async with lock:
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

    async def _doubted(self, game_id: str, ply: int, turn: str, answer: Conclusion) -> None:
        """Returns if the platform says that the turn was not played, which may be wrong.

        Raises NotNow or NoAnswer otherwise.
        """
        why, verdict = answer.message, answer.verdict
        about = {"game": game_id, "ply": ply, "turn": turn}
        log.warning("turn_in_doubt", verdict=verdict.value, why=why, **about)
        if verdict not in SETTLED:  # the wait of `_clear_up` starts with the answer
            await self._written.sending(game_id, Sent(ply, turn, self._time.wall()))
        if verdict in (Verdict.NEW_TOKEN, Verdict.LATER):
            raise _later(answer)
        if verdict is not Verdict.NOT_PLAYED:
            raise NoAnswer(why)

    async def _clear_up(self, game_id: str, ply: int) -> None:
        """Determine whether a turn that was sent for this ply was played.

        Returns if it was not, and will not be. Raises Outdated if the game has moved on.
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
            raise NoAnswer(f"the read shows an older state, after {facts.ply} plies")
        if facts.ply != ply or not facts.our_turn:
            raise Outdated


def _later(answer: Conclusion) -> NotNow:
    wait_s = USUAL_PAUSE_S if answer.retry_after_s is None else answer.retry_after_s
    return NotNow(answer.verdict.value, answer.message, wait_s)
