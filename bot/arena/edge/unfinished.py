"""The requests of one connection that are not finished yet: few at once, dropped at its end."""

import asyncio
from collections.abc import Coroutine
from typing import Any

import structlog

log = structlog.get_logger()


class Unfinished:
    """Runs the requests of a connection, at most `most` at once.

    While there are as many, the connection is not read (`room`), so that TCP slows down this client
    alone. At the end of the connection, `drop` cancels those whose only effect is their answer.
    """

    __slots__ = ("_ended", "_running", "most")

    def __init__(self, most: int = 1) -> None:
        self.most = most
        self._running: dict[asyncio.Task[None], bool] = {}
        """Each task, and whether it is a question."""
        self._ended: asyncio.Event | None = None

    def __len__(self) -> int:
        return len(self._running)

    async def room(self) -> None:
        """Return when another request may start."""
        while len(self._running) >= self.most:
            self._ended = asyncio.Event()
            await self._ended.wait()

    def start(self, request: Coroutine[Any, Any, None], *, is_question: bool) -> None:
        """Run a request; a question is dropped at the end of the connection."""
        task = asyncio.create_task(request)
        self._running[task] = is_question
        task.add_done_callback(self._end)

    def drop(self) -> None:
        """Cancel all questions: nobody is there to read the answers."""
        for task, is_question in self._running.items():
            if is_question:
                task.cancel()

    def _end(self, task: asyncio.Task[None]) -> None:
        del self._running[task]
        if self._ended is not None:
            self._ended.set()
            self._ended = None
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("message_failed", exc_info=error)
