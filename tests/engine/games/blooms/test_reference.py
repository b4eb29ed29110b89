"""The engine's Blooms against the slow reference."""

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import engine
from tests.engine.games.blooms.reference import Reference, neighbours

played_slowly = settings(
    derandomize=True,
    max_examples=20,
    suppress_health_check=[HealthCheck.too_slow],
)


def some_turn(chance: random.Random, reference: Reference) -> str:
    """A turn near the last stones as often as not, so that blooms are fenced in."""
    empty = [cell for cell in reference.near if cell not in reference.stones]
    crowded = [cell for cell in empty if reference.near[cell] & reference.stones.keys()]
    if crowded and chance.random() < 0.7:
        empty = crowded
    cells = chance.sample(empty, min(len(empty), chance.choice((1, 2, 2, 2))))
    if reference.turn == 1:
        cells = cells[:1]
    kinds = chance.sample((1, 2), len(cells))
    return ",".join(sorted(f"{kind}{cell}" for kind, cell in zip(kinds, cells, strict=True)))


def check_same(position: engine.Position, reference: Reference) -> None:
    seen = {cell: (stone.player, stone.kind) for cell, stone in position.stones.items()}
    assert seen == reference.stones
    assert set(position.captured) == reference.captured
    assert position.scores == reference.scores
    assert position.to_play == reference.to_play
    assert position.winner == reference.winner
    assert position.over == (reference.winner is not None)


@pytest.mark.parametrize(
    ("size", "captures", "ahead"),
    [(4, 1, (0, 0)), (4, 6, (0, 0)), (4, 20, (0, 0)), (5, 25, (0, 0)), (4, 15, (3, 10))],
)
@played_slowly
@given(seed=st.integers(0, 2**32), listed=st.integers(0, 20))
def test_games(size: int, captures: int, ahead: tuple[int, int], seed: int, listed: int) -> None:
    chance = random.Random(seed)
    options = {"captures": captures, "handicap_1": ahead[0], "handicap_2": ahead[1]}
    game = engine.game_of("blooms", f"hexhex-{size}", None, options)
    position, reference = game.start(), Reference(neighbours(size), captures, scores=ahead)
    while reference.winner is None:
        if position.turn_number == listed:
            assert sorted(position.legal_turns()) == sorted(reference.legal_turns())
        turn = some_turn(chance, reference)
        position, reference = position.play(turn), reference.play(turn)
        check_same(position, reference)
    assert list(position.legal_turns()) == []


def test_both_orders_of_a_double_are_one_turn() -> None:
    start = engine.game("blooms", board="hexhex-4").start().play("1d4")
    assert start.play("2b2,1a1") == start.play("1a1,2b2")
    assert start.play("2B2, 1A1").turns == ("1d4", "1a1,2b2")
