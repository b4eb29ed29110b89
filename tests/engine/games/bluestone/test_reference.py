"""The engine against the slow reference, on every kind of board and under both rule sets."""

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import engine
from tests.engine.games.bluestone.reference import Reference, reference_board
from tests.matrix import nightly_after

SMALL = ["pent-3", "hexhex-3", "pent-4", "limping-3"]
LARGE = ["pent-5", "pent-6", "limping-4", "hexhex-5"]
RULES = ["official", "abstractplay"]

played_slowly = settings(derandomize=True, suppress_health_check=[HealthCheck.too_slow])


def some_turn(chance: random.Random, reference: Reference, lazy: float) -> str:
    """A legal turn: now and then (`lazy`) a pass, or a single where the rules allow one."""
    cells = chance.sample(sorted(reference.board.near), len(reference.board.near))
    first = next((cell for cell in cells if reference.may_begin(cell)), None)
    if first is None or chance.random() < lazy:
        return "pass"
    if reference.rules == "abstractplay" and chance.random() < lazy:
        return first
    after = reference.put(first)
    second = next((cell for cell in cells if reference.may_follow(first, after, cell)), None)
    return first if second is None else f"{first},{second}"


def check_same(position: engine.Position, reference: Reference) -> None:
    assert {cell: stone.player for cell, stone in position.stones.items()} == reference.stones
    assert set(position.captured) == reference.captured
    assert [[s for s in scores if s] for scores in position.scores] == [*reference.scores()]
    assert (position.to_play, position.over) == (reference.to_play, reference.over)
    assert position.winner == (reference.winner() if reference.over else None)


def check_some_turns(
    chance: random.Random, position: engine.Position, reference: Reference, count: int
) -> None:
    """Any two cells, legal or not, are judged alike."""
    cells = position.game.board.cells
    for _ in range(count):
        turn = ",".join(chance.choices(cells, k=chance.choice((1, 2, 2))))
        assert position.is_legal(turn) == reference.is_legal(turn), turn


def both(board: str, rules: str) -> tuple[engine.Position, Reference]:
    position = engine.game("bluestone", board=board, rules=rules).start()
    return position, Reference(reference_board(board), rules)


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("board", nightly_after(2, SMALL))
@settings(played_slowly, max_examples=20)
@given(seed=st.integers(0, 2**32), lazy=st.sampled_from([0.0, 0.1, 0.3]), listed=st.integers(0, 30))
def test_small_boards(board: str, rules: str, seed: int, lazy: float, listed: int) -> None:
    """A whole random game; one whole list of legal turns on the way, and some turns each time."""
    chance = random.Random(seed)
    position, reference = both(board, rules)
    while not reference.over:
        check_some_turns(chance, position, reference, 4)
        if reference.turn == listed + 1:
            turns = list(position.legal_turns())
            assert sorted(turns) == sorted(reference.legal_turns())
        turn = some_turn(chance, reference, lazy)
        position, reference = position.play(turn), reference.play(turn)
        check_same(position, reference)
    assert list(position.legal_turns()) == []


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("board", nightly_after(1, LARGE))
@settings(played_slowly, max_examples=3)
@given(seed=st.integers(0, 2**32))
def test_larger_boards(board: str, rules: str, seed: int) -> None:
    chance = random.Random(seed)
    position, reference = both(board, rules)
    while not reference.over:
        check_some_turns(chance, position, reference, 2)
        turn = some_turn(chance, reference, 0.02)
        position, reference = position.play(turn), reference.play(turn)
        check_same(position, reference)


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("board", nightly_after(1, ["hexhex-4", "pent-3", "pent-4", "limping-3"]))
@settings(played_slowly, max_examples=5)
@given(seed=st.integers(0, 2**32))
def test_turns_that_a_fast_playout_could_make_are_legal_to_the_reference(
    board: str, rules: str, seed: int
) -> None:
    """What `play_out` plays, step by step from the kernel's lists, the reference accepts."""
    last = engine.play_out(engine.game("bluestone", board=board, rules=rules), seed)
    _, reference = both(board, rules)
    for turn in last.turns:
        assert reference.is_legal(turn)
        reference = reference.play(turn)
    check_same(last, reference)
