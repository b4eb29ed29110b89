"""The data folder of a bot daemon: one daemon uses it, and notes there where its health page is."""

from contextlib import AbstractContextManager
from pathlib import Path
from typing import Final

from bot.runtime.files import held, last_note, noted

LOCK_NAME: Final = "daemon.lock"
ANOTHER: Final = "another daemon uses this folder; each daemon needs its own `daemon.data`"


def sole_daemon(folder: Path) -> AbstractContextManager[None]:
    """Hold the data folder for one daemon. Raises HostError if another daemon holds it."""
    return held(folder, LOCK_NAME, ANOTHER)


def health_noted(folder: Path, address: str) -> AbstractContextManager[None]:
    """Write the address of the health page into the lock's file, for `noted_health`."""
    return noted(folder, LOCK_NAME, address)


def noted_health(folder: Path) -> str | None:
    """The address of the health page that the last daemon noted, also if it was killed since.

    Returns None without a note. A daemon that starts at the same time still gets its lock.
    """
    return last_note(folder, LOCK_NAME)
