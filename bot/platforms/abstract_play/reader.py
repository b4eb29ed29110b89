"""Reading games: what the platform says of one becomes facts, and the daemon is told."""

from collections.abc import Awaitable, Callable
from typing import Final

import structlog

from bot.platforms.abstract_play.client import Api
from bot.platforms.abstract_play.facts import NotOurs, facts_of
from bot.platforms.abstract_play.messages import GameRecord
from bot.platforms.base import GameFacts, GameGone
from bot.time_source import TimeSource

REMEMBERED: Final = 5000
LATE_S: Final = 120.0
"""A read that is older than one before it is so by seconds."""

log = structlog.get_logger()

Tell = Callable[[GameFacts, bool], Awaitable[None]]
"""Gives the daemon facts; true for those that were asked for."""


class GameReader:
    """Knows of which kind each game is, and how far it was seen.

    A read may be older than one before it: such a one is told to nobody, unless the game stays so.
    """

    def __init__(
        self,
        api: Api,
        account: str,
        time: TimeSource,
        tell: Tell,
        gone: Callable[[str], Awaitable[None]],
    ) -> None:
        self._api = api
        self._account = account
        self._time = time
        self._tell = tell
        self._gone = gone
        self._kinds: dict[str, str] = {}
        self._plies: dict[str, int] = {}
        self._shorter_since: dict[str, float] = {}

    def knows(self, game_id: str, meta_game: str) -> None:
        """Of which kind a game is."""
        self._kinds[game_id] = meta_game

    def kind_of(self, game_id: str) -> str:
        """Raises GameGone for a game of which nobody has told."""
        if game_id not in self._kinds:
            raise GameGone("unknown_game", f"the platform has never told of game {game_id}")
        return self._kinds[game_id]

    def ply_of(self, game_id: str) -> int:
        """How far a game was seen, 0 if it was not."""
        return self._plies.get(game_id, 0)

    def has_seen(self, game_id: str) -> bool:
        return game_id in self._plies

    async def read(self, game_id: str) -> GameFacts:
        """The game as it stands, which the daemon has been told when this returns.

        Raises NoAnswer, NotNow and GameGone.
        """
        try:
            record = await self._api.game(self.kind_of(game_id), game_id)
        except GameGone:
            await self._gone(game_id)
            raise
        return await self.take(record, asked=True)

    async def take(self, record: GameRecord, *, asked: bool) -> GameFacts:
        """A record that came with an answer. Raises PeerError if we cannot play it."""
        try:
            facts = facts_of(record, self._account, self._time)
        except NotOurs as error:
            if not record.over:
                raise
            await self._gone(record.id)
            raise GameGone(error.code, f"{error.message}, and is over") from error
        before = self.ply_of(facts.game_id)
        if facts.ply < before and not self._stays_shorter(facts.game_id):
            log.info("game_read_late", game=facts.game_id, ply=facts.ply, seen=before)
            return facts
        if facts.ply < before:
            log.warning("game_went_back", game=facts.game_id, ply=facts.ply, seen=before)
        self._shorter_since.pop(facts.game_id, None)
        self._plies.pop(facts.game_id, None)
        self._plies[facts.game_id] = facts.ply
        while len(self._plies) > REMEMBERED:
            del self._plies[next(iter(self._plies))]
        await self._tell(facts, asked)
        return facts

    def _stays_shorter(self, game_id: str) -> bool:
        """Nothing is locked there: what was written at the same time may have undone a turn."""
        now = self._time.monotonic()
        return now - self._shorter_since.setdefault(game_id, now) >= LATE_S
