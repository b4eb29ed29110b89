"""Games that have ended: put on record, and found again."""

from collections import OrderedDict
from typing import Final

from bot import wire
from bot.arena.model.game import Game
from bot.arena.model.refusals import Refused
from bot.arena.service.preparation import Preparation
from bot.arena.settings import Allowances
from bot.arena.store.archive import RecordFile, record_of
from bot.arena.store.games import GameStore

IN_MEMORY: Final = 64


class FinishedGames:
    """All are in the store; those that were asked for lately, or ended just now, in memory too."""

    def __init__(
        self,
        store: GameStore,
        records: RecordFile,
        allowances: Allowances,
        preparation: Preparation,
    ) -> None:
        self._store = store
        self._records = records
        self._allowances = allowances
        self._preparation = preparation
        self._latest: OrderedDict[str, Game] = OrderedDict()

    async def save(self, old: Game, game: Game) -> None:
        """Write down how a game has ended, and its record."""
        record = record_of(game)
        await self._store.save(old, game, record, self._records.size)
        self._records.add(record)

    def keep(self, game: Game) -> None:
        """Have a finished game at hand."""
        self._latest[game.game_id] = game
        if len(self._latest) > IN_MEMORY:
            self._latest.popitem(last=False)

    async def find(self, game_id: str) -> Game:
        """A finished game; Refused if there is none of that id, or if it cannot be read yet."""
        if game_id in self._latest:
            return self._latest[game_id]
        stored = await self._store.finished(game_id)
        if stored is None:
            raise Refused("unknown_game_id")
        self._preparation.check(stored.setup.game)
        game = stored.revived(self._allowances)
        self.keep(game)
        return game

    async def summaries(self, limit: int) -> list[wire.GameSummary]:
        """The games that ended last, the latest first."""
        return await self._store.summaries(limit)
