"""What a power cut would leave of files that were written through Python: what was synced."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

REAL_FSYNC = os.fsync


class Synced:
    """Notes each fsync. A killed process shows nothing of a missing one: the system has it all."""

    def __init__(self) -> None:
        self._sizes: dict[int, int] = {}

    def fsync(self, descriptor: int) -> None:
        REAL_FSYNC(descriptor)
        facts = os.fstat(descriptor)
        self._sizes[facts.st_ino] = facts.st_size

    def has_all_of(self, file: Path) -> bool:
        """Whether all of its bytes would still be there."""
        facts = file.stat()
        return self._sizes.get(facts.st_ino) == facts.st_size

    def has_name_of(self, file: Path) -> bool:
        """Whether a new file would still be found in its folder."""
        return file.parent.stat().st_ino in self._sizes


@contextmanager
def syncs() -> Iterator[Synced]:
    """Watches this process."""
    synced = Synced()
    with patch.object(os, "fsync", synced.fsync):
        yield synced
