"""Facts that may become known before somebody asks for them."""

import asyncio
from collections import OrderedDict
from typing import Generic, TypeVar

T = TypeVar("T")
KEPT = 1000


class Announcements(Generic[T]):
    """One fact for a key; who waits for it gets it, whether it is told before or after.

    The latest `KEPT` facts are remembered.
    """

    def __init__(self) -> None:
        self._told: OrderedDict[str, T] = OrderedDict()
        self._waiting: dict[str, asyncio.Future[T]] = {}

    def tell(self, key: str, fact: T) -> None:
        self._told[key] = fact
        if len(self._told) > KEPT:
            self._told.popitem(last=False)
        waiting = self._waiting.pop(key, None)
        if waiting is not None and not waiting.done():
            waiting.set_result(fact)

    def is_told(self, key: str) -> bool:
        return key in self._told

    async def wait_for(self, key: str) -> T:
        """The fact about `key`; one waits for a key at a time."""
        if key in self._told:
            return self._told[key]
        waiting: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._waiting[key] = waiting
        try:
            return await waiting
        finally:
            self._waiting.pop(key, None)
