"""Folders that one program holds."""

import errno
import os
from pathlib import Path

import pytest

from bot.errors import HostError
from bot.runtime.files import (
    append,
    close_to_others,
    held,
    make_file,
    make_folder,
    note_of_holder,
    noted,
    open_private,
    sync_folder,
)
from tests.fakes.full_disk import longest_file
from tests.fakes.synced import syncs


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def test_a_new_folder_is_closed_and_an_old_one_left_alone(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o755)
    make_folder(shared)
    make_folder(shared / "new" / "data")
    assert (mode(shared), mode(shared / "new" / "data")) == (0o755, 0o700)


def test_new_files_are_closed_and_old_ones_become_so(tmp_path: Path) -> None:
    old = tmp_path / "old"
    old.write_text("x")
    old.chmod(0o644)
    for path in (old, tmp_path / "new"):
        make_file(path)
        assert mode(path) == 0o600
    assert old.read_text() == "x"


def test_text_is_appended(tmp_path: Path) -> None:
    path = tmp_path / "log"
    for line in ("a", "b"):
        with open_private(path) as file:
            file.write(line)
    assert (path.read_text(), mode(path)) == ("ab", 0o600)


@pytest.mark.parametrize("path", ["/dev/null", "/nowhere/at/all", "/proc/self/status"])
def test_files_of_other_owners_are_left_alone(path: str) -> None:
    close_to_others(Path(path))


def test_a_read_only_mode_gets_no_more_rights(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.touch()
    path.chmod(0o444)
    close_to_others(path)
    assert mode(path) == 0o400


def add(path: Path, data: bytes) -> None:
    with path.open("ab", buffering=0) as file:
        append(file.fileno(), data)


def test_appended_bytes_follow_the_existing_ones(tmp_path: Path) -> None:
    path = tmp_path / "file"

    add(path, b"one\n")
    add(path, b"two\n")

    assert path.read_bytes() == b"one\ntwo\n"


def test_nothing_is_added_where_not_all_finds_room(tmp_path: Path) -> None:
    path = tmp_path / "file"
    add(path, b"one\n")

    with longest_file(6), pytest.raises(OSError, match=os.strerror(errno.EFBIG)):
        add(path, b"two\n")

    assert path.read_bytes() == b"one\n"


def test_appended_bytes_survive_a_power_cut(tmp_path: Path) -> None:
    path = tmp_path / "file"
    with syncs() as synced:
        for data in (b"one\n", b"two\n"):
            add(path, data)
            assert synced.has_all_of(path)
        sync_folder(tmp_path)
        assert synced.has_name_of(path)


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
    [
        ("file", "the data folder cannot be created"),
        ("folder", "the data folder cannot be written"),
    ],
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
