"""The data folder of an arena: one arena uses it at a time, and notes its address there."""

from contextlib import AbstractContextManager
from pathlib import Path
from typing import Final

from bot.runtime.files import held, last_note, note_of_holder, noted

LOCK_NAME: Final = "arena.lock"
STOP_FIRST: Final = (
    "an arena of an older version runs on this data folder: "
    "stop the arena first, then start it with this version"
)


def sole_user(
    folder: Path,
    why_not: str = "another arena runs on this data folder; stop it, or choose another one",
) -> AbstractContextManager[None]:
    """Hold the data folder for one arena. Raises HostError if another arena holds it."""
    return held(folder, LOCK_NAME, why_not)


def address_noted(folder: Path, address: str) -> AbstractContextManager[None]:
    """Write the arena's address into the lock's file, for `address_of_arena`."""
    return noted(folder, LOCK_NAME, address)


def address_of_arena(folder: Path) -> str | None:
    """The address of the arena that runs on this data folder; None if none runs."""
    return note_of_holder(folder, LOCK_NAME)


def noted_address(folder: Path) -> str | None:
    """The address that the last arena on this data folder noted, also if it was killed since.

    Unlike `address_of_arena`, this never keeps an arena that starts now from its lock.
    """
    return last_note(folder, LOCK_NAME)
