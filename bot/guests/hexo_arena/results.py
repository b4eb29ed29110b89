"""How games end: their last turns and results in the public game, the store, and the rating."""

# The end of a game
#
# Problem. The end is told once, on the stream. The line is lost if the stream is down at that
# moment, or if this program is. The turn that ended the game is told to nobody. And the public
# game, which has both, may not be readable just then: the server restarts, and does not know its
# unfinished games for a while.
#
# Idea. A result that was told is stored first, and counts; the public game only adds the last turn.
# A result that was not told is read until the server shows it, or has not known the game for half a
# minute, or has not answered for ten. Only then the result counts as unknown.
#
# Rejected: a result by our own rules. It would miss a resignation or a flag, and record a win that
# the server does not know.

import random
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

import structlog

from bot.backoff import Backoff
from bot.errors import HostError, PeerError
from bot.guests.hexo_arena.api import Api
from bot.guests.hexo_arena.facts import KnownGame, OtherGame, outcome_of, turns_of_snapshot
from bot.guests.hexo_arena.messages import Account, Snapshot
from bot.guests.hexo_arena.ratings import RatedGame, RatingLog
from bot.guests.hexo_arena.store import Store
from bot.platforms.base import GameGone, PlayerKind
from bot.time_source import TimeSource

READS: Final = 4
"""How often a game is read whose result is known, to learn its last turn."""
FIRST_S: Final = 0.5
LIMIT_S: Final = 20.0
MISSES: Final = 7
"""How often the server does not find a game that ended, until its result counts as unknown."""
LONGEST_S: Final = 600.0
"""For how long a result is read, while the server does not answer."""
KINDS: Final[Mapping[str, PlayerKind]] = {"bot": "bot", "user": "person", "guest": "guest"}
UNKNOWN: Final = "unknown"
"""The reason of a result that was not told and cannot be read."""

log = structlog.get_logger()


class StillRuns(Exception):
    """The game is not over; the text says how that is known."""


class Results:
    """Reads and stores how games of one bot end."""

    def __init__(
        self, api: Api, store: Store, ratings: RatingLog, time: TimeSource, rng: random.Random
    ) -> None:
        self._api = api
        self._store = store
        self._ratings = ratings
        self._time = time
        self._rng = rng

    async def completed(self, game: KnownGame, sent: tuple[int, str] | None) -> KnownGame:
        """Return a game whose result is known with its last turns, as far as they can be read.

        `sent` is the last turn that we have sent, with its ply. The result is stored first.
        """
        await self.written(game)
        backoff = Backoff(FIRST_S, LIMIT_S, self._rng)
        for _ in range(READS):
            try:
                snapshot = await self._api.game(game.game_id)
            except GameGone:
                break
            except PeerError as error:
                log.info("result_unread", game=game.game_id, why=error.message)
            else:
                if snapshot.status == "finished":
                    return _finished(game, snapshot)
            await self._time.sleep(backoff.next())
        return _with_own_last_turn(game, sent)

    async def untold(self, game: KnownGame, is_told: Callable[[], bool]) -> KnownGame:
        """Return a game with a result that was not told.

        Raises StillRuns, also as soon as the server tells the game again.
        """
        backoff = Backoff(FIRST_S, LIMIT_S, self._rng)
        began, misses = self._time.monotonic(), 0
        while misses < MISSES and self._time.monotonic() - began < LONGEST_S:
            try:
                snapshot = await self._api.game(game.game_id)
            except GameGone:
                misses += 1
            except PeerError as error:
                log.info("result_unread", game=game.game_id, why=error.message)
            else:
                if snapshot.status == "finished":
                    return _finished(game, snapshot)
                raise StillRuns("the public game runs")
            if is_told():
                raise StillRuns("the stream tells the game again")
            await self._time.sleep(backoff.next())
        log.warning("result_unknown", game=game.game_id)
        return replace(game, outcome=outcome_of(None, UNKNOWN))

    async def written(self, game: KnownGame) -> None:
        """Store the result, as soon as the store can be written."""
        while True:
            try:
                await self._store.note_game(game)
                await self._store.note_over(game, self._time.wall())
            except HostError:
                await self._store.writing.until_works()
            else:
                return

    async def note_rating(self, game: KnownGame) -> Account | None:
        """Add the rating after a game to the log, once. Returns our account, if it was read."""
        if await self._ratings.has(game.game_id):
            return None
        try:
            account = await self._api.account()
        except PeerError as error:
            log.info("rating_unread", game=game.game_id, why=error.message)
            return None
        outcome = game.outcome
        assert outcome is not None
        won = None if outcome.winner is None else outcome.winner == game.seat
        await self._ratings.add(
            RatedGame(
                at=self._time.wall().isoformat(timespec="seconds"),
                game=game.game_id,
                opponent=game.opponent,
                opponent_rating=game.opponent_rating,
                result=None if won is None else "won" if won else "lost",
                reason=outcome.reason,
                rating=account.rating,
                provisional=account.provisional,
            )
        )
        return account


def _finished(game: KnownGame, snapshot: Snapshot) -> KnownGame:
    """Return the game as it was read; what was told on the stream counts more."""
    other = snapshot.players.o if game.side == "x" else snapshot.players.x
    if other.kind is not None:
        game = replace(game, opponent_kind=KINDS[other.kind])
    if game.outcome is None:
        game = replace(game, outcome=outcome_of(snapshot.winner, snapshot.reason or UNKNOWN))
    try:
        turns = turns_of_snapshot(snapshot)
    except OtherGame as error:
        log.warning("result_unread", game=game.game_id, why=str(error))
        return game
    return game.with_turns(turns)


def _with_own_last_turn(game: KnownGame, sent: tuple[int, str] | None) -> KnownGame:
    """Add our last turn if it won the game: the server shows a turn only with the next request."""
    outcome = game.outcome
    if outcome is None or sent is None or outcome.winner != game.seat:
        return game
    ply, turn = sent
    is_won = outcome.reason == "six_in_a_row" and ply == len(game.turns)
    return game.with_turns([*game.turns, turn]) if is_won else game
