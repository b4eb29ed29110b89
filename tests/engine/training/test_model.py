"""The network in torch beside its description, on any board; without torch none of it is tried."""

from importlib import resources

import numpy as np
import pytest

pytest.importorskip("torch")

import engine
from engine.neural import weights as shipped_weights
from engine.neural.parameters import Parameters
from engine.neural.sizes import CHANNELS
from engine.training.model import Model
from engine.training.torch_trainer import judge_of
from engine.training.weights import parameters_in
from tests.engine.neural.reference import judged, random_parameters

SHIPPED = [("bluestone", "pent-6"), ("blooms", "hexhex-5"), ("stargazers", "stars-39")]


def model_with(game: engine.Game, parameters: Parameters) -> Model:
    model = Model(game, len(parameters.layers), len(parameters.value))
    model.take(parameters)
    return model


def shipped(name: str, board: str) -> tuple[engine.Game, Parameters]:
    game = engine.game(name, board=board)
    file = resources.files(shipped_weights).joinpath(f"{name}-{board}.npz")
    return game, parameters_in(game, file.read_bytes())


@pytest.mark.parametrize(("name", "board"), SHIPPED)
def test_weights_that_are_taken_come_out_again(name: str, board: str) -> None:
    game, parameters = shipped(name, board)
    found = model_with(game, parameters).parameters_of()
    for field, array in parameters._asdict().items():
        assert np.array_equal(getattr(found, field), array), field


@pytest.mark.parametrize(("name", "board"), SHIPPED)
def test_copied_weights_give_the_same_output(name: str, board: str) -> None:
    game, parameters = shipped(name, board)
    compare(game, model_with(game, parameters), parameters)


def test_the_same_weights_serve_boards_of_every_size() -> None:
    games = [engine.game("bluestone", board=board) for board in ("pent-3", "pent-5", "limping-4")]
    parameters = random_parameters(games[0], layers=4, seed=2)
    model = model_with(games[0], parameters)
    for game in games:
        compare(game, model, parameters)


def compare(game: engine.Game, model: Model, parameters: Parameters) -> None:
    """On cells that nobody played: the network knows no rules."""
    encoding, chance = game.rules.encoding, np.random.default_rng(5)
    codes = chance.integers(0, len(encoding.planes), (6, len(game.board.cells))).astype(np.uint8)
    numbers = chance.random((6, encoding.numbers)).astype(np.float32)
    policy, chances = judge_of(model, "cpu")(game, codes, numbers)
    for row in range(6):
        wanted, expected = judged(game, parameters, codes[row], numbers[row])
        assert np.allclose(policy[row], wanted, atol=1e-3)
        assert chances[row] == pytest.approx(expected, abs=1e-4)


def test_weights_of_another_shape_are_not_taken() -> None:
    game = engine.game("bluestone", board="pent-3")
    model = Model(game, 2, 5)
    parameters = random_parameters(game, layers=2, seed=1)
    model.take(parameters)
    with pytest.raises(RuntimeError, match="shape"):
        model.take(parameters._replace(hidden=np.zeros((2 * CHANNELS, 1), np.float32)))
