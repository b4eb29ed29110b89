"""A program's data folder: made if it is not there, and held by one program at a time."""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bot.errors import HostError
from bot.runtime.private_files import make_folder, open_private


def made(folder: Path) -> None:
    """Make the folder, closed to others, if it is not there. Raises HostError."""
    try:
        make_folder(folder)
    except OSError as error:
        raise HostError(f"{folder}: the data folder cannot be made: {error.strerror}") from error


@contextmanager
def held(folder: Path, lock: str, why_not: str) -> Iterator[None]:
    """Holds the folder, by a lock on a file in it that ends with the process.

    Raises HostError: with `why_not` if somebody else holds it, or if it cannot be written.
    """
    made(folder)
    try:
        file = open_private(folder / lock)
    except OSError as error:
        raise HostError(f"{folder}: the data folder cannot be written: {error.strerror}") from error
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise HostError(f"{folder}: {why_not}") from error
        yield
