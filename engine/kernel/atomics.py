"""Atomic operations on array elements that several threads share.

`add` and `exchange` are atomic: no update is lost. `publish` is a store with release ordering and
`published` a load with acquire ordering. A thread that reads a published value also sees every
write that preceded `publish`. Processors and compilers may reorder other reads and writes. When
compilation is off, a lock in Python makes the updates atomic.
"""

from threading import Lock
from typing import Final

from engine.kernel.generic import Array
from engine.kernel.mode import generated_by

_turns: Final = Lock()


@generated_by("engine.kernel.llvm.atomics")
def add(array: Array, index: int, amount: int) -> int:
    """Add to an element atomically and return its previous value."""
    with _turns:
        before = int(array[index])
        array[index] += amount
    return before


@generated_by("engine.kernel.llvm.atomics")
def exchange(array: Array, index: int, expected: int, value: int) -> bool:
    """Compare and swap: replace an element if it has the expected value; return whether it had."""
    with _turns:
        if array[index] != expected:
            return False
        array[index] = value
    return True


@generated_by("engine.kernel.llvm.atomics")
def published(array: Array, index: int) -> int:
    """Load an element that another thread may `publish`."""
    return int(array[index])


@generated_by("engine.kernel.llvm.atomics")
def publish(array: Array, index: int, value: int) -> None:
    """Store an element so that all earlier writes of this thread become visible before it."""
    array[index] = value
