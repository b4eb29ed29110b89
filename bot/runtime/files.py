"""Files and folders of a program: private, appended durably, and locked while it runs."""

import errno
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
OTHERS_WRITE: Final = 0o022
ROOT: Final = 0


def make_folder(path: Path) -> None:
    """Create a private folder.

    An existing folder keeps its mode, because it may be shared on purpose; the files that are put
    into it are private themselves.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    path.mkdir(mode=FOLDER, exist_ok=True)


def make_file(path: Path) -> None:
    """Create an empty private file for a library that opens it by itself, or make the existing one
    private.

    A new file of root's belongs to the owner of its folder, whose program must be able to use it.
    Raises OSError; also if root would follow the link of another user, which may lead to any file.
    """
    if os.geteuid() == ROOT and path.is_symlink() and path.lstat().st_uid != ROOT:
        raise PermissionError(errno.EPERM, "root follows no link of another user", str(path))
    with suppress(FileExistsError):
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, FILE)
        try:
            _give_to_owner_of_folder(descriptor, path.parent)
        finally:
            os.close(descriptor)
    close_to_others(path)


def _give_to_owner_of_folder(descriptor: int, folder: Path) -> None:
    owner = folder.stat()
    if os.geteuid() == ROOT != owner.st_uid and not owner.st_mode & OTHERS_WRITE:
        os.fchown(descriptor, owner.st_uid, owner.st_gid)


def open_private(path: Path) -> TextIO:
    """Open a private file to append text to it."""
    make_file(path)
    return path.open("a", encoding="utf-8")


def close_to_others(path: Path) -> None:
    """Make an existing file private. Do nothing if it is not ours, or has no owner in its file
    system.

    The file is not opened, because closing a database's file releases its locks in this whole
    process.
    """
    with suppress(OSError):
        mode = path.stat().st_mode
        if stat.S_ISREG(mode) and mode & OTHERS:
            path.chmod(stat.S_IMODE(mode) & ~OTHERS)


def append(descriptor: int, data: bytes) -> None:
    """Append to a file and sync it to disk. If this raises OSError, the file is as long as before.

    No other program may write to the file at the same time, so take its lock first.
    """
    size = os.fstat(descriptor).st_size
    try:
        # A write on a disk that fills up succeeds in part. The next call then raises the reason.
        while data:
            data = data[os.write(descriptor, data) :]
        os.fsync(descriptor)
    except OSError:
        with suppress(OSError):
            os.ftruncate(descriptor, size)
        raise


def sync_folder(folder: Path) -> None:
    """Make a new file in this folder survive a power cut. Raises OSError."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


# A program's data folder: created if it is missing, held by one program at a time, with a note of
# that program.


def made(folder: Path) -> None:
    """Create the folder as a private one if it does not exist. Raises HostError."""
    try:
        make_folder(folder)
    except OSError as error:
        raise HostError(f"{folder}: the data folder cannot be created: {error.strerror}") from error


@contextmanager
def held(folder: Path, lock: str, why_not: str) -> Iterator[None]:
    """Hold the folder by a lock on a file in it. The lock ends with the process.

    Raises HostError with `why_not` if another program holds it, and also if it is not writable.
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
            file.truncate(0)  # the note of a holder that was killed
        yield


@contextmanager
def noted(folder: Path, lock: str, note: str) -> Iterator[None]:
    """Write a note into the lock's file for the time of the block; see `note_of_holder`.

    The note is a convenience, so a failure to write it is ignored.
    """
    with suppress(OSError):
        (folder / lock).write_text(note, encoding="utf-8")
    try:
        yield
    finally:
        with suppress(OSError):
            (folder / lock).write_text("", encoding="utf-8")


def note_of_holder(folder: Path, lock: str) -> str | None:
    """Return the note of the program that holds the folder now; None if there is no holder or no
    note.
    """
    with suppress(OSError, UnicodeDecodeError), (folder / lock).open(encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return file.read() or None
    return None


def last_note(folder: Path, lock: str) -> str | None:
    """Return the note without touching the lock, so that a program that starts now gets the lock.

    It may be that of a holder that was killed. None if there is no note.
    """
    with suppress(OSError, UnicodeDecodeError):
        return (folder / lock).read_text(encoding="utf-8").strip() or None
    return None
