"""Bytes added to a file so that they are on the disk, whole or not at all."""

import os
from contextlib import suppress
from pathlib import Path


def append(descriptor: int, data: bytes) -> None:
    """On the disk when this returns; if it raises OSError the file is as long as before.

    Nobody else may write to the file meanwhile: take its lock first.
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
