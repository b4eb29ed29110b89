"""Names that must not change for a moment, and names that are changing."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from bot.arena.model.refusals import ASK_AGAIN_S, UNAVAILABLE, Refused


class HeldNames:
    """A player begins something under a name, or is given another: never both at once."""

    def __init__(self) -> None:
        self._held_back: set[str] = set()
        self._bound: list[str] = []

    @contextmanager
    def bound(self, names: Sequence[str]) -> Iterator[None]:
        """Players who are beginning something under these names, and so must keep them."""
        self._bound += names
        try:
            yield
        finally:
            for name in names:
                self._bound.remove(name)

    def binds(self, name: str) -> bool:
        """Whether the player is just beginning something."""
        return name in self._bound

    @contextmanager
    def held_back(self, name: str) -> Iterator[None]:
        """Let a player begin nothing meanwhile, because their name is being changed."""
        self._held_back.add(name)
        try:
            yield
        finally:
            self._held_back.discard(name)

    def check(self, name: str) -> None:
        """Refused while that name is being changed."""
        if name in self._held_back:
            message = "Your name is being changed."
            raise Refused(UNAVAILABLE, message, retry_after_s=ASK_AGAIN_S)
