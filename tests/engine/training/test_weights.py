"""Weights from a file are looked at before the search reads them."""

import random
import zipfile
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from numpy.lib.format import write_array_header_1_0
from numpy.typing import NDArray

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
    with pytest.raises(UnfitWeights, match="not a file of weights"):
        network_from(PENT, file)


def test_an_archive_of_other_arrays_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "weights.npz"
    np.savez(file, other=np.zeros(3))
    with pytest.raises(UnfitWeights, match="not a file of weights"):
        network_from(PENT, file)


def saved(file: Path, **changed: NDArray[np.generic]) -> Path:
    """Weights, with other arrays in the place of some."""
    np.savez_compressed(file, **{**random_parameters(PENT, 2, seed=1)._asdict(), **changed})
    return file


def test_shapes_are_looked_at_before_there_is_memory_for_them(tmp_path: Path) -> None:
    """The arrays are not there: only their headers say that they are large."""
    file, huge = tmp_path / "weights.npz", (10**12, 7, 16, 16)
    small = random_parameters(PENT, 2, seed=1)._asdict()
    with zipfile.ZipFile(file, "w") as archive:
        for name, array in small.items():
            with archive.open(f"{name}.npy", "w") as stored:
                shape = huge if name == "layers" else array.shape
                header = {"descr": "<f2", "fortran_order": False, "shape": shape}
                write_array_header_1_0(stored, header)
    with pytest.raises(UnfitWeights, match="biases has the shape"):
        network_from(PENT, file)


def test_more_layers_than_any_network_has_are_refused(tmp_path: Path) -> None:
    many = random_parameters(PENT, 65, seed=1)
    file = saved(tmp_path / "weights.npz", **many._asdict())
    with pytest.raises(UnfitWeights, match="it has 65 layers, and a network has 1 to 64"):
        network_from(PENT, file)


@pytest.mark.parametrize("bias", [[np.nan], [1e60], ["x"], [None]])
def test_weights_that_are_not_numbers_are_refused(tmp_path: Path, bias: list[object]) -> None:
    file = saved(tmp_path / "weights.npz", value_bias=np.array(bias))
    with pytest.raises(UnfitWeights, match=r"value_bias|not a file of weights"):
        network_from(PENT, file)


def test_a_file_larger_than_weights_are_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "weights.npz"
    with file.open("wb") as out:
        out.truncate(1 << 30)
    with pytest.raises(UnfitWeights, match="too large"):
        network_from(PENT, file)


def test_damaged_files_are_refused_or_read_and_nothing_else(tmp_path: Path) -> None:
    whole, chance = saved(tmp_path / "whole.npz").read_bytes(), random.Random(1)
    file = tmp_path / "damaged.npz"
    for _ in range(400):
        content = bytearray(whole[: chance.choice((len(whole), chance.randrange(len(whole))))])
        for _ in range(chance.choice((1, 3, 30))):
            # Most damage where the archive describes itself: at the ends.
            at = chance.choice((chance.randrange(600), -1 - chance.randrange(900)))
            content[max(-len(content), min(at, len(content) - 1))] = chance.randrange(256)
        file.write_bytes(content)
        with suppress(UnfitWeights):
            network_from(PENT, file)


def test_headers_that_were_written_by_hand_are_refused(tmp_path: Path) -> None:
    """The archive is whole: only what it holds is not as NumPy writes it."""
    file, chance = tmp_path / "weights.npz", random.Random(2)
    with zipfile.ZipFile(saved(file)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    for _ in range(300):
        with zipfile.ZipFile(file, "w") as archive:
            for name, content in members.items():
                damaged = bytearray(content)
                for _ in range(chance.choice((0, 0, 0, 1, 3))):
                    damaged[chance.randrange(120)] = chance.randrange(256)
                archive.writestr(name, damaged)
        with suppress(UnfitWeights):
            network_from(PENT, file)


def test_a_missing_file_is_reported(tmp_path: Path) -> None:
    with pytest.raises(UnfitWeights, match="No such file"):
        network_from(PENT, tmp_path / "missing.npz")
