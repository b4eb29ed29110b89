"""What a network and searches say of positions, for measurements."""

import random

import numpy as np
import pytest

import engine
from engine.neural.network import network_for
from engine.search.tuning import WITH_NETWORK
from engine.training.assessment import Assessor, rank
from tests.engine.neural.reference import features_of, judged, random_parameters

GAME = engine.game("bluestone", board="pent-4")
PARAMETERS = random_parameters(GAME, layers=2, seed=4)
ASSESSOR = Assessor(GAME, network_for(GAME, PARAMETERS))


def after(turns: int, seed: int = 1) -> engine.Position:
    """A position after so many random turns."""
    chance, position = random.Random(seed), GAME.start()
    for _ in range(turns):
        position = position.play(position.random_turn(chance))
    return position


def nearly_over() -> engine.Position:
    """The position before the last turn of a game: a search of it is soon at an end."""
    last = engine.play_out(GAME, seed=3)
    return GAME.replay(last.turns[:-1])


def test_the_network_alone_gives_the_same_output_as_in_the_search() -> None:
    position = after(3)
    codes, numbers, _ = features_of(GAME, position.record())
    _, value = judged(GAME, PARAMETERS, codes, numbers)
    assert ASSESSOR.expected(position) == pytest.approx(value, abs=1e-5)


@pytest.mark.parametrize("turns", [2, 3])
def test_the_first_playout_is_the_mix_of_network_and_result(turns: int) -> None:
    position = after(turns)
    (found,) = ASSESSOR.expectations(position, [1], seed=1, with_network=True)
    share = WITH_NETWORK.network_share
    own = share * ASSESSOR.expected(position)
    assert found.best is None
    assert own - 0.01 <= found.mean <= own + (1 - share) + 0.01


@pytest.mark.parametrize("player", [1, 2])
def test_means_are_those_of_the_player_to_move(player: int) -> None:
    """Whoever has placed stones while the other passed expects to win, and the other to lose."""
    position = after(player - 1)
    for _ in range(2):
        position = position.play(position.random_turn(random.Random(1))).play("pass")
    assert position.to_play == player
    (found,) = ASSESSOR.expectations(position, [30], seed=1, with_network=False)
    (other,) = ASSESSOR.expectations(position.play("pass"), [30], seed=1, with_network=False)
    assert found.mean > 0.7
    assert other.mean < 0.5


def test_more_playouts_continue_the_same_search() -> None:
    position = after(2)
    whole = list(ASSESSOR.expectations(position, [200], seed=1, with_network=False))
    parts = list(ASSESSOR.expectations(position, [1, 50, 200], seed=1, with_network=False))
    assert parts[-1] == whole[0]
    assert parts[0].best is None
    assert parts[1].best is not None


def test_a_solved_position_is_expected_to_end_as_it_must() -> None:
    (found,) = ASSESSOR.expectations(nearly_over(), [5_000], seed=1, with_network=False)
    assert found.best == found.mean
    assert found.best in (0.0, 0.5, 1.0)


def test_a_stone_is_ranked_among_those_that_may_be_placed() -> None:
    position = after(3)
    stone = ASSESSOR.choice(position, 400, seed=2, with_network=True)
    ranks = ASSESSOR.ranks(position, stone, playouts=100, seed=1)
    logits = ASSESSOR.judged(position).logits
    free = [step for step in GAME.mechanics.steps(position.record()) if step >= 0]
    assert ranks.choices == len(free)
    assert 1 <= ranks.amaf <= ranks.choices
    assert ranks.policy == 1 + sum(logits[step] > logits[stone] for step in free)


def test_equals_share_a_rank() -> None:
    worths = np.array([0.5, 0.9, 0.5, 0.1, 0.5])
    assert [rank(worths, place) for place in range(5)] == [3, 1, 3, 5, 3]
