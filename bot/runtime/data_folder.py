"""A program's data folder: made if it is not there, held by one program at a time, and what that
one says to others.
"""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager, suppress
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
        with suppress(OSError):
            file.truncate(0)  # what a holder that was killed has noted
        yield


@contextmanager
def noted(folder: Path, lock: str, note: str) -> Iterator[None]:
    """Leaves a line in the lock's file for as long as its holder likes; see `note_of_holder`.

    It is a convenience: where it cannot be written, all else goes on.
    """
    with suppress(OSError):
        (folder / lock).write_text(note, encoding="utf-8")
    try:
        yield
    finally:
        with suppress(OSError):
            (folder / lock).write_text("", encoding="utf-8")


def note_of_holder(folder: Path, lock: str) -> str | None:
    """What the program that holds the folder now has noted; None if none does, or says nothing."""
    with suppress(OSError, UnicodeDecodeError), (folder / lock).open(encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return file.read() or None
    return None
