"""Challenges on the platform: they have no id there, are answered at once, and promise nothing."""

import asyncio
from dataclasses import dataclass, field
from itertools import count
from typing import Final

from bot.platforms.base import (
    Challenge,
    ChallengeGone,
    ChallengeOffered,
    EventSink,
    GameFacts,
    Participant,
    Setup,
)
from bot.time_source import TimeSource

ANSWER_S: Final = 5.0
"""The platform waits for 30 s; who does not know by now has to decline."""
PROMISED_S: Final = 600.0
"""So long an accepted challenge may take to become a game; it may also have been withdrawn."""


@dataclass
class _Asked:
    challenger: str
    answer: asyncio.Future[bool] = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )
    accepted_at: float | None = None


class Challenges:
    """Those that wait for an answer, and those that may become games."""

    def __init__(self, time: TimeSource) -> None:
        self._time = time
        self._numbers = count(1)
        self._asked: dict[str, _Asked] = {}

    @property
    def open(self) -> frozenset[str]:
        """Of which a game may yet come."""
        return frozenset(self._asked)

    async def ask(self, challenger: str, setup: Setup, sink: EventSink) -> bool:
        """Let the daemon decide; false if it does not in time."""
        known_as = f"challenge-{next(self._numbers)}"
        asked = self._asked[known_as] = _Asked(challenger)
        opponent = Participant(challenger, account=challenger)
        accepted = False
        try:
            await sink(ChallengeOffered(Challenge(known_as, setup, opponent)))
            accepted = await self._answered(asked)
        finally:
            if not accepted:
                self._asked.pop(known_as, None)
                await sink(ChallengeGone(known_as, "declined"))
        return accepted

    async def _answered(self, asked: _Asked) -> bool:
        alarm = asyncio.create_task(self._too_late(asked))
        try:
            return await asked.answer
        finally:
            alarm.cancel()

    async def _too_late(self, asked: _Asked) -> None:
        await self._time.sleep(ANSWER_S)
        if not asked.answer.done():
            asked.answer.set_result(False)

    def answer(self, challenge_id: str, *, accept: bool) -> bool:
        """Whether that was in time."""
        asked = self._asked.get(challenge_id)
        if asked is None or asked.answer.done():
            return False
        if accept:
            asked.accepted_at = self._time.monotonic()
        asked.answer.set_result(accept)
        return True

    def began(self, facts: GameFacts) -> ChallengeGone | None:
        """The challenge that a new game may have come of: the oldest of that opponent."""
        for known_as, asked in self._asked.items():
            if asked.challenger == facts.opponent.account and asked.accepted_at is not None:
                del self._asked[known_as]
                return ChallengeGone(known_as, "started", facts.game_id)
        return None

    def expired(self) -> list[ChallengeGone]:
        """Those that were accepted long ago, and of which nothing came."""
        long_ago = self._time.monotonic() - PROMISED_S
        gone = [
            known_as
            for known_as, asked in self._asked.items()
            if asked.accepted_at is not None and asked.accepted_at <= long_ago
        ]
        for known_as in gone:
            del self._asked[known_as]
        return [ChallengeGone(known_as, "expired", code="unseen") for known_as in gone]
