"""Writing a static site into a folder."""

from pathlib import Path

import pytest

from bot.errors import ConfigurationError, HostError
from bot.guests.static_site.folder import write_site

FIRST = {"index.html": b"1", "service_worker.js": b"1", "assets/a.1.js": b"1", "engine/a.bin": b"1"}
SECOND = {
    "index.html": b"2",
    "service_worker.js": b"2",
    "assets/a.2.js": b"2",
    "engine/a.bin": b"2",
}


def files_in(folder: Path) -> dict[str, bytes]:
    files = (each for each in folder.rglob("*") if each.is_file())
    return {each.relative_to(folder).as_posix(): each.read_bytes() for each in files}


def test_a_later_version_takes_the_place_of_an_earlier_one(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "site"
    write_site(folder, FIRST)
    assert files_in(folder) == FIRST
    (folder / "CNAME").write_bytes(b"site.example")
    write_site(folder, SECOND)
    assert files_in(folder) == SECOND | {"CNAME": b"site.example"}


def test_a_folder_with_something_else_stays_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "photo").write_bytes(b"")
    with pytest.raises(ConfigurationError, match="something else"):
        write_site(tmp_path, FIRST)
    with pytest.raises(ConfigurationError, match="something else"):
        write_site(tmp_path / "photo", FIRST)
    assert files_in(tmp_path) == {"photo": b""}


def test_what_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "service_worker.js").write_bytes(b"")
    (tmp_path / "assets").write_bytes(b"")
    with pytest.raises(HostError, match="assets"):
        write_site(tmp_path, FIRST)
