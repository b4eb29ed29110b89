"""The engine's Free Go against the slow reference."""

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import engine
from tests.engine.games.freego.reference import Reference, neighbours

played_slowly = settings(
    derandomize=True,
    max_examples=12,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)


def some_turn(chance: random.Random, reference: Reference) -> str:
    """A point near other stones, or one that captures a single stone, as often as not."""
    legal = list(reference.legal_turns())
    draw = chance.random()
    chosen = []
    if draw < 0.5:
        chosen = [point for point in legal if takes_one(reference, point)]
    elif draw < 0.8:
        chosen = [point for point in legal if len(reference.near[point] & reference.stones.keys())]
    return chance.choice(chosen or legal)


def takes_one(reference: Reference, point: str) -> bool:
    """Whether a single enemy stone has its only liberty here."""
    enemy = 3 - reference.to_play
    return any(
        reference.stones.get(other) == enemy
        and all(reference.stones.get(one) == 3 - enemy for one in reference.near[other] - {point})
        for other in reference.near[point]
    )


def check_same(position: engine.Position, reference: Reference, *, listed: bool) -> None:
    assert {point: stone.player for point, stone in position.stones.items()} == reference.stones
    assert position.scores == reference.scores
    assert position.winner == reference.winner
    assert position.over == (reference.winner is not None)
    assert position.to_play == reference.to_play
    if listed:
        assert sorted(position.legal_turns()) == sorted(reference.legal_turns())


def play_both(size: int, captures: int, seed: int) -> int:
    """Play a random game in both; return the number of turns in which a point was forbidden."""
    chance = random.Random(seed)
    game = engine.game("freego", f"square-{size}", captures=captures)
    position, reference = game.start(), Reference(neighbours(size), captures)
    forbidden = 0
    check_same(position, reference, listed=True)
    while reference.winner is None:
        turn = some_turn(chance, reference)
        placed = {*reference.stones, turn}
        position, reference = position.play(turn), reference.play(turn)
        assert set(position.captured) == placed - set(reference.stones)
        is_ko = reference.forbidden is not None
        check_same(position, reference, listed=is_ko or chance.random() < 0.1)
        forbidden += is_ko
    return forbidden


@pytest.mark.parametrize(("size", "captures"), [(5, 1), (5, 20), (6, 15), (7, 14)])
@played_slowly
@given(seed=st.integers(0, 2**32))
def test_games(size: int, captures: int, seed: int) -> None:
    play_both(size, captures, seed)


def test_random_games_have_positions_with_ko() -> None:
    """So the comparisons above are also about ko."""
    assert sum(play_both(5, 20, seed) for seed in range(12)) > 5
