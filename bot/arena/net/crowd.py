"""Telling many people the same thing without keeping anybody else waiting."""

import asyncio
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Protocol

import structlog

SLICE: Final = 25
"""How many are served before everything else gets its turn: about a quarter of a millisecond."""
MOST_CHANGES: Final = 50
"""Changes that may wait for a crowd; its members see a gap and ask for the whole state."""

log = structlog.get_logger()


class Listener(Protocol):
    def put(self, frame: bytes) -> None: ...


@dataclass(frozen=True)
class _Batch:
    """A frame, and by identity the listeners who have not got it yet; served from the end."""

    frame: bytes
    listeners: dict[int, Listener]


class Crowds:
    """Sends frames to crowds, by name. A whole state replaces everything that still waits.

    Those who missed an older state are served first, so that nobody is left out for ever.
    """

    def __init__(self) -> None:
        self._waiting: dict[str, deque[_Batch]] = {}
        self._task: asyncio.Task[None] | None = None

    def is_busy_with(self, crowd: str) -> bool:
        return crowd in self._waiting

    def send(self, crowd: str, frame: bytes, listeners: Iterable[Listener]) -> None:
        """Give the frame to each of them soon, instead of what they are still waiting for."""
        missed = {key for batch in self._waiting.get(crowd, ()) for key in batch.listeners}
        ordered = sorted(listeners, key=lambda each: id(each) in missed)
        self._waiting[crowd] = deque([_batch(frame, ordered)], MOST_CHANGES)
        self._serve_soon()

    def send_change(self, crowd: str, frame: bytes, listeners: Iterable[Listener]) -> None:
        """Give the frame to each of them soon, after what they are still waiting for."""
        batches = self._waiting.setdefault(crowd, deque(maxlen=MOST_CHANGES))
        batches.append(_batch(frame, listeners))
        self._serve_soon()

    def forget(self, crowd: str, listener: Listener) -> None:
        """Do not send to a listener what they are still waiting for."""
        for batch in self._waiting.get(crowd, ()):
            batch.listeners.pop(id(listener), None)

    async def close(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    def _serve_soon(self) -> None:
        if self._task is None:
            self._task = asyncio.create_task(self._serve())

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
        batches = self._waiting[crowd]
        frame, listeners = batches[0].frame, batches[0].listeners
        for _ in range(min(SLICE, len(listeners))):
            listeners.popitem()[1].put(frame)
        if not listeners:
            batches.popleft()
        if not batches:
            del self._waiting[crowd]


def _batch(frame: bytes, listeners: Iterable[Listener]) -> _Batch:
    return _Batch(frame, {id(each): each for each in listeners})
