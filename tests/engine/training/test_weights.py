"""Weights from a file are looked at before the search reads them."""

from pathlib import Path

import numpy as np
import pytest

import engine
from engine.neural.parameters import save_parameters
from engine.training.weights import UnfitWeights, network_from
from tests.engine.neural.reference import random_parameters

PENT = engine.game("bluestone", board="pent-3")


def test_weights_that_were_saved_make_a_network_for_any_board_of_the_game(tmp_path: Path) -> None:
    file = tmp_path / "weights.npz"
    parameters = random_parameters(PENT, layers=2, seed=1)
    save_parameters(file, parameters)
    for board in ("pent-3", "limping-7"):
        network = network_from(engine.game("bluestone", board=board), file)
        assert network is not None
        assert np.allclose(network.policy, parameters.policy.T, atol=1e-3)


def test_a_board_without_weights_has_no_network() -> None:
    assert network_from(PENT, None) is None


def test_weights_of_another_game_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "weights.npz"
    save_parameters(file, random_parameters(PENT, layers=2, seed=1))
    with pytest.raises(UnfitWeights, match=r"first has the shape .* and blooms needs"):
        network_from(engine.game("blooms", board="hexhex-4"), file)


def test_arrays_that_do_not_fit_each_other_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "weights.npz"
    whole = random_parameters(PENT, layers=4, seed=1)
    save_parameters(file, whole._replace(pooled=whole.pooled[:1]))
    with pytest.raises(UnfitWeights, match="pooled has the shape"):
        network_from(PENT, file)


@pytest.mark.parametrize("content", [b"", b"not an archive", b"PK\x03\x04 broken"])
def test_a_file_of_something_else_is_refused(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "weights.npz"
    file.write_bytes(content)
    with pytest.raises(UnfitWeights, match="no file of weights"):
        network_from(PENT, file)


def test_an_archive_of_other_arrays_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "weights.npz"
    np.savez(file, other=np.zeros(3))
    with pytest.raises(UnfitWeights, match="no file of weights"):
        network_from(PENT, file)


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(UnfitWeights, match="No such file"):
        network_from(PENT, tmp_path / "missing.npz")
