"""Lines of the stream, and what is no stream."""

import asyncio

import aiohttp
import pytest

from bot.guests.hexo_arena.messages import MAX_LINE
from bot.guests.hexo_arena.stream import Lines, StreamEnded
from bot.platforms.connections import ConnectionLost
from tests.fakes.time import FakeTime


class Feed:
    """A response's content that a test feeds."""

    def __init__(self) -> None:
        self._chunks: asyncio.Queue[bytes | Exception] = asyncio.Queue()
        self.time = FakeTime()
        self.lines = Lines(self, self.time)

    def feed(self, chunk: bytes | Exception) -> None:
        self._chunks.put_nowait(chunk)

    async def read(self, n: int = -1, /) -> bytes:
        chunk = await self._chunks.get()
        if isinstance(chunk, Exception):
            raise chunk
        assert n > 0
        return chunk


async def test_lines_come_whole_however_they_are_cut() -> None:
    content = Feed()
    content.feed(b'{"a":1}\n\n{"b"')
    assert await content.lines.next(1) == b'{"a":1}'
    assert await content.lines.next(1) == b""
    waiting = asyncio.create_task(content.lines.next(1))
    await content.time.settle()
    content.feed(b":2}\n")
    assert await waiting == b'{"b":2}'


async def test_silence_is_no_line() -> None:
    content = Feed()
    content.feed(b"begun")
    waiting = asyncio.create_task(content.lines.next(5))
    await content.time.advance(6)
    assert await waiting is None
    content.feed(b" and ended\n")
    assert await content.lines.next(1) == b"begun and ended"


async def test_the_end_of_the_stream_is_told_apart_from_its_loss() -> None:
    content = Feed()
    content.feed(b"")
    with pytest.raises(StreamEnded):
        await content.lines.next(1)
    broken = Feed()
    broken.feed(aiohttp.ClientPayloadError("cut"))
    with pytest.raises(ConnectionLost) as lost:
        await broken.lines.next(1)
    assert not isinstance(lost.value, StreamEnded)


async def test_a_line_is_bounded_with_and_without_its_end() -> None:
    for content_of_line in (b"x" * (MAX_LINE + 1), b"x" * (MAX_LINE + 1) + b"\n"):
        content = Feed()
        content.feed(content_of_line)
        with pytest.raises(ConnectionLost, match="longer than"):
            await content.lines.next(1)
    longest = Feed()
    longest.feed(b"x" * MAX_LINE + b"\n")
    assert await longest.lines.next(1) == b"x" * MAX_LINE
