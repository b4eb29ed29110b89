"""One HTTP call to the platform: sent once, with a deadline, and with a limit to its answer."""

import asyncio
import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final, Protocol

import aiohttp

from bot.platforms.base import NoAnswer, NotNow
from bot.time_source import TimeSource

CALL_S: Final = 20.0
"""The platform kills its own work after 6 s, and its gateway gives up after 30 s."""
LONGEST_PAUSE_S: Final = 3600.0
"""Whatever an answer asks for: clocks run meanwhile, and a question an hour burdens nobody."""
USUAL_PAUSE_S: Final = 30.0
"""Where it does not say for how long."""
CHUNK_BYTES: Final = 65_536


class Throttled(NotNow):
    """The platform asks for a pause; `pause_s` is all of it, which may be an hour."""

    def __init__(self, message: str, retry_after_s: float | None) -> None:
        self.pause_s = USUAL_PAUSE_S if retry_after_s is None else retry_after_s
        super().__init__("too_many", message, self.pause_s)


@dataclass(frozen=True, slots=True)
class Answer:
    """`retry_after_s` is how long the answer asks to be left alone; None if it does not say."""

    status: int
    body: bytes
    retry_after_s: float | None


class Poster(Protocol):
    """Sends a body and waits for the answer. Raises NoAnswer."""

    async def post(
        self, url: str, body: bytes, headers: Mapping[str, str], limit: int
    ) -> Answer: ...


class Caller:
    """A `Poster` over HTTP. The session belongs to whoever made it; see `open_session`."""

    def __init__(
        self, session: aiohttp.ClientSession, time_source: TimeSource, deadline_s: float = CALL_S
    ) -> None:
        self._session = session
        self._time = time_source
        self._deadline_s = deadline_s

    async def post(self, url: str, body: bytes, headers: Mapping[str, str], limit: int) -> Answer:
        """Raises NoAnswer if none came in time, or one longer than `limit` bytes.

        Redirects are answers: a token or a move goes to no other address.
        """
        try:
            async with (
                asyncio.timeout(self._deadline_s),
                self._session.post(
                    url, data=body, headers=headers, allow_redirects=False
                ) as response,
            ):
                content = await _content(response, limit)
        except TimeoutError as error:
            raise NoAnswer(f"no answer within {self._deadline_s:g} s") from error
        except aiohttp.ClientConnectorError as error:
            number = error.os_error.errno
            why = os.strerror(number) if number is not None and number > 0 else str(error.os_error)
            raise NoAnswer(f"cannot connect to {error.host}:{error.port}: {why}"[:300]) from error
        except (aiohttp.ClientError, OSError) as error:
            raise NoAnswer(f"no answer: {type(error).__name__}: {error}"[:300]) from error
        retry_after = response.headers.get("Retry-After", "")
        return Answer(response.status, content, retry_after_s(retry_after, self._time.wall()))


def open_session() -> aiohttp.ClientSession:
    """A session for a `Caller`. It unpacks nothing, so that a limit is one of memory too."""
    return aiohttp.ClientSession(
        headers={"Accept-Encoding": "identity"},
        timeout=aiohttp.ClientTimeout(total=None),  # each call has a deadline of its own
        cookie_jar=aiohttp.DummyCookieJar(),
        auto_decompress=False,
    )


def retry_after_s(text: str, now: datetime) -> float | None:
    """The header `Retry-After`, in seconds or as a date; None if it is neither."""
    text = text.strip()
    if text.isascii() and text.isdigit():
        return min(float(text[:10]), LONGEST_PAUSE_S)
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, OverflowError):  # of which some numbers are too large
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return min(max(0.0, (moment - now).total_seconds()), LONGEST_PAUSE_S)


async def _content(response: aiohttp.ClientResponse, limit: int) -> bytes:
    content = bytearray()
    async for chunk in response.content.iter_chunked(CHUNK_BYTES):
        content += chunk
        if len(content) > limit:
            raise NoAnswer(f"the answer is longer than {limit} bytes")
    return bytes(content)
