"""The simulated HeXO-Arena over HTTP: one bot under rehearsal, and simulated bots around it."""

import asyncio
import json
import random
import socket
import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final

from aiohttp import WSCloseCode, WSMsgType, web

from bot.guests.hexo_arena.rehearsal import audit as kinds
from bot.guests.hexo_arena.rehearsal.audit import Audit
from bot.guests.hexo_arena.rehearsal.board import Side, other
from bot.guests.hexo_arena.rehearsal.game import MOST_STRAYS, SeatSession, SimulatedGame
from bot.guests.hexo_arena.rehearsal.ladder import Ladder, LadderAnswer, refused
from bot.guests.hexo_arena.rehearsal.scenario import Scenario
from bot.guests.hexo_arena.rehearsal.tables import SimulatedTables, closed
from bot.runtime.tasks import OwnedTasks
from bot.runtime.token_bucket import TokenBucket
from bot.time_source import SystemTime

LARGEST_BODY: Final = 16 * 1024
LARGEST_FRAME: Final = 16 * 1024
LOOK_S: Final = 0.1


@dataclass(eq=False)
class Stream:
    response: web.StreamResponse
    transport: asyncio.Transport
    takes_games: bool
    closed: asyncio.Event = field(default_factory=asyncio.Event)


class StandIn:
    """Serves the site's addresses. `run` serves until it is cancelled."""

    def __init__(self, scenario: Scenario) -> None:
        self.audit = Audit()
        self._scenario = scenario
        self._faults = scenario.faults
        self._rng = random.Random(scenario.seed)
        self._stream: Stream | None = None
        self._tasks = OwnedTasks("stand_in_failed")
        self._ended_stream_at = 0.0
        self.tables = SimulatedTables(scenario, self.audit, self._rng, self._tasks, self)
        self.ladder = Ladder(
            scenario,
            self.audit,
            self._rng,
            self._tasks,
            self.tables,
            self,
            lambda: self._stream is not None and self._stream.takes_games,
        )
        self._opens = self._new_opens()

    def _new_opens(self) -> TokenBucket:
        limits = self._scenario.limits
        return TokenBucket(limits.opens_per_s, limits.opens, SystemTime())

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
        self.cut()
        self.tables.hang_up()

    async def _keep_time(self) -> None:
        while True:
            now = time.monotonic()
            self.tables.look(now)
            self.ladder.expire(now)
            await asyncio.sleep(LOOK_S)

    def crash(self) -> None:
        """Lose everything that runs, as a crash of the server does: it never comes back."""
        self.tables.crash()
        self.ladder.crash()
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

    # ---- our account and the directory -----------------------------------------------------

    def _knows(self, request: web.Request) -> bool:
        return request.headers.get("Authorization") == f"Bearer {self._scenario.token}"

    def _happens(self, chance: float) -> bool:
        return self._rng.random() < chance

    async def _account(self, request: web.Request) -> web.Response:
        is_known = self._knows(request)
        answer = (
            LadderAnswer(200, self.ladder.account()) if is_known else refused(401, "unauthorized")
        )
        return self._answer(request, answer)

    async def _declare(self, request: web.Request) -> web.Response:
        if not self._knows(request):
            return self._answer(request, refused(401, "unauthorized"))
        return self._answer(request, self.ladder.declare(await request.json()))

    async def _directory(self, request: web.Request) -> web.Response:
        return self._answer(request, LadderAnswer(200, self.ladder.directory()))

    # ---- the stream ------------------------------------------------------------------------

    async def _open_stream(self, request: web.Request) -> web.StreamResponse:
        if not self._knows(request):
            return _response(refused(401, "unauthorized"))
        opens = request.query.get("open")
        if opens not in {None, "1"}:
            return _response(refused(400, "bad_request"))
        if not self._opens.take():
            self.audit.violation(kinds.HAMMERED, "a stream")
            return _response(refused(429, "rate_limited", 10))
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
        self.tables.came_back()
        try:
            await self._replay(stream)
            await self._beat(stream)
        except (ConnectionError, RuntimeError):
            pass
        finally:
            if self._stream is stream:
                self._stream = None
                self.tables.went_away()
        return response

    async def _replay(self, stream: Stream) -> None:
        name = self._scenario.name
        for game in self.tables.live:
            side = game.side_of(name)
            if side is not None:
                await self._write(stream, self.tables.start_of(game, side))
                if game.pending is not None and game.board.to_move == side:
                    board: dict[str, Any] = {"to_move": side, "cells": []}
                    request = {"board": board, "request_id": game.pending}
                    line = {"type": "moveRequest", "gameId": game.game_id, "request": request}
                    await self._write(stream, line)
        for challenge in self.ladder.inbox():
            line = {"type": "challenge", "challenge": self.ladder.view(challenge)}
            await self._write(stream, line)

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

    @property
    def is_open(self) -> bool:
        return self._stream is not None

    def tell(self, line: dict[str, Any]) -> None:
        """Write a line to the bot's stream. Without one it is lost."""
        if self._stream is not None:
            self._tasks.start(self._told(self._stream, line))
        else:
            self.audit.counts["lines lost"] += 1

    async def _told(self, stream: Stream, line: dict[str, Any]) -> None:
        with suppress(ConnectionError, RuntimeError):
            await self._write(stream, line)

    def cut(self) -> None:
        """See `Outlet.cut`."""
        stream, self._stream = self._stream, None
        if stream is not None:
            stream.transport.abort()
            stream.closed.set()
            self.tables.went_away()

    def end_sometimes(self) -> None:
        """See `Outlet.end_sometimes`."""
        now = time.monotonic()
        is_rare = now - self._ended_stream_at > 60
        if self._stream is not None and is_rare and self._happens(self._faults.stream_ended):
            self._ended_stream_at = now
            self.audit.counts["streams ended"] += 1
            self._stream.closed.set()

    # ---- challenges ------------------------------------------------------------------------

    async def _challenge(self, request: web.Request) -> web.Response:
        if not self._knows(request):
            return self._answer(request, refused(401, "unauthorized"))
        if self._happens(self._faults.unavailable):
            return self._answer(request, refused(502, ""))
        rival, body = request.match_info["name"], await request.json()
        return self._answer(request, self.ladder.challenge(rival, body))

    async def _answer_challenge(self, request: web.Request) -> web.Response:
        if not self._knows(request):
            return self._answer(request, refused(401, "unauthorized"))
        if self._happens(self._faults.unavailable):
            return self._answer(request, refused(502, ""))
        challenge_id, answer = request.match_info["id"], request.match_info["answer"]
        return self._answer(request, self.ladder.answer(challenge_id, answer))

    # ---- games -----------------------------------------------------------------------------

    async def _read_game(self, request: web.Request) -> web.Response:
        if self._happens(self._faults.unavailable):
            return _response(refused(502, ""))
        game = self.tables.found(request.match_info["id"])
        if game is None:
            return _response(refused(404, "not_found"))
        return _response(LadderAnswer(200, game.snapshot(self.tables.ratings)))

    async def _resign(self, request: web.Request) -> web.Response:
        game = self.tables.games.get(request.match_info["id"])
        if game is None:
            return _response(refused(404, "not_found"))
        side = game.side_of(self._scenario.name)
        assert side is not None
        token = request.headers.get("Authorization", "").removeprefix("Bearer ")
        if not self.tables.is_live(game, game.seats[side], token):
            return _response(refused(401, "unauthorized"))
        self.tables.finish(game, other(side), "surrender")
        return _response(LadderAnswer(200, {"ok": True}))

    # ---- websockets ------------------------------------------------------------------------

    async def _socket(self, request: web.Request) -> web.StreamResponse:
        game = self.tables.games.get(request.match_info["id"])
        side = None if game is None else game.side_of(self._scenario.name)
        if game is not None:
            game.was_dialled = True
        token = request.query.get("token", "")
        if game is None or side is None or not self.tables.is_live(game, game.seats[side], token):
            self.audit.counts["dials refused"] += 1
            return _response(refused(404, "not_found"))
        websocket = web.WebSocketResponse(max_msg_size=LARGEST_FRAME)
        await websocket.prepare(request)
        self.audit.counts["dials"] += 1
        assert isinstance(request.transport, asyncio.Transport)
        seat, session = game.seats[side], SeatSession(websocket, request.transport)
        if seat.session is not None:
            await closed(seat.session, WSCloseCode.OK)
        seat.session = session
        beating = asyncio.create_task(self._beat_socket(game, side, session))
        try:
            await self._converse(game, side, session)
        finally:
            beating.cancel()
            if seat.session is session:
                seat.session = None
        return websocket

    async def _converse(self, game: SimulatedGame, side: Side, session: SeatSession) -> None:
        cells = [{"q": 0, "r": 0, "p": "x"}]
        with suppress(ConnectionError, RuntimeError):
            await session.socket.send_str(json.dumps({"type": "setup", "board": {"cells": cells}}))
            if game.pending is not None and game.board.to_move == side:
                await self.tables.send_request(game, session)
            async for message in session.socket:
                if message.type is WSMsgType.TEXT and not game.is_over:
                    await self._received(game, side, session, message.data)

    async def _beat_socket(self, game: SimulatedGame, side: Side, session: SeatSession) -> None:
        with suppress(ConnectionError, RuntimeError):
            while True:
                await asyncio.sleep(self._scenario.limits.heartbeat_s)
                waiting = game.pending is not None and game.board.to_move == side
                packet = {"type": "heartbeat", "waiting": waiting}
                await session.socket.send_str(json.dumps(packet))

    async def _received(
        self, game: SimulatedGame, side: Side, session: SeatSession, text: str
    ) -> None:
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
                await closed(session, WSCloseCode.POLICY_VIOLATION)
            return
        if isinstance(number, int):
            self.audit.answered(game.game_id, number, str(pieces))
        if not is_due or number != game.pending:
            session.strays += 1
            self.audit.counts["frames that answer nothing"] += 1
            if session.strays > MOST_STRAYS:
                self.audit.violation(kinds.STRAYS, f"game {game.game_id}")
                await closed(session, WSCloseCode.POLICY_VIOLATION)
            return
        self.audit.counts["turns of the bot"] += 1
        taken_s = time.monotonic() - game.clock.since
        self.audit.slowest_s = max(self.audit.slowest_s, taken_s)
        self.tables.play(game, side, pieces)
        if self._happens(self._faults.socket_closed) and not game.is_over:
            self.audit.counts["websockets closed"] += 1
            await closed(session, WSCloseCode.POLICY_VIOLATION)

    # ---- answers ---------------------------------------------------------------------------

    def _answer(self, request: web.Request, answer: LadderAnswer) -> web.Response:
        """Answer, or break the connection after the effect."""
        if answer.is_cuttable and self._happens(self._faults.answer_cut):
            self.audit.counts["answers cut"] += 1
            assert request.transport is not None
            request.transport.abort()
            raise asyncio.CancelledError
        return _response(answer)


def _response(answer: LadderAnswer) -> web.Response:
    wait_s = answer.retry_after_s
    headers = {} if wait_s is None else {"Retry-After": str(wait_s)}
    return web.json_response(answer.body, status=answer.status, headers=headers)
