"""Writing a static site into a folder."""

import errno
import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from bot.errors import ConfigurationError, HostError
from bot.guests.static_site.folder import LIST, write_site


def version(number: int) -> dict[str, bytes]:
    content = str(number).encode()
    names = ("index.html", "service_worker.js", f"assets/a.{number}.js", "engine/a.bin")
    listed = {"files": ["/assets/" + f"a.{number}.js", "/engine/a.bin"], "texts": []}
    return {**dict.fromkeys(names, content), LIST: json.dumps(listed).encode()}


FIRST, SECOND = version(1), version(2)


def files_in(folder: Path) -> dict[str, bytes]:
    files = (each for each in folder.rglob("*") if each.is_file())
    return {each.relative_to(folder).as_posix(): each.read_bytes() for each in files}


def put(folder: Path, files: Mapping[str, bytes]) -> None:
    for path, content in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)


def test_a_later_version_takes_the_place_of_an_earlier_one(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "site"
    write_site(folder, FIRST)
    assert files_in(folder) == FIRST
    others = {"CNAME": b"site.example", "assets/photo.jpg": b"own", "engine/deep/own.txt": b"own"}
    put(folder, others)
    write_site(folder, SECOND)
    assert files_in(folder) == SECOND | others


@pytest.mark.parametrize(
    "others",
    [
        {"photo": b""},
        {"index.html": b"own", "service_worker.js": b"own", "assets/own.js": b"own"},
        {LIST: b"{"},
        {LIST: b'["/assets/own.js"]', "assets/own.js": b"own"},
        {LIST: b'{"files": ["/assets/own.js"]}', "assets/own.js": b"own"},
        {LIST: b"[" * 100_000},
        {f"{LIST}/own": b"own"},
    ],
)
def test_a_folder_with_something_else_stays_as_it_is(
    tmp_path: Path, others: dict[str, bytes]
) -> None:
    put(tmp_path, others)
    with pytest.raises(ConfigurationError, match="something else"):
        write_site(tmp_path, FIRST)
    assert files_in(tmp_path) == others


def test_a_file_stays_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "photo").write_bytes(b"own")
    with pytest.raises(ConfigurationError, match="something else"):
        write_site(tmp_path / "photo", FIRST)
    assert files_in(tmp_path) == {"photo": b"own"}


def test_a_link_is_replaced_and_not_followed(tmp_path: Path) -> None:
    write_site(tmp_path / "site", FIRST)
    (tmp_path / "own").write_bytes(b"own")
    (tmp_path / "site" / "index.html").unlink()
    (tmp_path / "site" / "index.html").symlink_to(tmp_path / "own")
    write_site(tmp_path / "site", SECOND)
    assert (tmp_path / "own").read_bytes() == b"own"
    assert files_in(tmp_path / "site") == SECOND


def test_what_cannot_be_written_is_named(tmp_path: Path) -> None:
    write_site(tmp_path, FIRST)
    (tmp_path / "engine" / "a.bin").unlink()
    (tmp_path / "engine").rmdir()
    (tmp_path / "engine").write_bytes(b"")
    with pytest.raises(HostError, match="engine"):
        write_site(tmp_path, SECOND)


def test_on_a_full_disk_no_file_is_written_in_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As Linux does it, the part that has room is written, and the error names no file."""
    write = Path.write_bytes
    free = 3

    def limited(file: Path, content: bytes) -> int:
        nonlocal free
        if free == 0:
            write(file, content[: len(content) // 2])
            raise OSError(errno.ENOSPC, "No space left on device")
        free -= 1
        return write(file, content)

    write_site(tmp_path / "updated", FIRST)
    monkeypatch.setattr(Path, "write_bytes", limited)
    for folder in ("updated", "new"):
        free = 3
        with pytest.raises(HostError, match=rf"{folder}: cannot be written: No space left"):
            write_site(tmp_path / folder, SECOND)
        found = files_in(tmp_path / folder)
        assert found.items() <= {**FIRST, **SECOND}.items() | FIRST.items()
    monkeypatch.undo()
    for folder in ("updated", "new"):
        write_site(tmp_path / folder, SECOND)
        assert SECOND.items() <= files_in(tmp_path / folder).items()
