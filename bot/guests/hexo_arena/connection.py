"""The bot on HeXO-Arena while it runs: handles the stream's events, and its requests for turns."""

import random
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

import structlog

from bot.errors import HostError, PeerError
from bot.guests.hexo_arena.api import Api
from bot.guests.hexo_arena.challenger import ChallengePolicy, Challenger
from bot.guests.hexo_arena.declaration import Declaration, declare_patiently
from bot.guests.hexo_arena.endings import Endings
from bot.guests.hexo_arena.facts import KnownGame, OtherGame, game_of, turns_of_snapshot
from bot.guests.hexo_arena.messages import (
    Account,
    ChallengeCanceled,
    ChallengeDeclined,
    ChallengeLine,
    GameFinish,
    GameStart,
    StreamEvent,
)
from bot.guests.hexo_arena.offers import Offers, choice_for
from bot.guests.hexo_arena.ratings import RatingLog
from bot.guests.hexo_arena.results import Results
from bot.guests.hexo_arena.seat import Seat, SeatOptions
from bot.guests.hexo_arena.seats import Seats
from bot.guests.hexo_arena.sockets import Dial
from bot.guests.hexo_arena.store import Store
from bot.platforms.base import (
    ChallengeGone,
    EventSink,
    GameChanged,
    GameGone,
    GameUnread,
    NoAnswer,
    PlayerKind,
    Setup,
)
from bot.platforms.base import Seat as SeatNumber
from bot.platforms.challenges import PendingChallenges
from bot.runtime.tasks import OwnedTasks
from bot.time_source import TimeSource

LIVES_S: Final = 75.0
"""Seconds after which a challenge cannot become a game: it lives for 60 s, and news may be late."""

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Parts:
    """What a connection works with."""

    api: Api
    store: Store
    dial: Dial
    ratings: RatingLog
    policy: ChallengePolicy
    seat: SeatOptions
    time: TimeSource
    rng: random.Random


class Connection:
    """Handles the events of the stream; it outlives a single stream.

    `reopen` opens the stream again, so that the server tells each game with a new token.
    """

    def __init__(
        self, parts: Parts, account: Account, sink: EventSink, reopen: Callable[[], None]
    ) -> None:
        self.challenges = PendingChallenges(LIVES_S, parts.time)
        self._parts = parts
        self._sink = sink
        challenger = Challenger(parts.policy, parts.api, parts.store, parts.time, parts.rng)
        self._offers = Offers(
            parts.api, parts.store, self.challenges, challenger, sink, parts.time, parts.rng
        )
        self._reopen = reopen
        self._told: set[str] = set()
        self._has_told_all = False
        self._tasks = OwnedTasks("task_failed")
        self._seats = Seats(parts.dial, parts.seat, parts.time, parts.rng, self._tasks)
        results = Results(parts.api, parts.store, parts.ratings, parts.time, parts.rng)
        self._endings = Endings(account, self._seats, results, parts.store, sink, parts.time)

    def declare(self, declaration: Declaration) -> None:
        """Tell the server what the bot plays, in the background."""
        parts = self._parts
        self._tasks.start(declare_patiently(parts.api, declaration, self.account, parts.time))

    async def close(self) -> None:
        """End all tasks. The games go on at the server."""
        await self._tasks.cancel()

    @property
    def account(self) -> Account:
        """Our account, as it was read after the last rated game."""
        return self._endings.account

    @property
    def heard_at(self) -> float | None:
        """When a seat or a request last heard from the server."""
        heard = [self._parts.api.heard_at, *(seat.heard_at for seat in self._seats)]
        return max((each for each in heard if each is not None), default=None)

    @property
    def live_games(self) -> int:
        return len(self._seats)

    # ---- the stream ------------------------------------------------------------------------

    async def running(self) -> frozenset[str]:
        """Return the games that run, as far as the bot knows."""
        games = await self._parts.store.games()
        return frozenset(each.game_id for each in games.values() if each.outcome is None)

    def stream_opened(self) -> None:
        """The server tells all games again from now on."""
        self._told.clear()

    async def stream_told_all(self) -> None:
        """The server has told every game that runs. All others are over."""
        if not self._has_told_all:
            self._has_told_all = True
            self._tasks.start(self._endings.note_missed_ratings())
        for game_id in await self.running() - self._told:
            self._tasks.start(self._end_untold(game_id))

    async def handle(self, event: StreamEvent) -> None:
        match event:
            case GameStart():
                await self._on_start(event)
            case GameFinish():
                self._tasks.start(self._endings.on_finish(event))
            case ChallengeLine(challenge=challenge):
                await self._offers.arrived(challenge, self.account.name)
            case ChallengeDeclined(challenge=challenge):
                await self._offers.gone(ChallengeGone(challenge.challenge_id, "declined"))
            case ChallengeCanceled(challenge=challenge, reason="expired"):
                await self._offers.gone(ChallengeGone(challenge.challenge_id, "expired"))
            case ChallengeCanceled(challenge=challenge):
                await self._offers.gone(ChallengeGone(challenge.challenge_id, "cancelled"))

    async def expire(self) -> None:
        """Report challenges whose fate was not told in time."""
        await self._offers.expire()

    async def accept(self, challenge_id: str) -> None:
        """Raises PeerError."""
        await self._offers.accept(challenge_id)

    async def offer(self, setup: Setup, opponent: str | None, seat: SeatNumber) -> str:
        """Challenge that bot, or the one that the policy chooses. Raises PeerError."""
        if opponent is not None:
            return await self._offers.send(choice_for(opponent, setup), seat)
        busy_with = {each.game.opponent for each in self._seats}
        return await self._offers.send_by_policy(self.account, busy_with, seat)

    # ---- games -----------------------------------------------------------------------------

    async def _on_start(self, start: GameStart) -> None:
        game_id = start.game_id
        self._told.add(game_id)
        if (seat := self._seats.seat_in(game_id)) is not None:
            seat.renew(start.engine)
            return
        game = await self._parts.store.game(game_id)
        if game is not None and game.outcome is not None:
            return  # this line was on its way when the game ended
        gone, was_challenge = self.challenges.began(start.opponent.name, game_id)
        is_new = game is None
        if game is None:
            kind: PlayerKind | None = "bot" if was_challenge else None
            game = game_of(start, self._parts.time.wall(), kind)
        with suppress(HostError):  # the store logs its failures itself
            await self._parts.store.note_game(game)
        self._seats.sit_down(game, start.engine, self)
        if is_new and not was_challenge:
            gone = ChallengeGone(f"game {game_id}", "started", game_id)
        try:
            await self._announce(game, gone)
        finally:
            self._seats.announced(game_id)

    async def _announce(self, game: KnownGame, gone: ChallengeGone | None) -> None:
        """Tell the daemon about a game, before any request in it."""
        if gone is not None:
            await self._offers.gone(gone)
        log.info("game_told", game=game.game_id, opponent=game.opponent, side=game.side)
        if game.is_unseen:
            await self._endings.show_beginning(game)
        else:
            self._tasks.start(self._show_opening(game))

    async def _show_opening(self, game: KnownGame) -> None:
        """Tell the daemon about a game of before a restart, in which the opponent is to move.

        The server requests nothing from us until then, so the turns are in the public game only.
        """
        try:
            snapshot = await self._parts.api.game(game.game_id)
            turns = turns_of_snapshot(snapshot)
        except (PeerError, OtherGame) as error:
            log.info("opening_unread", game=game.game_id, why=str(error))
            return
        seat = self._seats.seat_in(game.game_id)
        shown = game.with_turns(turns)
        if seat is None or len(seat.game.turns) >= len(turns) or shown.our_turn:
            return
        now = self._parts.time.monotonic()
        await self._sink(GameChanged(shown.facts(self.account.name, now)))

    async def requested(self, seat: Seat, *, again: bool) -> None:
        """See `Table.requested`."""
        await self._seats.until_announced(seat.game.game_id)
        with suppress(HostError):
            await self._parts.store.note_game(seat.game)
        await self._show(seat, again=again)

    async def _show(self, seat: Seat, *, again: bool) -> None:
        request = seat.request
        if request is not None and not seat.is_over:
            facts = seat.game.facts(self.account.name, request.arrived, request.limit_s)
            await self._sink(GameChanged(facts, resync=again))

    def need_token(self, game_id: str) -> None:
        """See `Table.need_token`."""
        self._tasks.start(self._ask_after(game_id))

    async def _ask_after(self, game_id: str) -> None:
        """Open the stream again for a new token, unless the game is over without our knowledge."""
        seat = self._seats.seat_in(game_id)
        if seat is None or seat.is_over:
            return
        try:
            snapshot = await self._parts.api.game(game_id)
        except PeerError as error:
            log.info("result_unread", game=game_id, why=error.message)
        else:
            if snapshot.status == "finished":
                await self._end_untold(game_id)
                return
        if self._seats.seat_in(game_id) is seat and seat.token is None:
            log.info("token_needed", game=game_id)
            self._reopen()

    async def _end_untold(self, game_id: str) -> None:
        await self._endings.end_untold(game_id, lambda: game_id in self._told, self._reopen)

    async def unreadable(self, game_id: str, why: str) -> None:
        """See `Table.unreadable`."""
        await self._sink(GameUnread(game_id, why))

    async def read(self, game_id: str) -> None:
        """Show a game to the daemon again. Raises NoAnswer and GameGone."""
        seat = self._seats.seat_in(game_id)
        if seat is not None:
            if seat.request is None:
                raise NoAnswer(f"game {game_id}: the server waits for no turn of ours now")
            await self._show(seat, again=True)
            return
        game = await self._parts.store.game(game_id)
        if game is None:
            raise GameGone("gone", f"game {game_id} is not in the store")
        if game.outcome is None:
            raise NoAnswer(f"game {game_id}: the server has not told it again yet")
        await self._endings.show_stored(game)

    async def answer(self, game_id: str, ply: int, turn: str) -> None:
        """Send a turn. Raises NoAnswer and TurnRefused."""
        seat = self._seats.seat_in(game_id)
        if seat is None:
            raise NoAnswer(f"game {game_id}: there is no seat in it now")
        await seat.answer(ply, turn)

    async def resign(self, game_id: str) -> None:
        """Raises PeerError."""
        seat = self._seats.seat_in(game_id)
        if seat is None or seat.token is None:
            self._reopen()
            raise NoAnswer(f"game {game_id}: there is no token for it now")
        await self._parts.api.resign(game_id, seat.token)
