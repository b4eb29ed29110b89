"""The turns that entrants sent and received, to be compared with the arena's export."""

import asyncio
from collections import Counter
from collections.abc import Callable
from typing import Final

from pydantic import BaseModel

from bot.bench.clients.frames import Json
from bot.errors import HostError

STALL_S: Final = 300.0
"""Seconds without a turn after which a tournament counts as stopped."""


class GameTold(BaseModel):
    """A game by its id; `game` and `round` are numbers in the tournament.

    `sent` and `acknowledged` are by ply; `shown` is the longest list of turns that any player saw.
    """

    game_id: str
    game: int
    round: int
    sent: dict[int, str] = {}
    acknowledged: set[int] = set()
    shown: list[str] = []


class Told(BaseModel):
    """Everything that players were told.

    `refusals` are by code, without requests to retry; `left` are players who left.
    """

    games: list[GameTold]
    refusals: dict[str, int]
    left: int


class TurnBook:
    """The book of all entrants of a process. `on_end` gets the round of each game that is over."""

    def __init__(self, on_end: Callable[[int], None]) -> None:
        self.refusals = Counter[str]()
        self.left = 0
        self.is_over = False
        self._games: dict[str, GameTold] = {}
        self._ended: set[str] = set()
        self._on_end = on_end
        self._changed = asyncio.Event()

    def saw(self, state: Json) -> None:
        """Record a whole state of a game that a player was shown."""
        game_id, place = state["game_id"], state["tournament"]
        turns = [played["turn"] for played in state["turns"]]
        is_new = game_id not in self._games
        told = self._games.setdefault(
            game_id, GameTold(game_id=game_id, game=place["game"], round=place["round"])
        )
        if is_new or len(turns) > len(told.shown):
            told.shown = turns
            self._changed.set()
        if state["result"] is not None:
            self.ended(game_id)

    def ended(self, game_id: str) -> None:
        """Record that a game is over. Each player who is told calls this."""
        if game_id not in self._ended:
            self._ended.add(game_id)
            self._on_end(self._games[game_id].round)
            self._changed.set()

    def turn(self, game_id: str, ply: int, choose: Callable[[], str]) -> str:
        """Return the turn to send for that ply, always the same one."""
        sent = self._games[game_id].sent
        if ply not in sent:
            sent[ply] = choose()
        return sent[ply]

    def acknowledged(self, game_id: str, ply: int) -> None:
        self._games[game_id].acknowledged.add(ply)
        self._changed.set()

    def over(self) -> None:
        """Record that the tournament is over."""
        self.is_over = True
        self._changed.set()

    async def until_games_ended(self, count: int) -> None:
        """Wait until `count` games have ended since the start, or until the tournament is over.

        Raises HostError if nothing happens for too long.
        """
        await self._until(lambda: bool(self._games) and len(self._ended) >= count)

    async def until_over(self) -> None:
        """Wait for the end. Raises HostError if nothing happens for too long."""
        await self._until(lambda: False)

    async def _until(self, condition: Callable[[], bool]) -> None:
        while not self.is_over and not condition():
            self._changed.clear()
            try:
                await asyncio.wait_for(self._changed.wait(), STALL_S)
            except TimeoutError:
                raise HostError(f"no turn was played within {STALL_S:.0f} s") from None

    def told(self) -> Told:
        return Told(games=list(self._games.values()), refusals=self.refusals, left=self.left)
