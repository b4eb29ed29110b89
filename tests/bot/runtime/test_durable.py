"""What is added to a file is there whole, or not at all."""

import errno
import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bot.runtime.durable import append, sync_folder
from tests.fakes.synced import syncs


@contextmanager
def files_no_longer_than(size: int) -> Iterator[None]:
    """As if the disk were full from there on."""
    usual = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, usual[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, usual)


def add(path: Path, data: bytes) -> None:
    with path.open("ab", buffering=0) as file:
        append(file.fileno(), data)


def test_what_is_added_follows_what_is_there(tmp_path: Path) -> None:
    path = tmp_path / "file"

    add(path, b"one\n")
    add(path, b"two\n")

    assert path.read_bytes() == b"one\ntwo\n"


def test_nothing_is_added_where_not_all_finds_room(tmp_path: Path) -> None:
    path = tmp_path / "file"
    add(path, b"one\n")

    with files_no_longer_than(6), pytest.raises(OSError, match=os.strerror(errno.EFBIG)):
        add(path, b"two\n")

    assert path.read_bytes() == b"one\n"


def test_what_is_added_outlives_a_power_cut(tmp_path: Path) -> None:
    path = tmp_path / "file"
    with syncs() as synced:
        for data in (b"one\n", b"two\n"):
            add(path, data)
            assert synced.has_all_of(path)
        sync_folder(tmp_path)
        assert synced.has_name_of(path)
