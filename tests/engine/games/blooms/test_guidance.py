"""What guidance sees of blooms and their liberties, against a count by hand."""

from collections.abc import Iterator

import numpy as np
import pytest

import engine
from engine.games.blooms.guidance import GUIDED_TURNS, RANDOM_TURNS, guided_turn, urgent_step
from engine.games.groups import find
from engine.games.liberties import MANY, NO_CELL, liberties
from engine.kernel import calls
from engine.kernel import generic as kernel
from engine.kernel.bits import int64
from engine.kernel.generic import Array, Record, compiled

pytestmark = pytest.mark.uncompiled

GAME = engine.game("blooms", "hexhex-4", captures=99)
NAMES = list(GAME.board.cells)


@compiled
def promises(board: Record, state: Record, steps: Array, out: Array) -> int:
    count = kernel.legal_steps(board, state, steps)
    kernel.priors(board, state, steps, count, out)
    return count


def played(*turns: str) -> engine.Position:
    position = GAME.start()
    for turn in turns:
        position = position.play(turn)
    return position


def bloom_of(position: engine.Position, cell: str) -> set[str]:
    bloom, edge = {cell}, [cell]
    while edge:
        for other in GAME.board.neighbours(edge.pop()):
            if position.stones.get(other) == position.stones[cell] and other not in bloom:
                bloom.add(other)
                edge.append(other)
    return bloom


def empty_beside(position: engine.Position, bloom: set[str]) -> set[str]:
    beside = {other for cell in bloom for other in GAME.board.neighbours(cell)}
    return {cell for cell in beside if cell not in position.stones}


def blooms_in_random_games() -> Iterator[tuple[Record, int, set[str]]]:
    """Positions, the root of each stone's bloom in them, and its liberties, found by hand."""
    for seed in range(6):
        position = GAME.start()
        for turn in engine.play_out(GAME, seed).turns[:14]:
            position = position.play(turn)
            state = position.record()
            for cell in position.stones:
                bloom = bloom_of(position, cell)
                root = find(state, NAMES.index(cell))
                assert NAMES[root] in bloom
                yield state, root, empty_beside(position, bloom)


def test_liberties() -> None:
    seen = set[int]()
    for state, root, expected in blooms_in_random_games():
        count, one, two = liberties(GAME.record, state, root)
        assert count == min(len(expected), MANY)
        first_two = {NAMES[found] for found in (one, two) if found != NO_CELL}
        if count < MANY:
            assert first_two == expected
        seen.add(count)
    assert seen == {0, 1, 2, 3}


ATTACKED = ("1a1", "1b1,2d4")
"""The stone on a1, whose owner is to move, has the liberties a2 and b2 left."""
LEFT_ALONE = (*ATTACKED, "1g1,2g4")
"""They played elsewhere."""


def urgent_steps(position: engine.Position) -> set[str]:
    found = set[str]()
    for seed in range(1, 60):
        step = urgent_step(GAME.record, position.record(), calls.random_source(seed))
        if step >= 0:
            found.add(GAME.step_names[step])
    return found


def test_an_attacked_bloom_is_given_room() -> None:
    assert urgent_steps(played(*ATTACKED)) == {"1a2", "1b2"}


def test_two_liberties_are_filled_in_one_turn() -> None:
    position = played(*LEFT_ALONE)
    assert {step[1:] for step in urgent_steps(position)} <= {"a2", "b2"}
    captures = 0
    for seed in range(1, 101):
        state = position.record()
        guided_turn(GAME.record, state, calls.random_source(seed))
        assert state["player"] == 1
        captures += int(state["captured"][1])
    assert captures > 40


def test_nothing_is_urgent_on_an_open_board() -> None:
    assert urgent_steps(played("1d4", "1b2,2f4")) == set()


def test_the_last_liberty_of_an_enemy_bloom_looks_most_promising() -> None:
    position = played("1a1", "1b1,2a2", "1g1,2g4")
    size = len(GAME.step_names) + 2
    steps, found = np.zeros(size, np.int16), np.zeros(size, np.int8)
    count = promises(GAME.record, position.record(), steps, found)
    names = [GAME.step_names[step] for step in steps[:count]]
    best = sorted(names, key=lambda name: -found[names.index(name)])[:2]
    assert best == ["1b2", "2b2"]


@compiled
def turns_played(board: Record, state: Record, rng: Array) -> int:
    before = state.turn
    kernel.guided_playout(board, state, rng)
    return int64(state.turn - before)


def test_a_guided_playout_stops_to_evaluate() -> None:
    state = played("1a1", "1g1,2d4").record()
    length = turns_played(GAME.record, state, calls.random_source(1))
    assert length == GUIDED_TURNS + RANDOM_TURNS
    assert not state["over"]
