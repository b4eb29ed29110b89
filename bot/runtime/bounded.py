"""A bounded memory, which forgets the oldest entries first."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class BoundedMemory(Generic[K, V]):
    """Values by key. When their weights add up to more than `most`, the oldest are forgotten.

    Each value weighs 1 unless `weight` says otherwise. A value that alone weighs more than `most`
    is not kept.
    """

    def __init__(self, most: int, weight: Callable[[V], int] = lambda _: 1) -> None:
        self._most = most
        self._weight = weight
        self._weights = 0
        self._values: OrderedDict[K, V] = OrderedDict()

    def __contains__(self, key: K) -> bool:
        return key in self._values

    def __len__(self) -> int:
        return len(self._values)

    def __getitem__(self, key: K) -> V:
        return self._values[key]

    def get(self, key: K) -> V | None:
        """Return the value, or None. Its age does not change; see `refresh`."""
        return self._values.get(key)

    def put(self, key: K, value: V) -> None:
        """Store the value as the newest one, in place of the key's former value."""
        self.forget(key)
        self._values[key] = value
        self._weights += self._weight(value)
        while self._weights > self._most:
            _, oldest = self._values.popitem(last=False)
            self._weights -= self._weight(oldest)

    def refresh(self, key: K) -> None:
        """Make a stored value the newest one."""
        self._values.move_to_end(key)

    def forget(self, key: K) -> None:
        if key in self._values:
            self._weights -= self._weight(self._values.pop(key))

    def clear(self) -> None:
        self._values.clear()
        self._weights = 0
