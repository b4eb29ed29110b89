"""Memories with a budget in bytes, which forget the oldest entries first.

Problem. Strangers decide what a server remembers, and how large each entry is. A memory for 2,000
entries "of about 2 kB" takes 20 GB if somebody finds entries of 10 MB.

Idea. Every memory has a budget in bytes. An entry counts with its key, and with everything to which
its value refers when it is stored (`bot.runtime.sizes`). A value must not grow after that.

Rejected: a limit for all memories together, which would let one attack empty all of them.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Final, Generic, TypeVar

from bot.runtime.sizes import size_of

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

ENTRY_BYTES: Final = 256
"""What the memory itself needs for an entry."""


class BoundedMemory(Generic[K, V]):
    """Values by key. When they take more than `most_bytes`, the oldest are forgotten.

    Each value takes what `size` says, and its key `size_of(key)`. A value that alone takes more
    than `most_bytes` is not kept. Threads may use a memory at the same time.
    """

    def __init__(self, most_bytes: int, size: Callable[[V], int] = size_of) -> None:
        self.most_bytes = most_bytes
        self.bytes = 0
        """What the entries take now."""
        self._size = size
        self._entries: OrderedDict[K, tuple[V, int]] = OrderedDict()
        self._lock = threading.RLock()

    def __contains__(self, key: K) -> bool:
        return key in self._entries

    def __len__(self) -> int:
        return len(self._entries)

    def __getitem__(self, key: K) -> V:
        return self._entries[key][0]

    def get(self, key: K) -> V | None:
        """Return the value, or None. Its age does not change; see `refresh`."""
        entry = self._entries.get(key)
        return None if entry is None else entry[0]

    def put(self, key: K, value: V) -> None:
        """Store the value as the newest one, in place of the key's former value."""
        taken = size_of(key) + self._size(value) + ENTRY_BYTES
        with self._lock:
            self.forget(key)
            if taken > self.most_bytes:
                return
            self._entries[key] = value, taken
            self.bytes += taken
            while self.bytes > self.most_bytes:
                _, (_, freed) = self._entries.popitem(last=False)
                self.bytes -= freed

    def values(self) -> list[V]:
        """The values, the oldest first."""
        with self._lock:
            return [value for value, _ in self._entries.values()]

    def refresh(self, key: K) -> None:
        """Make a value the newest one, if it is stored."""
        with self._lock:
            if key in self._entries:
                self._entries.move_to_end(key)

    def forget(self, key: K) -> None:
        with self._lock:
            if key in self._entries:
                self.bytes -= self._entries.pop(key)[1]

    def clear(self) -> None:
        with self._lock:
            self._entries.clear()
            self.bytes = 0
