"""Folders that one program holds."""

from pathlib import Path

import pytest

from bot.errors import HostError
from bot.runtime.data_folder import held, note_of_holder, noted


def test_a_folder_is_held_by_one_at_a_time(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "data"
    with held(folder, "a.lock", "somebody is here"):
        refused = pytest.raises(HostError, match=f"^{folder}: somebody is here$")
        with refused, held(folder, "a.lock", "somebody is here"):
            pass
        with held(folder, "b.lock", "another program, which has a lock of its own"):
            pass
        assert (folder / "a.lock").stat().st_mode & 0o777 == 0o600
    with held(folder, "a.lock", "nobody is here any more"):
        pass


@pytest.mark.parametrize(
    ("place", "complaint"),
    [("file", "the data folder cannot be made"), ("folder", "the data folder cannot be written")],
)
def test_a_folder_that_cannot_be_used_is_named(tmp_path: Path, place: str, complaint: str) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "folder" / "a.lock").mkdir(parents=True)
    refused = pytest.raises(HostError, match=f"^{tmp_path / place}: {complaint}")
    with refused, held(tmp_path / place, "a.lock", ""):
        pass


def test_a_note_is_its_holders_alone(tmp_path: Path) -> None:
    assert note_of_holder(tmp_path, "a.lock") is None
    with held(tmp_path, "a.lock", ""):
        assert note_of_holder(tmp_path, "a.lock") is None
        with noted(tmp_path, "a.lock", "http://127.0.0.1:8931"):
            assert note_of_holder(tmp_path, "a.lock") == "http://127.0.0.1:8931"
        assert note_of_holder(tmp_path, "a.lock") is None


def test_the_note_of_a_program_that_was_killed_counts_for_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.lock").write_text("http://127.0.0.1:8931")
    assert note_of_holder(tmp_path, "a.lock") is None
    with held(tmp_path, "a.lock", ""):
        assert note_of_holder(tmp_path, "a.lock") is None
