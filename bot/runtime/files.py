"""Files and folders of a program: private, appended durably, and locked while it runs."""

import fcntl
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, TextIO

from bot.errors import HostError

FILE: Final = 0o600
FOLDER: Final = 0o700
OTHERS: Final = 0o077


def make_folder(path: Path) -> None:
    """Make a folder that is closed to others. One that is there already stays as it is: it may
    be shared on purpose, and what we put into it is closed by itself.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    path.mkdir(mode=FOLDER, exist_ok=True)


def make_file(path: Path) -> None:
    """A file for a library that opens it by itself: empty if it is new, else closed to others."""
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, FILE))
    close_to_others(path)


def open_private(path: Path) -> TextIO:
    """To append text to."""
    make_file(path)
    return path.open("a", encoding="utf-8")


def close_to_others(path: Path) -> None:
    """A file, if it is there; nothing if it is not ours, or if its file system knows no owners.

    It is not opened: closing a database's file takes its locks from this whole process.
    """
    with suppress(OSError):
        mode = path.stat().st_mode
        if stat.S_ISREG(mode) and mode & OTHERS:
            path.chmod(stat.S_IMODE(mode) & ~OTHERS)


def append(descriptor: int, data: bytes) -> None:
    """On the disk when this returns; if it raises OSError the file is as long as before.

    No other program may write to the file meanwhile: take its lock first.
    """
    size = os.fstat(descriptor).st_size
    try:
        # A disk that fills up writes a part first; the next call then says what is wrong.
        while data:
            data = data[os.write(descriptor, data) :]
        os.fsync(descriptor)
    except OSError:
        with suppress(OSError):
            os.ftruncate(descriptor, size)
        raise


def sync_folder(folder: Path) -> None:
    """Let a file that is new in it still be there after a power cut. Raises OSError."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


# A program's data folder: made if it is not there, held by one program at a time, and what that
# one says to others.


def made(folder: Path) -> None:
    """Make the folder, closed to others, if it is not there. Raises HostError."""
    try:
        make_folder(folder)
    except OSError as error:
        raise HostError(f"{folder}: the data folder cannot be made: {error.strerror}") from error


@contextmanager
def held(folder: Path, lock: str, why_not: str) -> Iterator[None]:
    """Holds the folder, by a lock on a file in it that ends with the process.

    Raises HostError: with `why_not` if another program holds it, or if it cannot be written.
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

    It is a convenience: a failure to write it is ignored.
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
