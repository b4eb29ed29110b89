"""What several threads do to the same numbers at once: nothing is lost, nothing is taken twice."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from engine.kernel.atomics import add, exchange, publish, published
from engine.kernel.generic import Array, compiled
from engine.search.tree import EDGES, NODES, NOTHING, TABLES, Tree, allocate, take

THREADS = 4
TIMES = 50_000
INTEGERS = [np.int32, np.int64]


@compiled
def add_often(numbers: Array, index: int, amount: int, times: int) -> int:
    """Returns the sum of what was there before each addition."""
    before = 0
    for _ in range(times):
        before += add(numbers, index, amount)
    return before


@compiled
def take_turns(numbers: Array, times: int) -> None:
    """Between `exchange` and `publish` one thread alone works on the second number."""
    for _ in range(times):
        while not exchange(numbers, 0, 0, 1):
            pass
        numbers[1] += 1
        publish(numbers, 0, 0)


@compiled
def read(numbers: Array, index: int) -> int:
    return published(numbers, index)


@compiled
def take_all(tree: Tree, count: int, out: Array) -> int:
    """Take so many edges at a time until there are no more; returns how often."""
    times = 0
    while True:
        first = take(tree, EDGES, count, tree.step.shape[0])
        if first == NOTHING:
            return times
        out[times] = first
        times += 1


def together(work: Callable[[int], int]) -> list[int]:
    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(work, range(THREADS)))


@pytest.mark.parametrize("integer", INTEGERS)
def test_nothing_that_is_added_is_lost(integer: type) -> None:
    numbers: Array = np.array([7, 5, 7], integer)
    before = together(lambda _: add_often(numbers, 1, 3, TIMES))
    total = THREADS * TIMES
    assert numbers.tolist() == [7, 5 + 3 * total, 7]
    assert sum(before) == sum(5 + 3 * done for done in range(total))


@pytest.mark.parametrize("integer", INTEGERS)
def test_negative_numbers_are_added_and_read(integer: type) -> None:
    numbers: Array = np.array([-2, 1], integer)
    assert read(numbers, 0) == -2
    assert add_often(numbers, 1, -3, 2) == 1 - 2
    assert read(numbers, 1) == -5


@pytest.mark.parametrize("integer", INTEGERS)
def test_a_thread_that_exchanged_a_number_owns_it_until_it_is_published(integer: type) -> None:
    numbers: Array = np.zeros(2, integer)

    def work(_: int) -> int:
        take_turns(numbers, 200)
        return 0

    together(work)
    assert numbers.tolist() == [0, THREADS * 200]


def test_no_edge_is_taken_twice_and_none_beyond_the_memory() -> None:
    tree = allocate(1, n_steps=50)
    size, count = len(tree.step), 7
    taken = np.zeros((THREADS, size), np.int64)
    times = together(lambda thread: take_all(tree, count, taken[thread]))
    firsts = np.concatenate([taken[thread, : times[thread]] for thread in range(THREADS)])
    assert sorted(firsts) == list(range(0, size - count + 1, count))
    assert size - count < tree.used[EDGES] <= size
    assert tree.used[NODES] == 1
    assert tree.used[TABLES] == 0
