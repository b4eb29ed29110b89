"""Which of the networks that come with the engine serves a board."""

from importlib import resources
from pathlib import Path

import pytest

import engine
from engine.neural import weights
from engine.neural.shipped import SERVED, shipped_file, shipped_network
from engine.training.weights import parameters_in

FAMILY = {("bluestone", "pent-6"): ("pent-5", "pent-7")}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("bluestone-pent-6.npz", "bluestone-pent-7.npz"):
        (tmp_path / name).touch()
    return tmp_path


@pytest.mark.parametrize(
    ("board", "file"),
    [
        ("pent-6", "bluestone-pent-6.npz"),
        ("pent-7", "bluestone-pent-7.npz"),  # its own, whatever the table says
        ("pent-5", "bluestone-pent-6.npz"),
        ("pent-8", None),  # nobody measured it there
    ],
)
def test_a_board_has_its_own_network_or_that_of_its_family(
    folder: Path, board: str, file: str | None
) -> None:
    found = shipped_file("bluestone", board, folder, FAMILY)
    assert (found and found.name) == file
    assert shipped_file("blooms", board, folder, FAMILY) is None


SHIPPED = [*SERVED, *((game, board) for (game, _), boards in SERVED.items() for board in boards)]


@pytest.mark.parametrize(("game", "board"), SHIPPED)
def test_every_network_fits_the_boards_that_it_serves(game: str, board: str) -> None:
    chosen, file = engine.game(game, board=board), shipped_file(game, board)
    assert file is not None
    parameters_in(chosen, file.read_bytes())
    assert shipped_network(chosen) is not None


def test_boards_are_served_that_have_no_network_of_their_own() -> None:
    for (game, _), boards in SERVED.items():
        for board in boards:
            assert not resources.files(weights).joinpath(f"{game}-{board}.npz").is_file()


def test_rule_sets_without_training_have_no_network() -> None:
    assert shipped_network(engine.game("stargazers", "stars-39")) is not None
    assert shipped_network(engine.game("stargazers", "stars-39", "ludii")) is None
