"""Pauses that the platform asks for with 429: kept over a restart, which is no excuse."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from http import HTTPStatus
from typing import Final, Literal, Protocol

from bot.errors import HostError
from bot.platforms.abstract_play.calls import (
    LONGEST_PAUSE_S,
    USUAL_PAUSE_S,
    Answer,
    Poster,
    Throttled,
)
from bot.time_source import TimeSource

FIRST_PAUSE_S: Final = 2.0
"""Where the platform does not say for how long; doubled up to the usual pause."""
MOST_DOUBLINGS: Final = 10

Kind = Literal["moves", "queries", "tokens"]
"""What is counted apart: who reads too much may still move."""


class Waits(Protocol):
    """What of a `Store` is used: on the disk when each returns. Raises HostError."""

    async def hold_back(self, what: str, until: datetime) -> None: ...

    async def not_before(self, what: str) -> datetime | None: ...


class PatientPoster:
    """A `Poster` that sends nothing of its kind before the platform wants it.

    Where the file cannot be written or read, a pause lasts as long as the program runs.
    """

    def __init__(self, kind: Kind, poster: Poster, waits: Waits, time_source: TimeSource) -> None:
        self._kind = kind
        self._poster = poster
        self._waits = waits
        self._time = time_source
        self._until: datetime | None = None
        self._is_known = False
        self._refused = 0
        """Times in a row."""

    async def post(self, url: str, body: bytes, headers: Mapping[str, str], limit: int) -> Answer:
        """Raises Throttled if nothing was sent, and NoAnswer."""
        await self._check()
        answer = await self._poster.post(url, body, headers, limit)
        if answer.status != HTTPStatus.TOO_MANY_REQUESTS:
            self._refused = 0
            return answer
        pause_s = self._pause_s(answer.retry_after_s)
        self._refused += 1
        await self._begin(pause_s)
        return replace(answer, retry_after_s=pause_s)

    def _pause_s(self, asked_s: float | None) -> float:
        """As asked; but who is refused after a pause of nothing, or of a moment, waits longer."""
        grown_s = min(FIRST_PAUSE_S * 2.0 ** min(self._refused, MOST_DOUBLINGS), USUAL_PAUSE_S)
        if asked_s is None:
            return grown_s
        return max(asked_s, grown_s) if self._refused else asked_s

    async def _check(self) -> None:
        if not self._is_known:
            with suppress(HostError):
                self._until = await self._waits.not_before(self._kind)
                self._is_known = True
        if self._until is None:
            return
        left_s = (self._until - self._time.wall()).total_seconds()
        if 0 < left_s <= LONGEST_PAUSE_S:  # more was never asked for: the time of day was set
            raise Throttled(f"the platform wants no {self._kind} for {left_s:.0f} s", left_s)

    async def _begin(self, pause_s: float) -> None:
        self._until, self._is_known = self._time.wall() + timedelta(seconds=pause_s), True
        with suppress(HostError):  # whoever could not write has said so
            await self._waits.hold_back(self._kind, self._until)
