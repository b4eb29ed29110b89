"""What guidance sees: shapes around a point, after stones and captures, against a look by hand."""

import random

import numpy as np
import pytest

import engine
from engine.games.freego.guidance import is_good_shape
from engine.games.freego.shapes import ORDER, OUTSIDE
from engine.kernel.generic import Array, Record, compiled

pytestmark = pytest.mark.uncompiled

GAME = engine.game("freego", "square-7")
SIZE = GAME.board.size


@compiled
def good_points(board: Record, state: Record, out: Array) -> int:
    count = 0
    for cell in range(board.n_cells):
        if state.cells[cell] == 0 and is_good_shape(board, state, cell):
            out[count] = cell
            count += 1
    return count


def seen_around(state: Record, cell: int) -> int:
    row, column = divmod(cell, SIZE)
    code = 0
    for place, (down, right) in enumerate(ORDER):
        y, x = row + down - 1, column + right - 1
        is_inside = 0 <= y < SIZE and 0 <= x < SIZE
        code |= (int(state["cells"][y * SIZE + x]) if is_inside else OUTSIDE) << (2 * place)
    return code


@pytest.mark.parametrize("seed", range(3))
def test_codes_follow_stones_and_captures(seed: int) -> None:
    chance, position = random.Random(seed), GAME.start()
    captures = 0
    while not position.over:
        state = position.record()
        assert [int(code) for code in state["code"][: SIZE * SIZE]] == [
            seen_around(state, cell) for cell in range(SIZE * SIZE)
        ]
        position = position.play(position.random_turn(chance))
        captures += len(position.captured)
    assert captures


def test_a_hane_and_a_cut_are_good_for_the_player_to_move() -> None:
    out = np.zeros(SIZE * SIZE, np.int64)
    hane = GAME.replay(["d4", "c4", "a1"])
    found = {GAME.board.cells[cell] for cell in out[: good_points(GAME.record, hane.record(), out)]}
    assert {"d3", "d5"} <= found
