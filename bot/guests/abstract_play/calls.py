"""HTTP calls to the platform: one attempt each, with a deadline, limits, and pauses after a 429."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import Final, Literal, Protocol

import aiohttp

from bot.errors import HostError
from bot.platforms.base import NoAnswer, NotNow
from bot.runtime.http_client import NoResponse, fetch
from bot.time_source import TimeSource

CALL_S: Final = 20.0
"""Deadline of a call. The platform ends its work after 6 s, its gateway gives up after 30 s."""
LONGEST_PAUSE_S: Final = 3600.0
"""The longest pause, even if the platform requests more, because the clocks of the games run."""
USUAL_PAUSE_S: Final = 30.0
"""The pause if the platform does not say how long."""


class Throttled(NotNow):
    """The platform requests a pause of `pause_s` seconds, up to an hour."""

    def __init__(self, message: str, retry_after_s: float | None) -> None:
        self.pause_s = USUAL_PAUSE_S if retry_after_s is None else retry_after_s
        super().__init__("too_many", message, self.pause_s)


@dataclass(frozen=True, slots=True)
class HttpResponse:
    """`retry_after_s` is the pause that the response requests; None if it requests none."""

    status: int
    body: bytes
    retry_after_s: float | None


class Poster(Protocol):
    """Posts a body and waits for the response. Raises NoAnswer."""

    async def post(
        self, url: str, body: bytes, headers: Mapping[str, str], limit: int
    ) -> HttpResponse: ...


class HttpPoster:
    """A `Poster` over HTTP. The caller closes the session."""

    def __init__(
        self, session: aiohttp.ClientSession, time_source: TimeSource, deadline_s: float = CALL_S
    ) -> None:
        self._session = session
        self._time = time_source
        self._deadline_s = deadline_s

    async def post(
        self, url: str, body: bytes, headers: Mapping[str, str], limit: int
    ) -> HttpResponse:
        """Raises NoAnswer if no response came in time, or one longer than `limit` bytes."""
        try:
            response = await fetch(
                self._session,
                "POST",
                url,
                deadline_s=self._deadline_s,
                limit=limit,
                body=body,
                headers=headers,
            )
        except NoResponse as error:
            raise NoAnswer(error.message) from error
        pause_s = retry_after_s(response.headers.get("Retry-After", ""), self._time.wall())
        return HttpResponse(response.status, response.body, pause_s)


def retry_after_s(text: str, now: datetime) -> float | None:
    """Return the seconds of a header `Retry-After`, which may be a date; None if it is neither."""
    text = text.strip()
    if text.isascii() and text.isdigit():
        return min(float(text[:10]), LONGEST_PAUSE_S)
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, OverflowError):  # OverflowError: a number in the date is too large
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return min(max(0.0, (moment - now).total_seconds()), LONGEST_PAUSE_S)


FIRST_PAUSE_S: Final = 2.0
"""The first pause if the platform does not say how long; it doubles up to the usual pause."""
MOST_DOUBLINGS: Final = 10

Kind = Literal["moves", "queries", "tokens"]
"""Kinds of calls that are throttled separately: a pause for queries does not stop moves."""


class Waits(Protocol):
    """The part of a `Store` that is used here. Returns after the commit. Raises HostError."""

    async def hold_back(self, what: str, until: datetime) -> None: ...

    async def not_before(self, what: str) -> datetime | None: ...


class PatientPoster:
    """A `Poster` that keeps the pauses that the platform requests, for one kind of call.

    The store keeps a pause across restarts. While the store fails, the pause is kept in memory.
    """

    def __init__(self, kind: Kind, poster: Poster, waits: Waits, time_source: TimeSource) -> None:
        self._kind = kind
        self._poster = poster
        self._waits = waits
        self._time = time_source
        self._until: datetime | None = None
        self._is_known = False
        self._refused = 0
        """Consecutive refusals."""

    async def post(
        self, url: str, body: bytes, headers: Mapping[str, str], limit: int
    ) -> HttpResponse:
        """Raises Throttled if nothing was sent because of a pause, and NoAnswer."""
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
        """Return the requested pause; at least a growing one if the last pause was too short."""
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
        if 0 < left_s <= LONGEST_PAUSE_S:  # longer means that the time of day was changed
            raise Throttled(
                f"the platform requested a pause: no {self._kind} for {left_s:.0f} s", left_s
            )

    async def _begin(self, pause_s: float) -> None:
        self._until, self._is_known = self._time.wall() + timedelta(seconds=pause_s), True
        with suppress(HostError):  # the store logs its failures itself
            await self._waits.hold_back(self._kind, self._until)
