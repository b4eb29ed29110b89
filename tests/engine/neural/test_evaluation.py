"""The network as the search computes it, against a plain one."""

import random

import numpy as np
import pytest

import engine
from engine.game import Game
from engine.kernel.generic import Record, compiled
from engine.neural.evaluation import Activations, activations, judge
from engine.neural.network import Network, network_for
from tests.engine.neural.reference import features_of, judged, random_parameters

BOARDS = [
    ("bluestone", "pent-6"),
    ("bluestone", "limping-7"),
    ("bluestone", "pent-4"),
    ("blooms", "hexhex-5"),
    ("stargazers", "stars-39"),
]

ROUNDING = 1e-3
"""How far whole numbers of 16 bits are off, as a part of the largest answer."""


@compiled
def evaluate(board: Record, state: Record, network: Network, work: Activations) -> None:
    judge(board, state, network, work)


def some_states(game: Game, seed: int) -> list[Record]:
    """Positions before the first stone of a turn, and before the second."""
    chance, position, states = random.Random(seed), game.start(), []
    while not position.over:
        state = game.mechanics.copy_of(position.record())
        states.append(game.mechanics.copy_of(state))
        game.mechanics.try_step(state, chance.choice(game.mechanics.steps(state)))
        if not state["over"]:
            states.append(state)
        position = position.play(position.random_turn(chance))
    return chance.sample(states, min(12, len(states)))


@pytest.mark.parametrize(("name", "board"), BOARDS)
@pytest.mark.parametrize("layers", [1, 4])
def test_the_search_computes_the_same_as_a_plain_network(
    name: str, board: str, layers: int
) -> None:
    game = engine.game(name, board=board)
    parameters = random_parameters(game, layers, seed=layers)
    network = network_for(game, parameters)
    work = activations(network, len(game.step_names))
    for state in some_states(game, seed=3):
        evaluate(game.record, state, network, work)
        codes, numbers, turned = features_of(game, state)
        policy, value = judged(game, parameters, codes, numbers)
        logits = work.logits.reshape(-1, game.kinds)
        if turned:
            logits = logits[:, ::-1]
        assert np.allclose(logits, policy, rtol=0, atol=ROUNDING * np.abs(policy).max())
        assert work.expected[0] == pytest.approx(value, abs=ROUNDING)
