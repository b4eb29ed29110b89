"""What an identity is doing, for its parts and for the health page."""

import asyncio
from dataclasses import dataclass, field

from bot.daemon.session import GameSession
from bot.platforms.base import GameFacts


@dataclass(slots=True)
class RunningGame:
    """A game with its session; `our_turn_since` and `ply_since` are on the monotonic clock.

    `ply_since`: when it came to the ply where it is. `is_noted`: the journal knows of the game.
    """

    session: GameSession
    latest: GameFacts
    ply_since: float
    our_turn_since: float | None = None
    is_noted: bool = False
    task: asyncio.Task[None] | None = None


@dataclass(slots=True)
class IdentityStatus:
    """`name` is what the server calls us, once we were connected; `games` are by their ids.

    `problem`: why we are not connected. `unread`: why games of ours cannot be read, by their ids.
    """

    name: str = ""
    connected: bool = False
    problem: str | None = None
    refused: str | None = None
    unread: dict[str, str] = field(default_factory=dict)
    games: dict[str, RunningGame] = field(default_factory=dict)
    _changed: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def facts(self) -> list[GameFacts]:
        """What the server said last of each game."""
        return [game.latest for game in self.games.values()]

    def note_change(self) -> None:
        """Wake those who wait for anything about this identity."""
        self._changed.set()
        self._changed = asyncio.Event()

    async def change(self) -> None:
        await self._changed.wait()
