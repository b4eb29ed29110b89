"""The program that renders drawings (`bot.drawing.raster`): started when needed, asked in turn."""

import asyncio
from asyncio.subprocess import PIPE
from contextlib import suppress
from typing import Final

import structlog

from bot.arena.refusals import UNAVAILABLE, Refused
from bot.drawing.raster import MOST_BYTES, Picture
from bot.errors import HostError
from bot.runtime.children import PYTHON_M, ChildProcess

PICTURE_S: Final = 60.0
"""For how long one picture may be made: an animation has a hundred frames."""
END_S: Final = 1.0
COMMAND: Final = (*PYTHON_M, "bot.drawing.raster")

log = structlog.get_logger()


class Renderer:
    """Makes pictures one at a time in a child process, which is replaced if it fails."""

    def __init__(self, command: tuple[str, ...] = COMMAND, picture_s: float = PICTURE_S) -> None:
        self._command = command
        self._picture_s = picture_s
        self._process: ChildProcess | None = None
        self._turn = asyncio.Lock()

    async def render(self, picture: Picture) -> bytes:
        """The PNG or GIF. Raises Refused if it cannot be made."""
        async with self._turn:
            return await self._rendered(picture)

    async def close(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            await process.end(END_S)

    async def _rendered(self, picture: Picture) -> bytes:
        is_done = False
        try:
            async with asyncio.timeout(self._picture_s):
                ok, answer = await self._asked(picture)
                is_done = True
        except (TimeoutError, OSError, EOFError, HostError) as error:
            log.warning("picture_failed", why=str(error) or type(error).__name__)
            raise Refused(UNAVAILABLE, "The picture cannot be made now.") from error
        finally:
            if not is_done:  # also if the request was cancelled: an answer is on its way
                await self.close()
        if not ok:
            log.warning("picture_failed", why=answer.decode(errors="replace"))
            raise Refused(UNAVAILABLE, "The picture cannot be made.")
        return answer

    async def _asked(self, picture: Picture) -> tuple[bool, bytes]:
        process = self._process
        if process is None or process.status is not None:
            process = self._process = await ChildProcess.start(
                self._command, stdin=PIPE, stdout=PIPE
            )
        process.input.write(picture.encoded())
        with suppress(ConnectionError):  # the end of the output says the same
            await process.input.drain()
        head = await process.output.readexactly(5)
        length = int.from_bytes(head[1:], "big")
        if length > MOST_BYTES:
            raise EOFError("a picture of too many bytes")
        return head[0] == 1, await process.output.readexactly(length)
