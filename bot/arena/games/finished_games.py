"""Finished games: all in the database, the latest read or ended ones also in memory."""

from collections.abc import Callable, Iterable
from typing import Final

from bot import wire
from bot.arena.games.archive import RecordFile, record_of
from bot.arena.games.game import Game
from bot.arena.games.game_store import GameStore
from bot.arena.games.preparation import Preparation
from bot.arena.games.sizes import game_bytes
from bot.arena.refusals import Refused
from bot.arena.settings import Allowances
from bot.arena.store.connection import Connection
from bot.runtime.bounded import BoundedMemory
from bot.runtime.workers import Workers

IN_MEMORY_BYTES: Final = 32_000_000
"""For the finished games that stay in memory; one takes 0.1 to 2 MB."""


class FinishedGames:
    """Saves the ends of games, and finds finished games.

    `records` is None in an arena of several processes, which has no file of records.
    """

    def __init__(
        self,
        store: GameStore,
        records: RecordFile | None,
        allowances: Allowances,
        preparation: Preparation,
        workers: Workers,
    ) -> None:
        self._workers = workers
        self._store = store
        self._records = records
        self._allowances = allowances
        self._preparation = preparation
        self._latest: BoundedMemory[str, Game] = BoundedMemory(IN_MEMORY_BYTES, game_bytes)
        self._renamed = 0

    async def save(self, old: Game, game: Game) -> None:
        """Store the end of a game and its record."""
        record, records = record_of(game), self._records
        await self._store.save(old, game, record, 0 if records is None else records.size)
        if records is not None:
            records.add(record)

    async def add(self, game: Game, platform: str, prepare: Callable[[Connection], None]) -> bool:
        """Store a game that was played on another platform, as `GameStore.add` does."""
        record, records = record_of(game).model_copy(update={"platform": platform}), self._records
        size = None if records is None else records.size
        is_new = await self._store.add(game, record, prepare, size)
        if is_new and records is not None:
            records.add(record)
        return is_new

    def keep(self, game: Game) -> None:
        """Keep a finished game in memory."""
        self._latest.put(game.game_id, game)

    def player_renamed(self, _former: str, _player: wire.Player) -> None:
        """Read finished games again: an account that was erased has another name in them."""
        self._latest.clear()
        self._renamed += 1

    def forget(self, game_ids: Iterable[str]) -> None:
        """Drop games from memory, because they were deleted."""
        for game_id in game_ids:
            self._latest.forget(game_id)

    async def find(self, game_id: str) -> Game:
        """A finished game. Raises Refused if it is unknown, or its rules are not compiled yet."""
        if (known := self._latest.get(game_id)) is not None:
            return known
        renamed = self._renamed
        stored = await self._store.finished(game_id)
        if stored is None:
            raise Refused("unknown_game_id")
        self._preparation.check(stored.setup.game)
        game = await self._workers.run(stored.revived, self._allowances)
        if self._renamed == renamed:
            self.keep(game)
        return game

    async def setup_of(self, game_id: str) -> wire.GameSetup | None:
        """The setup of a finished game, without replaying it; None if the game is unknown."""
        if (known := self._latest.get(game_id)) is not None:
            return known.setup
        stored = await self._store.finished(game_id)
        return None if stored is None else stored.setup

    async def summaries(self, limit: int) -> list[wire.GameSummary]:
        """The latest finished games, the last one first."""
        return await self._store.summaries(limit)
