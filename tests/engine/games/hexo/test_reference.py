"""The engine's HeXO against the slow reference."""

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import engine
from tests.engine.games.hexo.reference import Cube, Reference, cube, distance, name_of, within_eight

played_slowly = settings(
    derandomize=True,
    max_examples=15,
    suppress_health_check=[HealthCheck.too_slow],
)

NEAR, ANYWHERE, AWAY = "near", "anywhere", "away"
STYLES = (NEAR, ANYWHERE, AWAY)


def some_cell(chance: random.Random, reference: Reference, style: str) -> Cube:
    """A legal cell: near a stone of the mover, anywhere, or as far from the origin as possible."""
    legal = sorted(reference.legal())
    own = sorted(reference.of(reference.mover))
    if style == NEAR and own and chance.random() < 0.9:
        middle = chance.choice(own)
        legal = [cell for cell in legal if distance(cell, middle) <= 1] or legal
    if style == AWAY and chance.random() < 0.8:
        return max(legal, key=lambda cell: distance(cell, (0, 0, 0)))
    return chance.choice(legal)


def check_same(position: engine.Position, reference: Reference) -> None:
    stones = {name_of(cell): player for cell, player in reference.stones}
    assert {cell: stone.player for cell, stone in position.stones.items()} == stones
    assert position.scores == (reference.row(1), reference.row(2))
    assert (position.over, position.winner or 0) == (reference.over, reference.winner)
    if not reference.over:
        assert position.to_play == reference.mover
    assert set(position.choices().legal) == {name_of(cell) for cell in reference.legal()}


def some_turn(chance: random.Random, reference: Reference, style: str) -> str:
    """A legal turn, placed in the reference; after its first stone the second ones are compared."""
    stones = list[str]()
    for _ in range(reference.left):
        cell = some_cell(chance, reference, style)
        reference.place(cell)
        stones.append(name_of(cell))
        if reference.over:
            break
    return ",".join(stones)


@pytest.mark.parametrize("style", STYLES)
@played_slowly
@given(seed=st.integers(0, 2**32), cap=st.sampled_from([0, 1, 2, 7]))
def test_games(style: str, seed: int, cap: int) -> None:
    chance = random.Random(seed)
    position, reference = engine.game("hexo", cap=cap).start(), Reference(cap)
    while not reference.over and reference.count < 41:
        check_same(position, reference)
        position = position.play(some_turn(chance, reference, style))
    check_same(position, reference)


@played_slowly
@given(seed=st.integers(0, 2**32), stones=st.integers(0, 24))
def test_stones_anywhere_are_judged_alike(seed: int, stones: int) -> None:
    """Single stones, legal or not, at the start of a turn and in its middle."""
    chance = random.Random(seed)
    position, reference = engine.game("hexo").start(), Reference()
    while reference.count < stones and not reference.over:
        position = position.play(some_turn(chance, reference, chance.choice(STYLES)))
    if reference.over:
        return
    legal = reference.legal()
    known = sorted(legal | {cell for cell, _ in reference.stones} or {(0, 0, 0)})
    around = [
        each for cell in chance.sample(known, min(3, len(known))) for each in within_eight(cell)
    ]
    first = chance.choice(sorted(legal))
    lead = "" if reference.left == 1 else name_of(first) + ","
    if lead:
        reference.place(first)
    for cell in chance.sample(around, 40):
        assert position.is_legal(lead + name_of(cell)) == (cell in reference.legal())


def test_both_orders_of_two_stones_lead_to_one_position() -> None:
    chance = random.Random(5)
    for _ in range(20):
        position, reference = engine.game("hexo").start(), Reference()
        for _ in range(chance.randrange(1, 12)):
            position = position.play(some_turn(chance, reference, NEAR))
        if position.over:
            continue
        first, second = chance.sample(sorted(reference.legal()), 2)
        one = position.play(f"{name_of(first)},{name_of(second)}")
        other = position.play(f"{name_of(second)},{name_of(first)}")
        assert (one.stones, one.scores, one.over) == (other.stones, other.scores, other.over)


def test_a_far_walk_is_judged_exactly() -> None:
    """Beyond any window that a compiled kernel could hold."""
    position = engine.game("hexo").start().play("0:0")
    for number in range(1, 120, 2):
        position = position.play(f"{8 * number}:0,{8 * number + 8}:0")
    assert position.scores == (1, 1)
    assert position.is_legal("968:0,976:0")
    assert not position.is_legal("969:0,970:0")
    assert max(cube(cell)[0] for cell in position.stones) == 960
