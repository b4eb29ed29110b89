"""Analyses of finished games: one position after the other, stored when all are searched."""

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Final, Literal

import structlog

import engine
from bot import wire
from bot.arena.analysis.analysis_jobs import Found
from bot.arena.analysis.analysis_store import AnalysisStore
from bot.arena.analysis.free_positions import settled
from bot.arena.analysis.game_review import POSITION_S, GameReview, Sought
from bot.arena.announcer import Announcer
from bot.arena.games.finished_games import FinishedGames
from bot.arena.refusals import Refused
from bot.runtime.alarms import Alarms
from bot.runtime.tasks import OwnedTasks
from bot.time_source import TimeSource

MOST_WAITING: Final = 50
OF_ONE_VISITOR: Final = 1
RETURN_S: Final = 30.0
"""A visitor who reloads the page, or whose connection breaks, is back within this time."""
MOST_FAILURES: Final = 3
"""The analysis of a game fails after this number of lost searches in a row."""

State = Literal["queued", "running", "done", "failed"]
log = structlog.get_logger()


@dataclass
class _Open:
    """An analysis that is being made, and the players who follow it."""

    review: GameReview
    asked_by: str
    followers: set[str] = field(default_factory=set)
    failures: int = 0


class GameReviews:
    """The analyses of games. Those that wait take turns, position by position."""

    def __init__(
        self,
        store: AnalysisStore,
        finished: FinishedGames,
        announcer: Announcer,
        time: TimeSource,
    ) -> None:
        self._time = time
        self._alarms = Alarms(time)
        self._store = store
        self._finished = finished
        self._announcer = announcer
        self._open: OrderedDict[str, _Open] = OrderedDict()
        self._tasks = OwnedTasks("analysis_not_stored")

    async def close(self) -> None:
        await self._alarms.close()
        await self._tasks.wait()

    @property
    def waiting(self) -> int:
        """How many games are being analysed."""
        return len(self._open)

    async def state(self, game_id: str, follower: str) -> wire.GameAnalysis:
        """The analysis of a game; the player gets its events while it is made."""
        self._alarms.clear(follower)
        if (waiting := self._open.get(game_id)) is not None:
            waiting.followers.add(follower)
            return self._view(waiting)
        stored = await self._store.find(game_id)
        return stored or wire.GameAnalysis(game_id=game_id, revision=0, state="none")

    async def start(self, game_id: str, visitor: str) -> wire.GameAnalysis:
        """Begin the analysis of a finished game, unless it is stored. Raises Refused."""
        known = await self.state(game_id, visitor)
        if known.state != "none":
            return known
        game = await self._finished.find(game_id)
        if not game.position.turns:
            raise Refused("unknown_game_id", "No turn was played in this game.")
        if game_id not in self._open:
            if sum(each.asked_by == visitor for each in self._open.values()) >= OF_ONE_VISITOR:
                raise Refused("too_many", "Another game is being analysed for you.")
            if len(self._open) >= MOST_WAITING:
                raise Refused("too_many", "Too many games wait for an analysis.")
            review = GameReview(game_id, settled(game.position), game.position)
            self._open[game_id] = _Open(review, visitor)
        waiting = self._open[game_id]
        waiting.followers.add(visitor)
        return self._view(waiting)

    def visitor_left(self, visitor: str) -> None:
        """Stop the analyses without a follower, unless the visitor asks again within RETURN_S."""
        at = self._time.monotonic() + RETURN_S
        self._alarms.set(visitor, at, lambda: self._drop(visitor))

    async def _drop(self, visitor: str) -> None:
        for game_id, waiting in list(self._open.items()):
            waiting.followers.discard(visitor)
            if not waiting.followers:
                del self._open[game_id]

    # ---- what workers do -------------------------------------------------------------------

    def next_task(self) -> "ReviewTask | None":
        """The next search of the game whose turn it is."""
        for game_id, waiting in list(self._open.items()):
            sought = waiting.review.next()
            if sought is not None:
                self._open.move_to_end(game_id)
                return ReviewTask(self, game_id, waiting.review, sought)
        return None

    def is_open(self, review: GameReview) -> bool:
        waiting = self._open.get(review.game_id)
        return waiting is not None and waiting.review is review

    def found(self, review: GameReview, sought: Sought, found: Found) -> None:
        """Add the result of a search, and send it to the followers."""
        if not self.is_open(review):
            return
        waiting = self._open[review.game_id]
        try:
            review.found(sought, found.lines)
        except engine.IllegalTurn as error:
            self.lost(review, sought, str(error))
            return
        waiting.failures = 0
        review.engine = found.engine or review.engine
        review.revision += 1
        if review.is_complete:
            del self._open[review.game_id]
            self._tasks.start(self._store_and_tell(waiting))
        else:
            self._tell(waiting, "running")

    def lost(self, review: GameReview, sought: Sought, why: str) -> None:
        """Search again, unless too many searches of this game have failed in a row."""
        if not self.is_open(review):
            return
        waiting = self._open[review.game_id]
        waiting.failures += 1
        review.lost(sought)
        if waiting.failures >= MOST_FAILURES:
            del self._open[review.game_id]
            review.revision += 1
            self._tell(waiting, "failed", why)

    async def _store_and_tell(self, waiting: _Open) -> None:
        done = self._view(waiting, "done")
        await self._store.put(done)
        log.info("game_analysed", game=done.game_id, positions=done.total, engine=done.engine)
        self._announcer.tell("game_analysis", done, sorted(waiting.followers))

    def _tell(self, waiting: _Open, state: State, why: str | None = None) -> None:
        news = self._view(waiting, state).model_copy(update={"message": why})
        self._announcer.tell("game_analysis", news, sorted(waiting.followers))

    @staticmethod
    def _view(waiting: _Open, state: State | None = None) -> wire.GameAnalysis:
        review = waiting.review
        state = state or ("running" if review.revision else "queued")
        empty = wire.GameAnalysis(game_id=review.game_id, revision=review.revision, state=state)
        return review.analysis(empty)


class ReviewTask:
    """The search of one position of a game."""

    seconds = POSITION_S

    def __init__(
        self, owner: GameReviews, game_id: str, review: GameReview, sought: Sought
    ) -> None:
        self._owner = owner
        self._game_id = game_id
        self._review = review
        self._sought = sought
        self.setup = review.setup
        self.turns = sought.turns

    @property
    def is_wanted(self) -> bool:
        """See `Task`."""
        return self._owner.is_open(self._review)

    def progress(self, found: Found) -> None:
        """See `Task`: only whole results count."""

    def done(self, found: Found) -> None:
        """See `Task`."""
        self._owner.found(self._review, self._sought, found)

    def lost(self, why: str) -> None:
        """See `Task`."""
        self._owner.lost(self._review, self._sought, why)
