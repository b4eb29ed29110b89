"""Modes of files: new ones, old ones, and those of others."""

from pathlib import Path

import pytest

from bot.runtime.private_files import close_to_others, make_file, make_folder, open_private


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
def test_what_cannot_be_closed_is_left_alone(path: str) -> None:
    close_to_others(Path(path))


def test_who_may_only_read_does_not_get_more(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.touch()
    path.chmod(0o444)
    close_to_others(path)
    assert mode(path) == 0o400
