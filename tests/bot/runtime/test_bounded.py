"""Memories with a budget: how they count, and what they forget."""

import sys
import tracemalloc
from collections.abc import Iterator

import pytest

from bot.runtime.bounded import ENTRY_BYTES, BoundedMemory

NOTHING = ENTRY_BYTES + sys.getsizeof("a")
"""What an entry takes whose key is one letter and whose value takes nothing."""


def memory_for(entries: int) -> BoundedMemory[str, int]:
    return BoundedMemory(entries * NOTHING, size=lambda _: 0)


def test_the_oldest_value_is_forgotten_first() -> None:
    memory = memory_for(2)
    for number, key in enumerate("abc"):
        memory.put(key, number)
    assert "a" not in memory
    assert (memory.get("a"), memory.get("b"), memory["c"], len(memory)) == (None, 1, 2, 2)


def test_putting_and_refreshing_make_a_value_the_newest_one_and_getting_does_not() -> None:
    memory = memory_for(3)
    for key in "abc":
        memory.put(key, 0)
    memory.put("a", 0)
    memory.refresh("b")
    memory.refresh("never there")
    assert memory.get("c") == 0
    memory.put("d", 0)
    assert [key for key in "abcd" if key in memory] == ["a", "b", "d"]


def test_large_values_push_out_more_than_small_ones_and_too_large_ones_are_not_kept() -> None:
    memory = BoundedMemory[str, bytes](2 * NOTHING + 1000, size=len)
    memory.put("a", bytes(600))
    memory.put("a", bytes(400))
    memory.put("b", bytes(600))
    assert "a" in memory
    memory.put("b", bytes(601))
    assert [key for key in "ab" if key in memory] == ["b"]
    memory.put("c", bytes(2 * NOTHING + 1000))
    assert [key for key in "bc" if key in memory] == ["b"]


def test_forgotten_values_make_room() -> None:
    memory = memory_for(1)
    memory.put("a", 0)
    memory.forget("a")
    memory.forget("never there")
    memory.put("b", 0)
    assert "b" in memory
    memory.clear()
    assert memory.bytes == 0
    memory.put("c", 0)
    assert (len(memory), "c" in memory) == (1, True)


@pytest.fixture
def traced() -> Iterator[None]:
    tracemalloc.start()
    yield
    tracemalloc.stop()


@pytest.mark.usefixtures("traced")
@pytest.mark.parametrize("length", [0, 10, 1000])
def test_a_full_memory_takes_what_its_budget_says(length: int) -> None:
    before, _ = tracemalloc.get_traced_memory()
    memory = BoundedMemory[str, list[str]](1_000_000)
    for number in range(5 * memory.most_bytes // (ENTRY_BYTES + 60 * length)):
        memory.put(f"key {number}", [f"{number}:{each}" for each in range(length)])
    taken = tracemalloc.get_traced_memory()[0] - before
    assert 0.4 * memory.most_bytes < taken < 1.1 * memory.most_bytes
    assert memory.bytes <= memory.most_bytes
