"""The simulated HeXO-Arena over HTTP: one bot under rehearsal, and simulated bots around it."""

import asyncio
import json
import random
import secrets
import socket
import time
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from aiohttp import WSCloseCode, WSMsgType, web

from bot.rehearsal.hexo_arena import audit as kinds
from bot.rehearsal.hexo_arena.audit import Audit
from bot.rehearsal.hexo_arena.board import IllegalStone, Point, Side, opening, other, reply
from bot.rehearsal.hexo_arena.faults import NONE, Faults, Limits
from bot.rehearsal.hexo_arena.game import MOST_STRAYS, MOST_TURNS, Clock, Game, SeatState, Session
from bot.runtime.tasks import OwnedTasks
from bot.runtime.token_bucket import TokenBucket
from bot.time_source import SystemTime

LARGEST_BODY: Final = 16 * 1024
LARGEST_FRAME: Final = 16 * 1024
MOST_LIVE: Final = 4
INBOX: Final = 10
CHALLENGES_A_DAY: Final = 200
GAMES_A_DAY: Final = 100
GAMES_A_PAIR: Final = 20
LOOK_S: Final = 0.1
DECLARED: Final = frozenset({"about", "version", "repoUrl", "accepts", "levels", "analyzer"})


@dataclass(frozen=True)
class Habits:
    """How the simulated bots play. Times are in seconds, chances from 0 to 1."""

    think_s: tuple[float, float] = (0.01, 0.3)
    answer_s: tuple[float, float] = (0.05, 1.0)
    declines: float = 0.15
    ignores: float = 0.02
    skill: float = 0.35
    resigns: float = 0.01


@dataclass(frozen=True)
class Caps:
    """Daily caps; a rehearsal of hundreds of games needs others than the real ones."""

    challenges: int = CHALLENGES_A_DAY
    games: int = GAMES_A_DAY
    pair: int = GAMES_A_PAIR


@dataclass(frozen=True)
class Scenario:
    """The parameters of a rehearsal."""

    name: str
    token: str
    faults: Faults = NONE
    limits: Limits = field(default_factory=Limits)
    habits: Habits = field(default_factory=Habits)
    caps: Caps = field(default_factory=Caps)
    rivals: int = 6
    owner_twins: int = 1
    """Bots of the same owner, which must not be challenged by the policy."""
    seed: int = 1
    knows: frozenset[str] = DECLARED
    """The keys of a declaration that this server knows."""


@dataclass(eq=False)
class Stream:
    response: web.StreamResponse
    transport: asyncio.Transport
    takes_games: bool
    closed: asyncio.Event = field(default_factory=asyncio.Event)


@dataclass(eq=False)
class Pending:
    """A challenge. `to_bot` says that the bot under rehearsal is challenged."""

    challenge_id: str
    rival: str
    to_bot: bool
    control: dict[str, Any]
    plies: int
    first: str
    created_at: float
    status: str = "created"
    request: str = ""


class StandIn:
    """Serves the site's addresses. `run` serves until it is cancelled."""

    def __init__(self, scenario: Scenario) -> None:
        self.audit = Audit()
        self.games: dict[str, Game] = {}
        self.ratings: dict[str, float] = {scenario.name: 1500.0}
        self.declared: dict[str, Any] = {}
        self.is_closing = False
        """Whether no new games begin."""
        self._scenario = scenario
        self._faults = scenario.faults
        self._rng = random.Random(scenario.seed)
        self._stream: Stream | None = None
        self._challenges: dict[str, Pending] = {}
        self._made: list[Pending] = []
        self._opens = self._new_opens()
        self._rivals = [f"rival-{at}" for at in range(1, scenario.rivals + 1)]
        self._twins = [f"twin-{at}" for at in range(1, scenario.owner_twins + 1)]
        for name in (*self._rivals, *self._twins):
            self.ratings[name] = 1400.0 + self._rng.random() * 300
        self._tasks = OwnedTasks("stand_in_failed")
        self._ended_stream_at = 0.0

    def _new_opens(self) -> TokenBucket:
        limits = self._scenario.limits
        return TokenBucket(limits.opens_per_s, limits.opens, SystemTime())

    @property
    def over(self) -> int:
        return sum(game.is_over for game in self.games.values())

    @property
    def live(self) -> list[Game]:
        return [game for game in self.games.values() if not game.is_over]

    # ---- serving ---------------------------------------------------------------------------

    async def run(self, listening: socket.socket) -> None:
        runner = web.AppRunner(self._application(), access_log=None, shutdown_timeout=0.5)
        await runner.setup()
        try:
            await web.SockSite(runner, listening).start()
            await self._keep_time()
        finally:
            await self._hang_up()
            await runner.cleanup()

    async def _hang_up(self) -> None:
        """Break all connections, as a crash does."""
        await self._tasks.cancel()
        if self._stream is not None:
            self._cut_stream()
        for game in self.games.values():
            for seat in game.seats.values():
                _abort(seat)

    def crash(self) -> None:
        """Lose everything that runs, as a crash of the server does: it never comes back."""
        for game in self.live:
            self._finish(game, None, "aborted", is_told=False)
        self._challenges.clear()
        self._opens = self._new_opens()

    def _application(self) -> web.Application:
        app = web.Application(client_max_size=LARGEST_BODY)
        app.router.add_get("/api/bot/account", self._account)
        app.router.add_patch("/api/bot/account", self._declare)
        app.router.add_get("/api/bots", self._directory)
        app.router.add_get("/api/bot/stream", self._open_stream)
        app.router.add_post("/api/bot/challenge/{name}", self._challenge)
        app.router.add_post("/api/bot/challenge/{id}/{answer}", self._answer_challenge)
        app.router.add_get("/api/games/{id}", self._read_game)
        app.router.add_get("/api/bot/game/{id}/socket", self._socket)
        app.router.add_post("/api/bot/game/{id}/resign", self._resign)
        return app

    async def _keep_time(self) -> None:
        """Flag clocks, expire challenges, and end the games of a bot that is away."""
        while True:
            now = time.monotonic()
            for game in self.live:
                self._look_at(game, now)
            for challenge in list(self._challenges.values()):
                if now - challenge.created_at >= self._scenario.limits.challenge_s:
                    self._drop(challenge, "expired")
            await asyncio.sleep(LOOK_S)

    def _look_at(self, game: Game, now: float) -> None:
        side = game.board.to_move
        limit = game.clock.limit(side, now)
        for owner, seat in game.seats.items():
            gone_at = seat.orphaned_at
            if gone_at is not None and now - gone_at >= self._scenario.limits.orphan_s:
                self._finish(game, other(owner), "disconnect")
                return
        if limit == 0.0:
            self._finish(game, other(side), "timeout")

    # ---- our account and the directory -----------------------------------------------------

    def _knows(self, request: web.Request) -> bool:
        return request.headers.get("Authorization") == f"Bearer {self._scenario.token}"

    def _happens(self, chance: float) -> bool:
        return self._rng.random() < chance

    async def _account(self, request: web.Request) -> web.Response:
        if not self._knows(request):
            return _refused(401, "unauthorized")
        return self._fine(self._own_account())

    def _own_account(self) -> dict[str, Any]:
        name = self._scenario.name
        known = {"name": name, "rating": round(self.ratings[name]), "provisional": True}
        declared = {key: value for key, value in self.declared.items() if value != ""}
        return {**known, "levels": None, "analyzer": None, **declared}

    async def _declare(self, request: web.Request) -> web.Response:
        if not self._knows(request):
            return _refused(401, "unauthorized")
        body = await request.json()
        if not isinstance(body, dict) or body.keys() - self._scenario.knows:
            self.audit.counts["declarations refused"] += 1
            return _refused(400, "bad_request")
        self.declared |= body
        self.audit.counts["declarations"] += 1
        return self._fine(self._own_account())

    async def _directory(self, _request: web.Request) -> web.Response:
        accepts = {"turnMs": [5000, 600_000], "match": True, "unlimited": False}
        listed: list[dict[str, Any]] = [
            {
                "name": name,
                "ownerName": "Ann" if name in self._twins else f"owner of {name}",
                "online": True,
                "openForChallenges": True,
                "rating": round(self.ratings[name]),
                "provisional": True,
                "liveGames": self._live_of(name),
                "accepts": accepts,
                "levels": None,
                "analyzer": None,
            }
            for name in (*self._rivals, *self._twins)
        ]
        if self._stream is not None:
            ours = {
                "name": self._scenario.name,
                "ownerName": "Ann",
                "online": True,
                "openForChallenges": self._stream.takes_games,
                "rating": round(self.ratings[self._scenario.name]),
                "provisional": True,
                "liveGames": self._live_of(self._scenario.name),
            }
            listed.append({**ours, "accepts": self.declared.get("accepts")})
        return self._fine(listed)

    def _live_of(self, name: str) -> int:
        return sum(game.side_of(name) is not None for game in self.live)

    # ---- the stream ------------------------------------------------------------------------

    async def _open_stream(self, request: web.Request) -> web.StreamResponse:
        if not self._knows(request):
            return _refused(401, "unauthorized")
        opens = request.query.get("open")
        if opens not in {None, "1"}:
            return _refused(400, "bad_request")
        if not self._opens.take():
            self.audit.violation(kinds.HAMMERED, "a stream")
            return _refused(429, "rate_limited", 10)
        self.audit.counts["streams opened"] += 1
        if self._stream is not None:
            self._stream.closed.set()
        response = web.StreamResponse(headers={"Content-Type": "application/x-ndjson"})
        transport = request.transport
        assert isinstance(transport, asyncio.Transport)
        if transport.is_closing():  # the bot has gone away meanwhile
            raise asyncio.CancelledError
        await response.prepare(request)
        stream = self._stream = Stream(response, transport, opens == "1")
        self._came_back()
        try:
            await self._replay(stream)
            await self._beat(stream)
        except (ConnectionError, RuntimeError):
            pass
        finally:
            if self._stream is stream:
                self._stream = None
                self._went_away()
        return response

    async def _replay(self, stream: Stream) -> None:
        name = self._scenario.name
        for game in self.live:
            side = game.side_of(name)
            if side is not None:
                await self._write(stream, self._start_of(game, side))
                if game.pending is not None and game.board.to_move == side:
                    board: dict[str, Any] = {"to_move": side, "cells": []}
                    request = {"board": board, "request_id": game.pending}
                    line = {"type": "moveRequest", "gameId": game.game_id, "request": request}
                    await self._write(stream, line)
        for challenge in list(self._challenges.values()):
            if challenge.to_bot:
                await self._write(stream, {"type": "challenge", "challenge": self._view(challenge)})

    async def _beat(self, stream: Stream) -> None:
        while not stream.closed.is_set():
            with suppress(TimeoutError):
                async with asyncio.timeout(self._scenario.limits.heartbeat_s):
                    await stream.closed.wait()
                    return
            await stream.response.write(b"\n")

    async def _write(self, stream: Stream, line: dict[str, Any]) -> None:
        if self._happens(self._faults.unknown_line):
            await stream.response.write(b'{"type":"analysisSession","analysisId":"a"}\n')
        await stream.response.write(json.dumps(line).encode() + b"\n")

    def _tell(self, line: dict[str, Any]) -> None:
        """Write a line to the bot's stream. Without one it is lost."""
        if self._stream is not None:
            self._tasks.start(self._told(self._stream, line))
        else:
            self.audit.counts["lines lost"] += 1

    async def _told(self, stream: Stream, line: dict[str, Any]) -> None:
        with suppress(ConnectionError, RuntimeError):
            await self._write(stream, line)

    def _cut_stream(self) -> None:
        stream, self._stream = self._stream, None
        if stream is not None:
            stream.transport.abort()
            stream.closed.set()
            self._went_away()

    def _came_back(self) -> None:
        for game in self.live:
            if (side := game.side_of(self._scenario.name)) is not None:
                game.seats[side].orphaned_at = None

    def _went_away(self) -> None:
        for game in self.live:
            side = game.side_of(self._scenario.name)
            if side is not None and game.seats[side].orphaned_at is None:
                game.seats[side].orphaned_at = time.monotonic()

    # ---- challenges ------------------------------------------------------------------------

    async def _challenge(self, request: web.Request) -> web.Response:
        if not self._knows(request):
            return _refused(401, "unauthorized")
        if self._happens(self._faults.unavailable):
            return _refused(502, "")
        body, rival = await request.json(), request.match_info["name"]
        known = next((each for each in self._made if each.request == body["requestId"]), None)
        if known is not None:
            self.audit.counts["challenges repeated"] += 1
            return self._cut_or(request, 200, self._view(known))
        if self._happens(self._faults.paused):
            return _refused(503, "paused", 1)
        if (refusal := self._why_no_challenge(rival, body["timeControl"])) is not None:
            self.audit.counts["challenges refused"] += 1
            return refusal
        challenge = self._new_challenge(rival, body["timeControl"], to_bot=False)
        challenge.plies = body.get("openingPlies", 5)
        challenge.first = body.get("firstPlayer", "random")
        challenge.request = body["requestId"]
        self._made.append(challenge)
        self.audit.counts["challenges of the bot"] += 1
        self._tasks.start(self._rival_answers(challenge))
        return self._cut_or(request, 201, self._view(challenge))

    def _why_no_challenge(self, rival: str, control: dict[str, Any]) -> web.Response | None:
        name, caps = self._scenario.name, self._scenario.caps
        if rival not in self.ratings or rival == name:
            return _refused(404, "not_found")
        if any(not each.to_bot and each.rival == rival for each in self._challenges.values()):
            self.audit.violation(kinds.TWICE, rival)
            return _refused(400, "challenge_pending")
        if self.is_closing:
            return _refused(400, "not_open")
        if max(self._live_of(name), self._live_of(rival)) >= MOST_LIVE:
            return _refused(400, "bot_busy")
        if control["mode"] == "turn" and control["turnTimeMs"] < 5000:
            return _refused(400, "clock_not_accepted")
        played = [game for game in self.games.values() if game.side_of(rival) is not None]
        if len(self._made) >= caps.challenges:
            return _refused(429, "daily_challenge_cap", _until_midnight())
        if len(self.games) >= caps.games:
            return _refused(429, "daily_bot_cap", _until_midnight())
        if len(played) >= caps.pair:
            return _refused(429, "daily_pair_cap", _until_midnight())
        return None

    def _new_challenge(self, rival: str, control: dict[str, Any], *, to_bot: bool) -> Pending:
        challenge = Pending(
            secrets.token_hex(8), rival, to_bot, control, 5, "random", time.monotonic()
        )
        self._challenges[challenge.challenge_id] = challenge
        return challenge

    def _view(self, challenge: Pending) -> dict[str, Any]:
        ours, theirs = self._player(self._scenario.name), self._player(challenge.rival)
        return {
            "challengeId": challenge.challenge_id,
            "challenger": theirs if challenge.to_bot else ours,
            "destUser": ours if challenge.to_bot else theirs,
            "timeControl": challenge.control,
            "openingPlies": challenge.plies,
            "firstPlayer": challenge.first,
            "status": challenge.status,
        }

    def _player(self, name: str) -> dict[str, Any]:
        return {"name": name, "rating": round(self.ratings[name]), "provisional": True}

    async def _rival_answers(self, challenge: Pending) -> None:
        habits = self._scenario.habits
        if self._happens(habits.ignores):
            return
        await asyncio.sleep(self._rng.uniform(*habits.answer_s))
        if challenge.challenge_id not in self._challenges:
            return
        if (
            self.is_closing
            or self._happens(habits.declines)
            or self._live_of(challenge.rival) >= MOST_LIVE
        ):
            self._drop(challenge, "declined")
        elif self._live_of(self._scenario.name) < MOST_LIVE:
            self._begin(challenge)

    def _drop(self, challenge: Pending, status: str) -> None:
        if self._challenges.pop(challenge.challenge_id, None) is None:
            return
        challenge.status = status
        view = self._view(challenge)
        if status == "declined":
            self._tell({"type": "challengeDeclined", "challenge": view})
        else:
            self._tell({"type": "challengeCanceled", "reason": status, "challenge": view})

    async def _answer_challenge(self, request: web.Request) -> web.Response:
        if not self._knows(request):
            return _refused(401, "unauthorized")
        if self._happens(self._faults.unavailable):
            return _refused(502, "")
        challenge = self._challenges.get(request.match_info["id"])
        answer = request.match_info["answer"]
        if challenge is None or challenge.to_bot == (answer == "cancel"):
            return _refused(404, "not_found")
        if answer == "accept":
            if self._live_of(self._scenario.name) >= MOST_LIVE:
                return _refused(400, "bot_busy")
            self._begin(challenge)
        else:
            self._challenges.pop(challenge.challenge_id)
            challenge.status = "declined" if answer == "decline" else "canceled"
        return self._cut_or(request, 200, {"ok": True})

    def rival_challenges(self, control: dict[str, Any]) -> None:
        """Let a rival challenge the bot, if it takes games."""
        if self._stream is not None and self._stream.takes_games:
            challenge = self._new_challenge(self._rng.choice(self._rivals), control, to_bot=True)
            challenge.plies = self._rng.choice((1, 3, 5, 7, 9))
            self.audit.counts["challenges of others"] += 1
            self._tell({"type": "challenge", "challenge": self._view(challenge)})

    # ---- games -----------------------------------------------------------------------------

    def _begin(self, challenge: Pending) -> None:
        self._challenges.pop(challenge.challenge_id, None)
        challenge.status = "accepted"
        challenger = challenge.rival if challenge.to_bot else self._scenario.name
        challenged = self._scenario.name if challenge.to_bot else challenge.rival
        board, turns = opening(challenge.plies, self._rng)
        first = challenge.first
        if first == "random":
            first = self._rng.choice(("challenger", "challenged"))
        names = (challenger, challenged) if first == "challenger" else (challenged, challenger)
        seats = {board.to_move: SeatState(names[0]), other(board.to_move): SeatState(names[1])}
        rated = challenge.rival not in self._twins
        self._start(
            Game(
                secrets.token_hex(8),
                seats,
                Clock(challenge.control),
                challenge.plies,
                board,
                turns,
                rated,
            )
        )

    def person_starts(self, control: dict[str, Any]) -> None:
        """Let a guest start a game, unasked."""
        if self._stream is None or not self._stream.takes_games:
            return
        if self._live_of(self._scenario.name) >= MOST_LIVE:
            return
        board, turns = opening(self._rng.choice((1, 3, 5)), self._rng)
        guest = SeatState(f"Guest {secrets.token_hex(2)}", is_bot=False)
        seats: dict[Side, SeatState] = {"x": SeatState(self._scenario.name), "o": guest}
        if self._rng.random() < 0.5:
            seats = {"x": guest, "o": SeatState(self._scenario.name)}
        self.audit.counts["games of guests"] += 1
        plies = len(board.stones)
        self._start(Game(secrets.token_hex(8), seats, Clock(control), plies, board, turns, False))

    def _start(self, game: Game) -> None:
        self.games[game.game_id] = game
        game.clock.start(time.monotonic())
        self.audit.counts["games begun"] += 1
        self._request(game)
        side = game.side_of(self._scenario.name)
        assert side is not None
        if self._stream is None:
            game.seats[side].orphaned_at = time.monotonic()
        if self._happens(self._faults.stream_cut) and self._stream is not None:
            self.audit.counts["streams cut"] += 1
            self._cut_stream()
        self._tell(self._start_of(game, side))

    def _start_of(self, game: Game, side: Side) -> dict[str, Any]:
        """Return the line of a game, with a new token."""
        seat, rival = game.seats[side], game.seats[other(side)]
        seat.token = f"hgs_{secrets.token_urlsafe(24)}"
        seat.token_until = time.monotonic() + self._scenario.limits.token_s
        if self._happens(self._faults.token_dies):
            self.audit.counts["tokens dead"] += 1
            seat.token_until = 0.0
        opponent = (
            self._player(rival.name)
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

    def _request(self, game: Game) -> None:
        """Ask the player to move for a turn."""
        side = game.board.to_move
        seat = game.seats[side]
        game.counter += 1
        game.pending = game.counter
        if seat.name != self._scenario.name:
            self._tasks.start(self._rival_moves(game, game.counter))
            return
        game.was_asked = True
        if seat.session is not None:
            self._tasks.start(self._send_request(game, seat.session))

    async def _send_request(self, game: Game, session: Session) -> None:
        faults, side = self._faults, game.board.to_move
        if self._happens(faults.socket_cut):
            self.audit.counts["websockets cut"] += 1
            _abort(game.seats[side])
            return
        packet = game.request(session)
        if self._happens(faults.request_lost):
            self.audit.counts["requests lost"] += 1
            return
        with suppress(ConnectionError, RuntimeError):
            await session.socket.send_str(packet)
            if self._happens(faults.request_twice):
                self.audit.counts["requests sent twice"] += 1
                await session.socket.send_str(game.request(session, again=True))

    async def _rival_moves(self, game: Game, number: int) -> None:
        habits = self._scenario.habits
        await asyncio.sleep(self._rng.uniform(*habits.think_s))
        if game.is_over or game.pending != number:
            return
        side = game.board.to_move
        if self._happens(habits.resigns):
            self._finish(game, other(side), "surrender")
            return
        self._play(game, side, reply(game.board, self._rng, skill=habits.skill))

    def _play(self, game: Game, side: Side, pieces: list[Point]) -> None:
        game.pending = None
        try:
            game.board.play(pieces)
        except IllegalStone as error:
            if game.seats[side].name == self._scenario.name:
                self.audit.violation(kinds.ILLEGAL, f"game {game.game_id}: {error}")
            self._finish(game, other(side), "terminated")
            return
        game.turns.append((side, pieces))
        game.clock.moved(side, time.monotonic())
        if game.board.winner is not None:
            self._finish(game, side, "six-in-a-row")
        elif len(game.turns) >= MOST_TURNS:
            self._finish(game, None, "terminated")
        else:
            self._request(game)

    def _finish(
        self, game: Game, winner: Side | None, reason: str, *, is_told: bool = True
    ) -> None:
        if game.is_over:
            return
        game.pending, game.winner, game.reason = None, winner, reason
        self.audit.counts["games over"] += 1
        self.audit.counts[f"ended: {reason}"] += 1
        loser, ours = game.loser(), game.side_of(self._scenario.name)
        lost_by = {"disconnect": kinds.DISCONNECT, "timeout": kinds.TIMEOUT}
        lost_by["surrender"] = kinds.RESIGNED
        if loser == ours and reason in lost_by:
            self.audit.violation(lost_by[reason], f"game {game.game_id}, {len(game.turns)} turns")
        if game.rated and winner is not None:
            for side, seat in game.seats.items():
                self.ratings[seat.name] += 8 if side == winner else -8
        for seat in game.seats.values():
            seat.token = None
            if seat.session is not None:
                self._tasks.start(_closed(seat.session, WSCloseCode.OK))
                seat.session = None
        if not is_told:
            return
        if self._happens(self._faults.finish_lost):
            self.audit.counts["ends of games lost"] += 1
            return
        if self._happens(self._faults.stream_cut):
            self.audit.counts["streams cut"] += 1
            self._cut_stream()
        finish = {"type": "gameFinish", "gameId": game.game_id, "winner": winner, "reason": reason}
        self._tell(finish)
        self._end_stream_sometimes()

    def _end_stream_sometimes(self) -> None:
        now = time.monotonic()
        is_rare = now - self._ended_stream_at > 60
        if self._stream is not None and is_rare and self._happens(self._faults.stream_ended):
            self._ended_stream_at = now
            self.audit.counts["streams ended"] += 1
            self._stream.closed.set()

    async def _read_game(self, request: web.Request) -> web.Response:
        if self._happens(self._faults.unavailable):
            return _refused(502, "")
        game = self.games.get(request.match_info["id"])
        return (
            _refused(404, "not_found") if game is None else self._fine(game.snapshot(self.ratings))
        )

    async def _resign(self, request: web.Request) -> web.Response:
        game = self.games.get(request.match_info["id"])
        if game is None:
            return _refused(404, "not_found")
        side = game.side_of(self._scenario.name)
        assert side is not None
        token = request.headers.get("Authorization", "").removeprefix("Bearer ")
        if not self._is_live(game, game.seats[side], token):
            return _refused(401, "unauthorized")
        self._finish(game, other(side), "surrender")
        return self._fine({"ok": True})

    @staticmethod
    def _is_live(game: Game, seat: SeatState, token: str) -> bool:
        is_young = time.monotonic() < seat.token_until
        return not game.is_over and seat.token == token and is_young

    # ---- websockets ------------------------------------------------------------------------

    async def _socket(self, request: web.Request) -> web.StreamResponse:
        game = self.games.get(request.match_info["id"])
        side = None if game is None else game.side_of(self._scenario.name)
        token = request.query.get("token", "")
        if game is None or side is None or not self._is_live(game, game.seats[side], token):
            self.audit.counts["dials refused"] += 1
            return _refused(404, "not_found")
        websocket = web.WebSocketResponse(max_msg_size=LARGEST_FRAME)
        await websocket.prepare(request)
        self.audit.counts["dials"] += 1
        assert isinstance(request.transport, asyncio.Transport)
        seat, session = game.seats[side], Session(websocket, request.transport)
        if seat.session is not None:
            await _closed(seat.session, WSCloseCode.OK)
        seat.session = session
        beating = asyncio.create_task(self._beat_socket(game, side, session))
        try:
            await self._converse(game, side, session)
        finally:
            beating.cancel()
            if seat.session is session:
                seat.session = None
        return websocket

    async def _converse(self, game: Game, side: Side, session: Session) -> None:
        cells = [{"q": 0, "r": 0, "p": "x"}]
        with suppress(ConnectionError, RuntimeError):
            await session.socket.send_str(json.dumps({"type": "setup", "board": {"cells": cells}}))
            if game.pending is not None and game.board.to_move == side:
                await self._send_request(game, session)
            async for message in session.socket:
                if message.type is WSMsgType.TEXT and not game.is_over:
                    await self._received(game, side, session, message.data)

    async def _beat_socket(self, game: Game, side: Side, session: Session) -> None:
        with suppress(ConnectionError, RuntimeError):
            while True:
                await asyncio.sleep(self._scenario.limits.heartbeat_s)
                waiting = game.pending is not None and game.board.to_move == side
                packet = {"type": "heartbeat", "waiting": waiting}
                await session.socket.send_str(json.dumps(packet))

    async def _received(self, game: Game, side: Side, session: Session, text: str) -> None:
        if self._happens(self._faults.answer_lost):
            self.audit.counts["turns lost"] += 1
            return
        is_due = game.pending is not None and game.board.to_move == side
        try:
            packet = json.loads(text)
            assert packet["type"] == "move_response"
            pieces = [(int(each["q"]), int(each["r"])) for each in packet["move"]["pieces"]]
            assert len(pieces) == 2
            number = packet.get("request_id")
        except (ValueError, KeyError, TypeError, AssertionError):
            self.audit.violation(kinds.MALFORMED, text[:100])
            if is_due:
                await _closed(session, WSCloseCode.POLICY_VIOLATION)
            return
        if isinstance(number, int):
            self.audit.answered(game.game_id, number, str(pieces))
        if not is_due or number != game.pending:
            session.strays += 1
            self.audit.counts["frames that answer nothing"] += 1
            if session.strays > MOST_STRAYS:
                self.audit.violation(kinds.STRAYS, f"game {game.game_id}")
                await _closed(session, WSCloseCode.POLICY_VIOLATION)
            return
        self.audit.counts["turns of the bot"] += 1
        taken_s = time.monotonic() - game.clock.since
        self.audit.slowest_s = max(self.audit.slowest_s, taken_s)
        self._play(game, side, pieces)
        if self._happens(self._faults.socket_closed) and not game.is_over:
            self.audit.counts["websockets closed"] += 1
            await _closed(session, WSCloseCode.POLICY_VIOLATION)

    # ---- answers ---------------------------------------------------------------------------

    def _fine(self, body: object, status: int = 200) -> web.Response:
        return web.json_response(body, status=status)

    def _cut_or(self, request: web.Request, status: int, body: object) -> web.Response:
        """Answer, or break the connection after the effect."""
        if self._happens(self._faults.answer_cut):
            self.audit.counts["answers cut"] += 1
            assert request.transport is not None
            request.transport.abort()
            raise asyncio.CancelledError
        return self._fine(body, status)


async def _closed(session: Session, code: int) -> None:
    with suppress(ConnectionError, RuntimeError, TimeoutError):
        async with asyncio.timeout(2.0):
            await session.socket.close(code=code)


def _abort(seat: SeatState) -> None:
    session, seat.session = seat.session, None
    if session is not None:
        session.transport.abort()


def _refused(status: int, code: str, retry_after_s: int | None = None) -> web.Response:
    headers = {} if retry_after_s is None else {"Retry-After": str(retry_after_s)}
    body = {"error": f"refused: {code}", "code": code}
    return web.json_response(body, status=status, headers=headers)


def _until_midnight() -> int:
    now = datetime.now(UTC)
    tomorrow = now.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)
    return int((tomorrow - now).total_seconds())
