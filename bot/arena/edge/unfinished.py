"""The requests of one connection that are not finished yet: few at once, dropped at its end."""

import asyncio
from collections.abc import Coroutine
from typing import Any

from bot.runtime.tasks import OwnedTasks


class Unfinished:
    """Runs the requests of a connection, at most `most` at once.

    While there are as many, the connection is not read (`room`), so that TCP slows down this client
    alone. At the end of the connection, `drop` cancels those whose only effect is their answer.
    """

    def __init__(self, most: int = 1) -> None:
        self.most = most
        self._tasks = OwnedTasks("message_failed")
        self._running: set[asyncio.Task[None]] = set()
        self._questions: set[asyncio.Task[None]] = set()
        self._ended = asyncio.Event()

    def __len__(self) -> int:
        return len(self._running)

    async def room(self) -> None:
        """Return when another request may start."""
        while len(self._running) >= self.most:
            self._ended.clear()
            await self._ended.wait()

    def start(self, request: Coroutine[Any, Any, None], *, is_question: bool) -> None:
        """Run a request; a question is dropped at the end of the connection."""
        task = self._tasks.create_task(request)
        self._running.add(task)
        if is_question:
            self._questions.add(task)
        task.add_done_callback(self._end)

    def drop(self) -> None:
        """Cancel all questions: nobody is there to read the answers."""
        for task in self._questions:
            task.cancel()

    def _end(self, task: asyncio.Task[None]) -> None:
        self._running.discard(task)
        self._questions.discard(task)
        self._ended.set()
