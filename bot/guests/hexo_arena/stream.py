"""The stream of events: one JSON object a line, over one long HTTP response.

The server writes an empty line every ten seconds, so a stream that is silent for longer is broken.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from http import HTTPStatus
from typing import Final, Protocol

import aiohttp

from bot.guests.hexo_arena.api import Api, raise_refusal
from bot.guests.hexo_arena.messages import MAX_LINE
from bot.platforms.connections import ConnectionLost
from bot.runtime.http_client import CHUNK_BYTES, reason_of
from bot.runtime.tasks import within
from bot.time_source import TimeSource

LARGEST_REFUSAL: Final = 64 * 1024


class Unreached(ConnectionLost):
    """There is no connection to the server."""


class StreamEnded(ConnectionLost):
    """The server has ended the stream as a stream ends."""


class Content(Protocol):
    """The part of a response's content that is used here."""

    async def read(self, n: int = ..., /) -> bytes:
        """Return what has arrived, at most `n` bytes; nothing at the end."""


class Lines:
    """The lines of an open stream."""

    def __init__(self, content: Content, time: TimeSource) -> None:
        self._content = content
        self._time = time
        self._buffer = bytearray()
        self._searched = 0

    async def next(self, seconds: float) -> bytes | None:
        """Return the next line without its end; None if none comes in that time.

        Raises ConnectionLost, also for a line that is too long.
        """
        deadline = self._time.monotonic() + seconds
        while (line := self._line()) is None:
            left_s = deadline - self._time.monotonic()
            if left_s <= 0:
                return None
            try:
                chunk = await within(self._time, left_s, self._read())
            except TimeoutError:
                return None
            except (aiohttp.ClientError, OSError, RuntimeError) as error:
                # The library raises RuntimeError for a connection that was lost meanwhile.
                raise ConnectionLost(reason_of(error)) from error
            if not chunk:
                raise StreamEnded("the server has ended the stream")
            self._buffer += chunk
        return line

    async def _read(self) -> bytes:
        return await self._content.read(CHUNK_BYTES)

    def _line(self) -> bytes | None:
        end = self._buffer.find(b"\n", self._searched)
        if end > MAX_LINE or (end < 0 and len(self._buffer) > MAX_LINE):
            raise ConnectionLost(f"a line of the stream is longer than {MAX_LINE} bytes")
        if end < 0:
            self._searched = len(self._buffer)
            return None
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 1]
        self._searched = 0
        return line


@asynccontextmanager
async def open_stream(api: Api, *, takes_games: bool, time: TimeSource) -> AsyncIterator[Lines]:
    """Open the stream until the end of the block. This ends an earlier stream of the bot.

    `takes_games` says that other players may start games with the bot. Raises ConnectionLost, and
    the errors of `raise_refusal`.
    """
    path = "/api/bot/stream?open=1" if takes_games else "/api/bot/stream"
    try:
        async with asyncio.timeout(api.options.answer_s):
            response = await api.session.get(
                api.address(path), headers=api.own_headers, allow_redirects=False
            )
    except TimeoutError as error:
        raise ConnectionLost(f"no answer within {api.options.answer_s:g} s") from error
    except aiohttp.ClientConnectorError as error:
        raise Unreached(reason_of(error)) from error
    except (aiohttp.ClientError, OSError) as error:
        raise ConnectionLost(reason_of(error)) from error
    try:
        if response.status != HTTPStatus.OK:
            await _refuse(response, api.options.answer_s, time)
        yield Lines(response.content, time)
    finally:
        response.close()


async def _refuse(response: aiohttp.ClientResponse, seconds: float, time: TimeSource) -> None:
    """Raise what the refusal means."""
    try:
        body = await within(time, seconds, response.content.read(LARGEST_REFUSAL))
    except (TimeoutError, aiohttp.ClientError, OSError):
        body = b""
    raise_refusal("/api/bot/stream", response.status, response.headers, body)
