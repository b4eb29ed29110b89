"""The games of the stand-in: they start, ask for turns, play and end, with all faults."""

import asyncio
import random
import secrets
import time
from contextlib import suppress
from typing import Any, Protocol

from aiohttp import WSCloseCode

from bot.guests.hexo_arena.rehearsal import audit as kinds
from bot.guests.hexo_arena.rehearsal.audit import Audit
from bot.guests.hexo_arena.rehearsal.board import IllegalStone, Point, Side, other, reply
from bot.guests.hexo_arena.rehearsal.game import MOST_TURNS, SeatSession, SeatState, SimulatedGame
from bot.guests.hexo_arena.rehearsal.scenario import Scenario
from bot.runtime.tasks import OwnedTasks


class Outlet(Protocol):
    """The bot's stream, as the games see it."""

    @property
    def is_open(self) -> bool: ...

    def tell(self, line: dict[str, Any]) -> None:
        """Write a line. Without a stream it is lost."""

    def cut(self) -> None:
        """Break the stream."""

    def end_sometimes(self) -> None:
        """End the stream as if another one was opened, with a small chance."""


class SimulatedTables:
    """All games. `ratings` are by the name of the player."""

    def __init__(
        self,
        scenario: Scenario,
        audit: Audit,
        rng: random.Random,
        tasks: OwnedTasks,
        outlet: Outlet,
    ) -> None:
        self.games: dict[str, SimulatedGame] = {}
        self.ratings: dict[str, float] = {scenario.name: 1500.0}
        self._unswept: dict[str, float] = {}
        self._scenario = scenario
        self._faults = scenario.faults
        self._audit = audit
        self._rng = rng
        self._tasks = tasks
        self._outlet = outlet

    @property
    def over(self) -> int:
        return sum(game.is_over for game in self.games.values())

    @property
    def live(self) -> list[SimulatedGame]:
        return [game for game in self.games.values() if not game.is_over]

    def live_of(self, name: str) -> int:
        return sum(game.side_of(name) is not None for game in self.live)

    def player(self, name: str) -> dict[str, Any]:
        return {"name": name, "rating": round(self.ratings[name]), "provisional": True}

    def _happens(self, chance: float) -> bool:
        return self._rng.random() < chance

    # ---- time ------------------------------------------------------------------------------

    def look(self, now: float) -> None:
        """Flag clocks, and end the games of a bot that is away."""
        for game in self.live:
            self._look_at(game, now)

    def _look_at(self, game: SimulatedGame, now: float) -> None:
        side = game.board.to_move
        limit = game.clock.limit(side, now)
        for owner, seat in game.seats.items():
            gone_at = seat.orphaned_at
            if gone_at is not None and now - gone_at >= self._scenario.limits.orphan_s:
                self.finish(game, other(owner), "disconnect")
                return
        if limit == 0.0:
            self.finish(game, other(side), "timeout")

    def came_back(self) -> None:
        """The bot has a stream again."""
        for game in self.live:
            if (side := game.side_of(self._scenario.name)) is not None:
                game.seats[side].orphaned_at = None

    def went_away(self) -> None:
        """The bot has no stream. Its games are lost after a while."""
        for game in self.live:
            side = game.side_of(self._scenario.name)
            if side is not None and game.seats[side].orphaned_at is None:
                game.seats[side].orphaned_at = time.monotonic()

    def crash(self) -> None:
        """Lose everything that runs, as a crash of the server does: it never comes back."""
        for game in self.live:
            self.finish(game, None, "aborted", is_told=False)
            self._unswept[game.game_id] = time.monotonic() + self._scenario.limits.swept_s

    def found(self, game_id: str) -> SimulatedGame | None:
        """Return a game as the public can read it."""
        if time.monotonic() < self._unswept.get(game_id, 0.0):
            return None
        return self.games.get(game_id)

    def hang_up(self) -> None:
        """Break all websockets."""
        for game in self.games.values():
            for seat in game.seats.values():
                abort(seat)

    # ---- games -----------------------------------------------------------------------------

    def start(self, game: SimulatedGame) -> None:
        self.games[game.game_id] = game
        game.clock.start(time.monotonic())
        self._audit.counts["games begun"] += 1
        self._request(game)
        side = game.side_of(self._scenario.name)
        assert side is not None
        if not self._outlet.is_open:
            game.seats[side].orphaned_at = time.monotonic()
        if self._happens(self._faults.stream_cut) and self._outlet.is_open:
            self._audit.counts["streams cut"] += 1
            self._outlet.cut()
        self._outlet.tell(self.start_of(game, side))

    def start_of(self, game: SimulatedGame, side: Side) -> dict[str, Any]:
        """Return the line of a game, with a new token."""
        seat, rival = game.seats[side], game.seats[other(side)]
        seat.token = f"hgs_{secrets.token_urlsafe(24)}"
        seat.token_until = time.monotonic() + self._scenario.limits.token_s
        if self._happens(self._faults.token_dies):
            self._audit.counts["tokens dead"] += 1
            seat.token_until = 0.0
        opponent = (
            self.player(rival.name)
            if rival.is_bot
            else {"name": rival.name, "rating": None, "provisional": True}
        )
        return {
            "type": "gameStart",
            "gameId": game.game_id,
            "side": side,
            "opponent": opponent,
            "timeControl": game.clock.control,
            "openingPlies": game.opening_plies,
            "rated": game.rated,
            "level": None,
            "engine": {
                "socketUrl": f"/api/bot/game/{game.game_id}/socket",
                "token": seat.token,
            },
        }

    def _request(self, game: SimulatedGame) -> None:
        """Ask the player to move for a turn."""
        side = game.board.to_move
        seat = game.seats[side]
        game.counter += 1
        game.pending = game.counter
        if seat.name != self._scenario.name:
            self._tasks.start(self._rival_moves(game, game.counter))
            return
        if seat.session is not None:
            self._tasks.start(self.send_request(game, seat.session))

    async def send_request(self, game: SimulatedGame, session: SeatSession) -> None:
        faults, side = self._faults, game.board.to_move
        if self._happens(faults.socket_cut):
            self._audit.counts["websockets cut"] += 1
            abort(game.seats[side])
            return
        packet = game.request(session)
        if self._happens(faults.request_lost):
            self._audit.counts["requests lost"] += 1
            return
        with suppress(ConnectionError, RuntimeError):
            await session.socket.send_str(packet)
            if self._happens(faults.request_twice):
                self._audit.counts["requests sent twice"] += 1
                await session.socket.send_str(game.request(session, again=True))

    async def _rival_moves(self, game: SimulatedGame, number: int) -> None:
        habits = self._scenario.habits
        await asyncio.sleep(self._rng.uniform(*habits.think_s))
        if game.is_over or game.pending != number:
            return
        side = game.board.to_move
        if self._happens(habits.resigns):
            self.finish(game, other(side), "surrender")
            return
        self.play(game, side, reply(game.board, self._rng, skill=habits.skill))

    def play(self, game: SimulatedGame, side: Side, pieces: list[Point]) -> None:
        game.pending = None
        try:
            game.board.play(pieces)
        except IllegalStone as error:
            if game.seats[side].name == self._scenario.name:
                self._audit.violation(kinds.ILLEGAL, f"game {game.game_id}: {error}")
            self.finish(game, other(side), "terminated")
            return
        game.turns.append((side, pieces))
        game.clock.moved(side, time.monotonic())
        if game.board.winner is not None:
            self.finish(game, side, "six-in-a-row")
        elif len(game.turns) >= MOST_TURNS:
            self.finish(game, None, "terminated")
        else:
            self._request(game)

    def finish(
        self, game: SimulatedGame, winner: Side | None, reason: str, *, is_told: bool = True
    ) -> None:
        if game.is_over:
            return
        game.pending, game.winner, game.reason = None, winner, reason
        self._audit.counts["games over"] += 1
        self._audit.counts[f"ended: {reason}"] += 1
        loser, ours = game.loser(), game.side_of(self._scenario.name)
        lost_by = {"disconnect": kinds.DISCONNECT, "timeout": kinds.TIMEOUT}
        lost_by["surrender"] = kinds.RESIGNED
        if loser == ours and reason in lost_by:
            self._audit.violation(lost_by[reason], f"game {game.game_id}, {len(game.turns)} turns")
        if game.rated and winner is not None:
            for side, seat in game.seats.items():
                self.ratings[seat.name] += 8 if side == winner else -8
        for seat in game.seats.values():
            seat.token = None
            if seat.session is not None:
                self._tasks.start(closed(seat.session, WSCloseCode.OK))
                seat.session = None
        if not is_told:
            return
        if self._happens(self._faults.finish_lost):
            self._audit.counts["ends of games lost"] += 1
            return
        if self._happens(self._faults.stream_cut):
            self._audit.counts["streams cut"] += 1
            self._outlet.cut()
        finish = {"type": "gameFinish", "gameId": game.game_id, "winner": winner, "reason": reason}
        self._outlet.tell(finish)
        self._outlet.end_sometimes()

    @staticmethod
    def is_live(game: SimulatedGame, seat: SeatState, token: str) -> bool:
        """Return whether a token opens a seat."""
        is_young = time.monotonic() < seat.token_until
        return not game.is_over and seat.token == token and is_young


async def closed(session: SeatSession, code: int) -> None:
    """Close a websocket with that code."""
    with suppress(ConnectionError, RuntimeError, TimeoutError):
        async with asyncio.timeout(2.0):
            await session.socket.close(code=code)


def abort(seat: SeatState) -> None:
    """Break the websocket of a seat."""
    session, seat.session = seat.session, None
    if session is not None:
        session.transport.abort()
