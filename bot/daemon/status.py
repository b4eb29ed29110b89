"""The state of an identity, for its parts and for the health page."""

import asyncio
from dataclasses import dataclass, field

from bot.daemon.session import GameSession
from bot.platforms.base import GameFacts


@dataclass(slots=True)
class StatusGame:
    """A game with its session.

    `ply_since` and `our_turn_since` are when the present ply and our turn began, on the monotonic
    clock. `is_noted` says that the journal has the game. `plies_seen` is how many turns the server
    has shown before, while it shows fewer; None otherwise.
    """

    session: GameSession
    latest: GameFacts
    ply_since: float
    our_turn_since: float | None = None
    is_noted: bool = False
    plies_seen: int | None = None
    task: asyncio.Task[None] | None = None


@dataclass(slots=True)
class IdentityStatus:
    """The status of an identity. `name` is our name on the server, empty before the first
    connection.

    `problem` says why we are not connected, `refused` why the server refuses us permanently,
    `seeking` why no game is offered at present. `alarm` is what a person must look at.
    `awaits_token` says that another token may end the refusal.
    `games` and `unread` are by game id; `unread` says why a game cannot be read.
    """

    name: str = ""
    connected: bool = False
    problem: str | None = None
    refused: str | None = None
    awaits_token: bool = False
    alarm: str | None = None
    seeking: str | None = None
    unread: dict[str, str] = field(default_factory=dict)
    games: dict[str, StatusGame] = field(default_factory=dict)
    _changed: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def facts(self) -> list[GameFacts]:
        """The latest state of each game."""
        return [game.latest for game in self.games.values()]

    def note_change(self) -> None:
        """Wake every task that waits for a change."""
        self._changed.set()
        self._changed = asyncio.Event()

    async def change(self) -> None:
        await self._changed.wait()
