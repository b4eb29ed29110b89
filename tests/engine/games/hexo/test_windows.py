"""Counts and lists of HeXO's window after stones are made and unmade, against a plain recount."""

import random
from itertools import product

import numpy as np
import pytest

from engine.games.hexo import windows
from engine.games.hexo.state import (
    AREA,
    GROUPS,
    LISTED,
    RADIUS,
    STATE_DTYPE,
    STRIDES,
    WORTHS,
    board_record,
    code_of,
    coordinates,
    within,
)
from engine.kernel.generic import Record

pytestmark = pytest.mark.uncompiled

BOARD = board_record()
AXES = ((1, 0), (0, 1), (-1, 1))
Stones = dict[tuple[int, int], int]


def empty() -> Record:
    state = np.zeros(1, STATE_DTYPE)[0]
    windows.clear(BOARD, state)
    return state


def put(state: Record, stones: Stones) -> None:
    for (q, r), player in stones.items():
        windows.place(BOARD, state, code_of(q, r), player)


def window_cells(window: int) -> list[tuple[int, int]]:
    axis, start = divmod(window, AREA)
    q, r = coordinates(start)
    return [(q + k * AXES[axis][0], r + k * AXES[axis][1]) for k in range(6)]


def live_windows(stones: Stones) -> dict[tuple[int, int], set[int]]:
    """The windows with stones of one player alone, by player and number of stones."""
    found: dict[tuple[int, int], set[int]] = {}
    starts = {
        (axis, q - k * AXES[axis][0], r - k * AXES[axis][1])
        for (q, r), axis, k in product(stones, range(3), range(6))
    }
    for axis, q, r in starts:
        cells = [(q + k * AXES[axis][0], r + k * AXES[axis][1]) for k in range(6)]
        if any(max(abs(x), abs(y)) > RADIUS for x, y in cells):
            continue
        owners = [stones[cell] for cell in cells if cell in stones]
        if len(set(owners)) == 1:
            window = axis * AREA + code_of(q, r)
            found.setdefault((owners[0], len(owners)), set()).add(window)
    return found


def listed(state: Record, player: int, group: int) -> list[int]:
    row = (player - 1) * GROUPS + group
    return sorted(state["listed"][row, : state["n_listed"][row]].tolist())


def check(state: Record, stones: Stones) -> None:
    live = live_windows(stones)
    for player, group in product((1, 2), range(GROUPS)):
        counts = (5, 6) if group == windows.FIVES else (group + 2,)
        expected = set().union(*(live.get((player, count), set()) for count in counts))
        assert listed(state, player, group) == sorted(expected)
    assert state["balance"] == sum(
        WORTHS[count] * len(them) * (1 if player == 1 else -1)
        for (player, count), them in live.items()
    )
    near = {
        (q + dq, r + dr)
        for (q, r) in stones
        for dq, dr in within(2)
        if max(abs(q + dq), abs(r + dr)) <= RADIUS
    } - stones.keys()
    assert sorted(state["near"][: state["n_near"]].tolist()) == sorted(
        code_of(*cell) for cell in near
    )
    assert state["n_stones"] == len(stones)


def test_a_code_and_its_coordinates_agree_along_every_axis() -> None:
    for (dq, dr), stride in zip(AXES, STRIDES, strict=True):
        assert code_of(3 + dq, -7 + dr) == code_of(3, -7) + stride
    assert coordinates(code_of(-RADIUS, RADIUS)) == (-RADIUS, RADIUS)
    with pytest.raises(ValueError, match="outside"):
        code_of(0, RADIUS + 1)


@pytest.mark.parametrize(("seed", "reach"), [(1, 3), (2, 6), (3, RADIUS)])
def test_counts_equal_a_recount_after_stones_are_made_and_unmade(seed: int, reach: int) -> None:
    chance = random.Random(seed)
    state, stones = empty(), Stones()
    for number in range(120):
        if stones and chance.random() < 0.35:
            windows.unplace(BOARD, state)
            stones.popitem()
        else:
            cell = (chance.randint(-reach, reach), chance.randint(-reach, reach))
            if cell not in stones:
                stones[cell] = chance.randint(1, 2)
                windows.place(BOARD, state, code_of(*cell), stones[cell])
        if number % 10 == 0 or len(stones) < 3:
            check(state, stones)
    while stones:
        windows.unplace(BOARD, state)
        stones.popitem()
    check(state, {})
    assert state["hash"] == 0


@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("last", range(6))
def test_the_stone_that_completes_six_wins_wherever_it_is(axis: tuple[int, int], last: int) -> None:
    state = empty()
    line = [(k * axis[0] - 2, k * axis[1] + 1) for k in range(6)]
    final = line.pop(last)
    assert not any(windows.place(BOARD, state, code_of(*cell), 2) for cell in line)
    assert state["winner"] == 0
    assert windows.place(BOARD, state, code_of(*final), 2)
    assert state["winner"] == 2
    windows.unplace(BOARD, state)
    assert state["winner"] == 0


def test_lines_do_not_pass_the_rim() -> None:
    state = empty()
    put(state, {(RADIUS - 2, 0): 1, (RADIUS - 1, 0): 1, (RADIUS, 0): 1})
    put(state, {(-RADIUS, 1): 1, (-RADIUS + 1, 1): 1})
    assert not windows.place(BOARD, state, code_of(-RADIUS + 2, 1), 1)
    assert len(listed(state, 1, windows.THREES)) == 2


def test_a_list_that_is_full_says_so_until_its_windows_have_left() -> None:
    state, stones = empty(), Stones()
    cells = [(q, r) for q in range(-RADIUS, RADIUS, 3) for r in range(-RADIUS, RADIUS)]
    for cell in cells:
        stones[cell] = 1
        windows.place(BOARD, state, code_of(*cell), 1)
    assert state["unlisted"] >= len(live_windows(stones)[1, 2]) - LISTED > 0
    copy = np.zeros(1, STATE_DTYPE)[0]
    windows.copy_stones(copy, state)
    for record in (state, copy):
        for _ in cells:
            windows.unplace(BOARD, record)
        check(record, {})
        assert record["unlisted"] == 0


def test_a_copy_goes_on_as_the_original_would() -> None:
    chance = random.Random(5)
    cells = chance.sample([(q, r) for q in range(-5, 6) for r in range(-5, 6)], 60)
    stones = {cell: 1 + number % 2 for number, cell in enumerate(cells[:40])}
    state, used = empty(), empty()
    put(state, stones)
    put(used, dict.fromkeys(cells[30:], 2))
    windows.copy_stones(used, state)
    check(used, stones)
    assert used["hash"] == state["hash"]
    more = dict.fromkeys(cells[40:], 1)
    put(used, more)
    check(used, stones | more)


def test_empty_cells_of_a_window_come_in_order() -> None:
    state = empty()
    put(state, {(0, 0): 1, (1, 0): 1, (3, 0): 1, (4, 0): 1})
    (window,) = (w for w in listed(state, 1, windows.FOURS) if window_cells(w)[0] == (-1, 0))
    found = [windows.empty_cell(BOARD, state, window, number) for number in range(3)]
    assert found == [code_of(-1, 0), code_of(2, 0), -1]
    assert windows.n_threats(state, 1) == 2
    assert windows.n_threats(state, 2) == 0
