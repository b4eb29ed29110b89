"""Folders that one program holds."""

from pathlib import Path

import pytest

from bot.errors import HostError
from bot.runtime.data_folder import held


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
