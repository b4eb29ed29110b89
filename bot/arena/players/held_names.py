"""Names that must not change for a moment, and names that are being changed."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol

from bot import wire
from bot.arena.refusals import ASK_AGAIN_S, UNAVAILABLE, Refused


class HeldNames:
    """Prevents that a player starts something while the player's name is changed."""

    def __init__(self) -> None:
        self._held_back: set[str] = set()
        self._bound: list[str] = []

    @contextmanager
    def bound(self, names: Sequence[str]) -> Iterator[None]:
        """Keep these names unchanged, because their players are starting something."""
        self._bound += names
        try:
            yield
        finally:
            for name in names:
                self._bound.remove(name)

    def binds(self, name: str) -> bool:
        """Return whether the player of that name is starting something."""
        return name in self._bound

    @contextmanager
    def held_back(self, name: str) -> Iterator[None]:
        """Prevent the player of that name from starting anything, because the name is being
        changed.
        """
        self._held_back.add(name)
        try:
            yield
        finally:
            self._held_back.discard(name)

    def check(self, name: str) -> None:
        """Raises Refused while that name is being changed."""
        if name in self._held_back:
            message = "Your name is being changed."
            raise Refused(UNAVAILABLE, message, retry_after_s=ASK_AGAIN_S)


class NameHolder(Protocol):
    """What players start, such as challenges: meanwhile their names must not change."""

    @property
    def names(self) -> HeldNames: ...

    def binds(self, name: str) -> bool:
        """Return whether the player must keep this name now."""


class NameKeeper(NameHolder, Protocol):
    """A capability that needs the names of its players, such as those in a tournament."""

    @property
    def reason(self) -> str:
        """Why a name must stay, as in "is in a tournament"; the player is its subject."""

    async def release(self, player: wire.Player) -> None:
        """Let a player go who leaves the site, where that is still possible."""
