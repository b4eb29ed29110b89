"""The hall: what only one process of an arena has, such as the lobby and challenges.

In an arena of one process, that process has it for its whole life. In an arena of several, it moves
when its process ends. A capability that answers in every process asks the one with the hall.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol

Answering = Callable[[Mapping[str, Any]], Awaitable[bytes]]


class Hall(Protocol):
    """The hall, as a capability sees it."""

    @property
    def duty(self) -> tuple[str, int] | None:
        """The process that has the hall, and the hall's epoch, for what it writes
        (`bot.arena.store.fences`); None if no other process can have it.
        """

    async def ask(self, question: str, about: Mapping[str, object]) -> bytes | None:
        """The answer of the process that has the hall; None if this process has it.

        Raises Refused as the other process does, or with `unavailable` if no process has the hall.
        """

    def answer_with(self, question: str, answering: Answering) -> None:
        """Answer this question of other processes like that. `question` must be new."""


class OwnHall:
    """The hall of an arena that is one process."""

    duty: tuple[str, int] | None = None

    async def ask(self, question: str, about: Mapping[str, object]) -> None:
        """See `Hall`."""

    def answer_with(self, question: str, answering: Answering) -> None:
        """See `Hall`. No other process asks."""
