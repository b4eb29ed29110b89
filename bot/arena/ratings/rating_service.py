"""Ratings while the arena runs: games are rated when they end, and players shown with theirs.

The process that has the hall does this: it rates the games of all processes, starts all games and
makes the lobby, so that only it needs the ratings of players in memory.
"""

from collections.abc import Callable, Collection
from datetime import timedelta
from typing import Final

import structlog
from prometheus_client import Counter

from bot import wire
from bot.arena.players.accounts import Accounts
from bot.arena.ratings.rated_games import (
    PAIR_S,
    RatingStanding,
    check_pair,
    check_player,
    check_setup,
    is_trusted,
    may_be_rated,
)
from bot.arena.ratings.rating_store import RatingStore
from bot.arena.refusals import Refused
from bot.runtime.alarms import Alarms
from bot.runtime.bounded import BoundedMemory
from bot.time_source import TimeSource

REMEMBERED_BYTES: Final = 8_000_000
"""For the ratings of about 5,000 accounts."""

log = structlog.get_logger()


class Ratings:
    """Rates games that have ended, and knows the ratings of players.

    `on_change` is called after ratings have changed.
    """

    def __init__(
        self, store: RatingStore, accounts: Accounts, time: TimeSource, rated: Counter
    ) -> None:
        """`rated` counts the games that were rated."""
        self._store = store
        self._accounts = accounts
        self._time = time
        self._rated = rated
        self._alarms = Alarms(time)
        self._known: BoundedMemory[str, dict[str, RatingStanding]] = BoundedMemory(REMEMBERED_BYTES)
        self.on_change: list[Callable[[], None]] = []

    def open(self) -> None:
        """Rate the games that ended without being rated; another process may have had the hall."""
        self._known.clear()
        self._fold_soon()

    async def close(self) -> None:
        await self._alarms.close()

    # ---- games that end --------------------------------------------------------------------

    def game_ended(self, setup: wire.GameSetup) -> None:
        """Rate a game of which the end is stored."""
        if setup.rated:
            self._fold_soon()

    def _fold_soon(self) -> None:
        self._alarms.set("fold", self._time.monotonic(), self._fold)

    async def _fold(self) -> None:
        done = await self._store.fold()
        if done.games:
            self._rated.inc(done.games - done.again)
            log.info("games_rated", games=done.games, again=done.again)
        if done.has_more:
            self._fold_soon()
        if not done.accounts:
            return
        # Read again, even if a fold was repeated: the memory must be what is stored.
        await self._read(done.accounts)
        for listener in self.on_change:
            listener()

    # ---- players with their ratings --------------------------------------------------------

    async def seated(self, player: wire.Player, game: str) -> wire.Player:
        """The player with their rating in that game, as challenges and games show it."""
        await self.read([player])
        return self._with(player, [game])

    async def read(self, players: Collection[wire.Player]) -> None:
        """Read the ratings of players for `shown`."""
        ids = {each.id for each in players if each.id is not None and each.kind != "guest"}
        missing = [each for each in ids if self._known.get(each) is None]
        if missing:
            await self._read(missing)

    def shown(self, player: wire.Player) -> wire.Player:
        """The player with all ratings, as far as they were read."""
        return self._with(player, None)

    def _with(self, player: wire.Player, games: Collection[str] | None) -> wire.Player:
        known = self._known.get(player.id or "") or {}
        now = self._time.wall()
        ratings = {
            game: standing.shown(now)
            for game, standing in known.items()
            if games is None or game in games
        }
        return player.model_copy(update={"ratings": ratings}) if ratings else player

    async def _read(self, accounts: Collection[str]) -> None:
        for account, standings in (await self._store.standings(accounts)).items():
            self._known.put(account, standings)

    # ---- which games can be rated, and who may play them ------------------------------------

    def check_setup(self, setup: wire.GameSetup) -> None:
        """Raises Refused if `setup` is rated and games with it cannot be rated."""
        check_setup(setup)

    async def admitted(self, player: wire.Player) -> wire.Player:
        """The player, if they may play rated games, as their account is now. Raises Refused."""
        if may_be_rated(player):
            return player
        try:
            account = await self._accounts.find(player.name)
        except Refused:
            account = player
        check_player(account)
        return player.model_copy(update={"registered": account.registered})

    async def check_pair(
        self, one: wire.Player, two: wire.Player, running: Collection[str]
    ) -> None:
        """Raises Refused if the players may not play another rated game against each other now.

        `running` has the ids of their running rated games.
        """
        for player, opponent in ((one, two), (two, one)):
            if player.id is None or opponent.id is None:
                continue
            if is_trusted(player, await self._store.opponents_of(player.id)):
                continue
            since = self._time.wall() - timedelta(seconds=PAIR_S)
            ended = await self._store.games_of_pair(player.id, opponent.id, since)
            check_pair(one, two, len(ended | {*running}))
