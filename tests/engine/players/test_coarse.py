"""Coarse judgement: small mistakes are common, big ones never made."""

from collections import Counter

import numpy as np
import pytest

import engine
from engine.game import Position
from engine.players.coarse import coarse_turn, draw_step
from engine.search.searcher import Searcher
from engine.search.step_worths import LOST, WON

NAN = float("nan")
EVEN = np.linspace(0.4, 0.6, 21)
"""The best is 3.3 standard deviations ahead of the worst."""


def drawn(worths: "np.ndarray", coarseness: float, times: int = 2_000) -> Counter[int]:
    rng = np.random.default_rng(1)
    return Counter(draw_step(worths, coarseness, rng) for _ in range(times))


def test_the_worse_a_step_the_rarer_it_is_and_beyond_the_bound_it_never_is() -> None:
    counts = drawn(EVEN, coarseness=1.5)
    chosen = sorted(counts)
    room = 1.5 * EVEN.std()
    assert all(EVEN[step] > EVEN[-1] - room for step in chosen)
    assert counts[20] > counts[16] > counts[13] > 0


def test_a_finer_judgement_draws_from_fewer() -> None:
    numbers = [len(drawn(EVEN, coarseness)) for coarseness in (3.0, 1.5, 0.5, 0.0)]
    assert numbers == sorted(numbers, reverse=True)
    assert numbers[-1] == 1


def test_the_spread_of_a_games_values_makes_no_difference() -> None:
    assert drawn(EVEN, 1.5) == drawn(0.5 + (EVEN - 0.5) * 3, 1.5)


def test_outstanding_stones_are_always_found() -> None:
    worths = np.full(40, 0.3)
    worths[7] = 0.8
    assert set(drawn(worths, coarseness=3.0)) == {7}


def test_a_proved_win_is_taken_and_a_proved_loss_left() -> None:
    assert set(drawn(np.array([0.9, WON, 0.5]), 3.0)) == {1}
    assert set(drawn(np.array([LOST, 0.5, 0.5, LOST]), 3.0)) == {1, 2}
    assert set(drawn(np.array([LOST, LOST]), 3.0)) == {0, 1}


def test_a_step_of_which_nothing_is_known_is_an_average_one() -> None:
    assert set(drawn(np.array([0.9, NAN, 0.1]), 1.0)) == {0}
    assert set(drawn(np.array([NAN, NAN]), 1.0)) == {0, 1}


def searched(position: Position, playouts: int = 200) -> Searcher:
    searcher = Searcher(position.game, megabytes=8, threads=1, seed=2)
    searcher.move_to(position)
    searcher.grow(playouts)
    return searcher


@pytest.mark.parametrize(
    ("name", "board"), [("bluestone", "pent-4"), ("blooms", "hexhex-4"), ("stargazers", "stars-39")]
)
def test_its_turns_are_legal_to_the_end_of_a_game(name: str, board: str) -> None:
    position, rng = engine.game(name, board=board).start(), np.random.default_rng(5)
    while not position.over:
        turn, worth = coarse_turn(searched(position, 60), position, 2.0, rng)
        assert 0 <= worth <= 1
        position = position.play(turn)


def test_both_stones_are_better_than_by_chance() -> None:
    """They begin a search of their own well: its values tell."""
    game = engine.game("bluestone", board="pent-4")
    position = game.start().play("0-0")
    rng = np.random.default_rng(5)
    searcher = searched(position, 4_000)
    values = {frozenset(c.turn.split(",")): c.value for c in searcher.candidates(10_000)}
    fine = [coarse_turn(searcher, position, 0.3, rng)[0] for _ in range(40)]
    wide = [coarse_turn(searcher, position, 20.0, rng)[0] for _ in range(40)]

    def mean(turns: list[str]) -> float:
        return float(np.mean([values.get(frozenset(t.split(",")), 0.0) for t in turns]))

    assert mean(fine) > mean(wide)
