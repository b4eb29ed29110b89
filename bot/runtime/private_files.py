"""Files that only their owner reads: journals, databases, records, logs."""

import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import Final, TextIO

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
