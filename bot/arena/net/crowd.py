"""Telling many people the same thing without keeping anybody else waiting."""

import asyncio
from collections.abc import Iterable
from typing import Final, Protocol

import structlog

SLICE: Final = 25
"""How many are served before everything else gets its turn: about a quarter of a millisecond."""

log = structlog.get_logger()


class Listener(Protocol):
    def put(self, frame: bytes) -> None: ...


class Crowds:
    """Sends whole states to crowds, by name: where a newer state comes, the older one is dropped.

    Those who missed the older one are served first, so that nobody is left out for ever.
    """

    def __init__(self) -> None:
        self._waiting: dict[str, tuple[bytes, list[Listener]]] = {}
        self._task: asyncio.Task[None] | None = None

    def is_busy_with(self, crowd: str) -> bool:
        return crowd in self._waiting

    def send(self, crowd: str, frame: bytes, listeners: Iterable[Listener]) -> None:
        """Give the frame to each of them soon, instead of what they are still waiting for."""
        _, missed = self._waiting.get(crowd, (b"", []))
        if missed:
            first = set(map(id, missed))
            ordered = sorted(listeners, key=lambda each: id(each) not in first)
        else:
            ordered = list(listeners)
        ordered.reverse()  # served from the end, which is cheap
        self._waiting[crowd] = (frame, ordered)
        if self._task is None:
            self._task = asyncio.create_task(self._serve())

    async def close(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _serve(self) -> None:
        """A slice of each crowd by turns, until all are served."""
        try:
            while self._waiting:
                for crowd in list(self._waiting):
                    self._give_slice(crowd)
                    await asyncio.sleep(0)
        except Exception:
            log.exception("crowd_not_served")
        finally:
            self._task = None

    def _give_slice(self, crowd: str) -> None:
        frame, listeners = self._waiting[crowd]
        for _ in range(min(SLICE, len(listeners))):
            listeners.pop().put(frame)
        if not listeners:
            del self._waiting[crowd]
