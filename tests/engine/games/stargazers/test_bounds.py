"""The bounds of final scores: what they are, that no game violates them, and what ends early."""

import random
from collections.abc import Iterator
from typing import Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import engine
from engine.games.mechanics import Bounds
from tests.engine.games.stargazers.reference import Reference
from tests.engine.games.stargazers.test_reference import a_turn
from tests.matrix import nightly_after

PROTOCOLS: Final = {"122": 2, "alternating": 1}
CONTINUATIONS: Final = 1_000
"""At most so many positions are tried after a position."""

played_slowly = settings(
    derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
each_protocol = pytest.mark.parametrize("protocol", PROTOCOLS)
each_board = pytest.mark.parametrize(
    "board", nightly_after(2, ["stars-39", "stars-63", "stars-111"])
)


def positions(game: engine.Game, seed: int) -> list[engine.Position]:
    """All positions of a random game, the last one included."""
    found = [game.start()]
    for turn in engine.play_out(game, seed).turns:
        found.append(found[-1].play(turn))
    return found


def bounds_of(position: engine.Position) -> tuple[Bounds, Bounds]:
    bounds = position.final_scores
    assert bounds is not None
    return bounds


def holds(position: engine.Position, last: engine.Position) -> bool:
    pairs = zip(bounds_of(position), last.scores, strict=True)
    return all(least <= score <= most for (least, most), score in pairs)


@each_board
@each_protocol
@settings(played_slowly, max_examples=3)
@given(seed=st.integers(0, 2**32))
def test_the_bounds_are_those_of_the_reference(board: str, protocol: str, seed: int) -> None:
    chance = random.Random(seed)
    game = engine.game("stargazers", board=board, protocol=protocol)
    position, reference = game.start(), Reference(board, "official", PROTOCOLS[protocol])
    names = {place: name for name, place in reference.names.items()}
    while reference.winner is None:
        position = position.play(",".join(names[cell] for cell in a_turn(chance, reference)))
        if chance.random() < 0.3 or reference.winner:
            assert bounds_of(position) == reference.final_scores()


@each_board
@each_protocol
@settings(played_slowly, max_examples=10)
@given(seed=st.integers(0, 2**32))
def test_no_random_game_violates_a_bound_or_changes_a_decided_winner(
    board: str, protocol: str, seed: int
) -> None:
    *before, last = positions(engine.game("stargazers", board=board, protocol=protocol), seed)
    assert bounds_of(last) == tuple((score, score) for score in last.scores)
    assert last.early_end is None
    for position in before:
        assert holds(position, last), position.turns
        assert position.early_end is None or position.early_end.winner == last.winner


def ends(position: engine.Position) -> list[engine.Position] | None:
    """Every end that can follow a position; None if there are too many positions before them."""
    found, todo, seen = list[engine.Position](), [position], set[frozenset[str]]()
    while todo:
        here = todo.pop()
        if here.over:
            found.append(here)
            continue
        for turn in here.legal_turns():
            after = here.play(turn)
            stones = frozenset(cell + str(stone.player) for cell, stone in after.stones.items())
            if stones not in seen:
                seen.add(stones)
                todo.append(after)
        if len(seen) > CONTINUATIONS:
            return None
    return found


def late_positions(protocol: str) -> Iterator[tuple[engine.Position, list[engine.Position]]]:
    """Positions of random games, with all ends that players could reach from them."""
    game = engine.game("stargazers", protocol=protocol)
    for seed in range(10):
        for position in reversed(positions(game, seed)[:-1]):
            found = ends(position)
            if found is None:
                break
            yield position, found


@each_protocol
def test_no_continuation_at_all_violates_a_bound_or_changes_a_decided_winner(protocol: str) -> None:
    tried = decided = 0
    for position, found in late_positions(protocol):
        assert all(holds(position, last) for last in found), position.turns
        if position.early_end is not None:
            decided += 1
            assert {last.winner for last in found} == {position.early_end.winner}
        tried += len(found)
    assert tried > 500
    assert decided > 0


@each_protocol
def test_the_game_may_end_when_one_number_exceeds_the_other(protocol: str) -> None:
    decided = equal = 0
    for seed in range(30):
        for position in positions(engine.game("stargazers", protocol=protocol), seed)[:-1]:
            bounds = bounds_of(position)
            margins = [bounds[2 - winner][0] - bounds[winner - 1][1] for winner in (1, 2)]
            end = position.early_end
            assert (end is not None) == (max(margins) > 0)
            equal += max(margins) == 0
            if end is not None:
                decided += 1
                assert not position.over
                assert end.assured == bounds[2 - end.winner][0]
                assert end.potential == bounds[end.winner - 1][1]
    assert decided > 8
    assert equal > 0


@each_protocol
def test_ludii_ends_games_by_its_own_two_numbers(protocol: str) -> None:
    early = 0
    for seed in range(8):
        game = engine.game("stargazers", rules="ludii", protocol=protocol)
        *before, last = positions(game, seed)
        assert all(position.early_end is None for position in before)
        reference = Reference(game.board.name, "ludii", PROTOCOLS[protocol])
        for turn in last.turns:
            for cell in turn.split(","):
                reference.place(reference.names[cell])
        end = last.early_end
        if end is not None:
            early += 1
            assert last.over
            assert end.winner == last.winner == reference.winner
            assert end.assured == reference.lost(3 - end.winner)
            assert end.potential == reference.best_case(end.winner)
    assert early > 3


def test_other_games_have_no_bounds_and_no_early_end() -> None:
    last = engine.play_out(engine.game("blooms", board="hexhex-4"))
    assert last.final_scores is None
    assert last.early_end is None
