"""What the prover says of a position to the search."""

from typing import Any, NamedTuple

import numpy as np
import pytest

from engine.games.hexo import kernel as hexo_kernel
from engine.games.hexo.prover import new_memory
from engine.games.hexo.state import STATE_DTYPE, board_record, code_of, coordinates
from engine.kernel import generic as kernel
from engine.kernel.generic import NO_PROOF, UNPROVED, Record, compiled
from engine.kernel.halt import Halt, halt_now, new_halt
from tests.engine.games.hexo.forced_wins import Cell

pytestmark = pytest.mark.uncompiled

THREES = [(0, 0), (1, 0), (2, 0), (0, 4), (1, 4), (2, 4), (1, 2)]
"""Two open threes, and a stone."""
APART = [(-2, -3), (-3, 6), (5, -4), (-5, 2), (6, 3), (-1, 8)]
QUIET = [(-3, -5), (-4, 8)]
SPARE = [[(12, 11), (-11, 12), (4, 13), (-12, -2), (-3, -14)], [(11, -13), (-13, 4), (18, -2)]]
"""Stones of either player that are on no line with others."""


class Proof(NamedTuple):
    winner: int
    cells: list[Cell]


@compiled
def ask(
    board: Record, state: Record, memory: Any, nodes: int, halt: Halt, steps: Any
) -> tuple[int, int]:
    count = kernel.promising_steps(board, state, steps)
    return kernel.prove(board, state, memory, nodes, halt, steps, count)


@compiled
def play(board: Record, state: Record, step: int) -> None:
    kernel.play_step(board, state, step)


def proof(
    first: list[Cell],
    second: list[Cell],
    *,
    turn: int,
    cap: int = 0,
    nodes: int = 200,
    begun: Cell | None = None,
    halt: Halt | None = None,
) -> Proof:
    """The proof of a position before `turn`, or after its first stone `begun`.

    Spare stones are added until each player has as many as before that turn.
    """
    board, state = board_record(cap), np.zeros(1, STATE_DTYPE)[0]
    first = first + SPARE[0][: 2 * (turn // 2) - 1 - len(first)]
    second = second + SPARE[1][: 2 * ((turn - 1) // 2) - len(second)]
    cells = np.array([code_of(*cell) for cell in first + second], np.int16)
    players = np.array([1] * len(first) + [2] * len(second), np.int64)
    hexo_kernel.set_up(board, state, cells, players, turn, 0)
    if begun is not None:
        play(board, state, code_of(*begun))
    steps = np.zeros(6000, np.int16)
    before = state.copy()
    winner, count = ask(
        board, state, new_memory(), nodes, new_halt() if halt is None else halt, steps
    )
    assert state["hash"] == before["hash"]
    assert state["turn"] == before["turn"]
    return Proof(int(winner), [coordinates(int(step)) for step in steps[:count]])


def test_a_forced_win_comes_with_its_turn() -> None:
    won = proof(THREES, APART + QUIET, turn=9)
    assert won.winner == 1
    assert len(won.cells) == 2
    in_rows = [cell for cell in won.cells if cell[1] in (0, 4)]
    assert in_rows


def test_a_halted_proof_does_not_say_that_more_nodes_would_find_no_more() -> None:
    halt = new_halt()
    halt_now(halt)
    halted = proof(THREES, APART + QUIET, turn=9, halt=halt, nodes=5000)
    assert halted.winner == UNPROVED
    assert len(halted.cells) > 2


def test_a_win_by_one_stone_is_one_step() -> None:
    five = [*THREES, (3, 0), (4, 0)]
    assert proof(five, APART + QUIET, turn=11) in (Proof(1, [(5, 0)]), Proof(1, [(-1, 0)]))


def test_a_win_that_comes_after_the_cap_is_none() -> None:
    assert proof(THREES, APART + QUIET, turn=9, cap=11).winner == 1
    assert proof(THREES, APART + QUIET, turn=9, cap=10).winner in (UNPROVED, NO_PROOF)


def test_threats_that_two_stones_cannot_answer_are_lost() -> None:
    fours = [*THREES, (3, 0), (3, 4)]
    assert proof(fours, APART + QUIET, turn=10).winner == 1
    answered = proof([*THREES, (3, 0)], APART + QUIET, turn=10)
    assert answered.winner in (UNPROVED, NO_PROOF)
    assert all(r == 0 for _, r in answered.cells)


def test_a_first_stone_that_leaves_too_much_for_the_second_loses() -> None:
    four = [*THREES, (3, 0), (-9, 4)]
    assert proof(four, APART + QUIET, turn=10, begun=(9, 9)).winner == 1
    assert proof(four, APART + QUIET, turn=10, begun=(4, 0)).winner in (UNPROVED, NO_PROOF)


def test_only_steps_that_may_stop_a_win_of_the_opponent_are_left() -> None:
    free = proof(THREES, APART, turn=8)
    everything = proof([(0, 0), (9, 9)], APART, turn=8)
    assert free.winner in (UNPROVED, NO_PROOF)
    assert 0 < len(free.cells) < len(everything.cells)
    dropped = sorted(set(everything.cells) - set(free.cells) - set(THREES))
    for pair in zip(dropped[::9], dropped[4::9], strict=False):
        assert proof(THREES, APART + list(pair), turn=9).winner == 1
    after_one = proof(THREES, APART, turn=8, begun=(9, -9))
    assert 0 < len(after_one.cells) < len(everything.cells)


def test_a_position_without_threats_needs_no_second_look() -> None:
    assert proof([(0, 0)], [(3, 3), (-3, 1)], turn=3, nodes=50).winner == UNPROVED
    assert proof([(0, 0)], [(3, 3), (-3, 1)], turn=3, nodes=5000).winner == NO_PROOF


def test_a_window_without_all_stones_of_the_game_proves_nothing() -> None:
    assert proof(THREES, APART + QUIET, turn=9).winner == 1
    assert proof(THREES, APART + QUIET, turn=31).winner == NO_PROOF
