"""Ends the games whose end was told, and those that the server no longer tells."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Final

import structlog

from bot.guests.hexo_arena.facts import KnownGame, outcome_of
from bot.guests.hexo_arena.messages import Account, GameFinish
from bot.guests.hexo_arena.results import Results, StillRuns
from bot.guests.hexo_arena.seats import Seats
from bot.guests.hexo_arena.store import Store
from bot.platforms.base import EventSink, GameChanged
from bot.time_source import TimeSource

MISSED_RATINGS: Final = timedelta(hours=1)
"""For how long a rating is noted afterwards; later it belongs to other games."""

log = structlog.get_logger()


class Endings:
    """Leaves the seat of a game that is over, stores the result, and shows it to the daemon.

    `account` changes with each rated game.
    """

    def __init__(
        self,
        account: Account,
        seats: Seats,
        results: Results,
        store: Store,
        sink: EventSink,
        time: TimeSource,
    ) -> None:
        self.account = account
        self._seats = seats
        self._results = results
        self._store = store
        self._sink = sink
        self._time = time
        self._ending: set[str] = set()

    async def on_finish(self, finish: GameFinish) -> None:
        """End a game whose result the stream has told."""
        game_id = finish.game_id
        game = await self._running(game_id)
        if game is None:
            return
        self._ending.add(game_id)
        try:
            told = replace(game, outcome=outcome_of(finish.winner, finish.reason))
            seat = self._seats.seat_in(game_id)
            await self._seats.leave(game_id)
            sent = None if seat is None else seat.sent
            await self._end(await self._results.completed(told, sent))
        finally:
            self._ending.discard(game_id)

    async def end_untold(
        self, game_id: str, is_told: Callable[[], bool], reopen: Callable[[], None]
    ) -> None:
        """End a game that the server has not told again. Its result is in the public game.

        If the game runs after all, `reopen` makes the server tell it, unless it `is_told` by then.
        """
        game = await self._running(game_id)
        if game is None:
            return
        self._ending.add(game_id)
        try:
            over = await self._results.untold(game, is_told)
            await self._seats.leave(game_id)
            if game.is_unseen:
                await self.show_beginning(game)  # or it would not be recorded
            await self._end(over)
        except StillRuns as error:
            if not is_told():
                log.warning("game_untold", game=game_id, why=str(error))
                reopen()
        finally:
            self._ending.discard(game_id)

    async def show_stored(self, game: KnownGame) -> None:
        """Show a game of the store that is over, perhaps without its last turn so far."""
        game = await self._results.completed(game, None)
        await self._results.written(game)
        await self._show_over(game)

    async def show_beginning(self, game: KnownGame) -> None:
        """Tell the daemon about a game before its first request, so that it counts from now on."""
        now = self._time.monotonic()
        await self._sink(GameChanged(game.at_beginning().facts(self.account.name, now)))

    async def note_missed_ratings(self) -> None:
        """Note the rating after games that ended just before this program did."""
        since = self._time.wall() - MISSED_RATINGS
        for game in await self._store.over_since(since):
            if game.rated and game.game_id not in self._ending:
                await self._note_rating(game)

    async def _running(self, game_id: str) -> KnownGame | None:
        """Return a game that is not over and not about to be ended here."""
        seat = self._seats.seat_in(game_id)
        game = seat.game if seat is not None else await self._store.game(game_id)
        if game is None or game.outcome is not None or game_id in self._ending:
            return None
        return game

    async def _end(self, game: KnownGame) -> None:
        await self._results.written(game)
        await self._show_over(game)
        if game.rated:
            await self._note_rating(game)

    async def _show_over(self, game: KnownGame) -> None:
        now = self._time.monotonic()
        await self._sink(GameChanged(game.facts(self.account.name, now), resync=True))

    async def _note_rating(self, game: KnownGame) -> None:
        account = await self._results.note_rating(game)
        if account is not None:
            self.account = account
