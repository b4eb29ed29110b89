"""What a training begins with."""

from datetime import UTC, datetime
from importlib import resources
from pathlib import Path

import pytest

import engine
from engine.neural import weights as shipped_weights
from engine.training.errors import TrainingError
from engine.training.journal import Journal
from engine.training.run_folder import RunFolder
from engine.training.settings import Identity
from engine.training.start import start_from
from engine.training.weights import UnfitWeights
from tests.engine.training.small import file_of, weights

PENT_3 = engine.game("bluestone", board="pent-3")
PENT_6 = engine.game("bluestone", board="pent-6")


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    made = RunFolder(tmp_path / "run")
    made.make()
    return made


def begun(folder: RunFolder, name: str | None) -> None:
    journal = Journal(folder.log, lambda: datetime(2026, 1, 1, tzinfo=UTC))
    journal.begin(Identity("bluestone", "pent-3", 1, 3, start=name))


def test_it_begins_with_a_file_and_has_as_many_layers(folder: RunFolder, tmp_path: Path) -> None:
    file = tmp_path / "some.npz"
    file.write_bytes(file_of(weights(1, layers=3)))
    found = start_from(folder, PENT_3, str(file))
    assert (found.name, found.content, found.layers) == (str(file), file.read_bytes(), 3)


def test_it_begins_with_the_network_of_the_engine(folder: RunFolder) -> None:
    file = resources.files(shipped_weights).joinpath("bluestone-pent-6.npz")
    assert start_from(folder, PENT_6, "shipped").content == file.read_bytes()
    with pytest.raises(UnfitWeights, match="bluestone on pent-3"):
        start_from(folder, PENT_3, "shipped")


def test_a_training_continues_with_its_own_copy_of_the_start(
    folder: RunFolder, tmp_path: Path
) -> None:
    name = str(tmp_path / "gone.npz")
    folder.save_start(file_of(weights(1)))
    begun(folder, name)
    assert start_from(folder, PENT_3, name).content == folder.weights(0)
    with pytest.raises(UnfitWeights, match="No such file"):
        start_from(folder, PENT_3, str(tmp_path / "other.npz"))


def test_its_copy_is_named_where_it_is_damaged(folder: RunFolder) -> None:
    begun(folder, "shipped")
    folder.save_start(b"PK")
    with pytest.raises(TrainingError, match=r"net-0000\.npz: it is not a file of weights"):
        start_from(folder, PENT_3, "shipped")


def test_other_start_weights_are_another_training(folder: RunFolder) -> None:
    begun(folder, None)
    with pytest.raises(TrainingError, match="another training"):
        begun(folder, "shipped")


def test_a_log_from_before_start_weights_is_read(folder: RunFolder) -> None:
    folder.log.write_text(
        '{"event": "began", "game": "bluestone", "board": "pent-3", "seed": 1, "layers": 3}\n'
    )
    begun(folder, None)
    assert len(folder.log.read_text().splitlines()) == 1
