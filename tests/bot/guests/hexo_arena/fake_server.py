"""A HeXO-Arena for tests: answers are set by hand, and lines are sent when a test says so."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

from aiohttp import web

from bot.runtime.listening import address_of, bound
from tests.bot.guests.hexo_arena.table import SETUP, pieces

TOKEN = "hxo_test"
ACCEPTS = {"turnMs": [5000, 600_000], "match": True, "unlimited": False}
ACCOUNT: dict[str, Any] = {
    "name": "Granite",
    "rating": 1500,
    "provisional": True,
    "accepts": ACCEPTS,
    "levels": None,
    "analyzer": None,
}


def start(game_id: str, side: str = "o", **more: object) -> dict[str, Any]:
    return {
        "type": "gameStart",
        "gameId": game_id,
        "side": side,
        "opponent": {"name": "Ann", "rating": 1512, "provisional": False},
        "timeControl": {"mode": "turn", "turnTimeMs": 15_000},
        "openingPlies": 1,
        "rated": True,
        "level": None,
        "engine": {"socketUrl": f"/api/bot/game/{game_id}/socket", "token": f"hgs_{game_id}"},
        **more,
    }


def finish(game_id: str, winner: str | None, reason: str = "six-in-a-row") -> dict[str, Any]:
    return {"type": "gameFinish", "gameId": game_id, "winner": winner, "reason": reason}


def challenge(challenge_id: str, opponent: str = "Ann", status: str = "created") -> dict[str, Any]:
    player = {"rating": 1500, "provisional": True}
    return {
        "challengeId": challenge_id,
        "challenger": {"name": opponent, **player},
        "destUser": {"name": "Granite", **player},
        "timeControl": {"mode": "turn", "turnTimeMs": 15_000},
        "openingPlies": 5,
        "firstPlayer": "random",
        "status": status,
    }


def snapshot(*turns: str, **more: object) -> dict[str, Any]:
    """A game as everybody can read it; it runs unless `more` says otherwise."""
    player = {"name": "Ann", "rating": 1, "provisional": True, "kind": "bot"}
    cells = [
        {"x": piece["q"] + piece["r"], "y": -piece["r"], "side": "x" if ply % 2 == 0 else "o"}
        for ply, turn in enumerate(turns)
        for piece in pieces(turn)
    ]
    known = {
        "gameId": "g1",
        "status": "in-progress",
        "players": {"x": player, "o": player},
        "board": {"cells": cells},
    }
    return {**known, **more}


class FakeServer:
    """`answers` has answers by path: a status with a body, or a list of them, one each."""

    def __init__(self) -> None:
        self.url = ""
        self.answers: dict[str, Any] = {"/api/bot/account": (200, ACCOUNT)}
        self.asked: list[tuple[str, str, Any]] = []
        self.replay: list[dict[str, Any]] = []
        self.stream_status = 200
        self.stream_code = ""
        self.opened: list[str] = []
        self.sockets: dict[str, web.WebSocketResponse] = {}
        self.received: dict[str, list[Any]] = {}
        self.on_dial: dict[str, list[dict[str, Any]]] = {}
        self._stream: web.StreamResponse | None = None
        self._ends = asyncio.Event()
        self.ends_streams = False

    @classmethod
    @asynccontextmanager
    async def running(cls) -> AsyncIterator["FakeServer"]:
        server = cls()
        app = web.Application()
        app.router.add_get("/api/bot/stream", server._open_stream)
        app.router.add_get("/api/bot/game/{id}/socket", server._socket)
        app.router.add_route("*", "/{path:.*}", server._answer)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await runner.setup()
        listening = bound("127.0.0.1", 0)
        server.url = address_of(listening)
        try:
            await web.SockSite(runner, listening).start()
            yield server
        finally:
            server.end_stream()
            await runner.cleanup()

    # ---- what the bot asks ---------------------------------------------------------------------

    async def _answer(self, request: web.Request) -> web.Response:
        body = await request.json() if request.can_read_body else None
        self.asked.append((request.method, request.path, body))
        known = self.answers.get(f"{request.method} {request.path}", self.answers.get(request.path))
        if isinstance(known, list):
            known = known.pop(0) if known else None
        status, answer = known or (404, {"error": "there is no such thing", "code": "not_found"})
        headers = {"Retry-After": "7"} if status in {429, 503} else {}
        return web.json_response(answer, status=status, headers=headers)

    def named(self, path: str) -> list[Any]:
        """The bodies of the requests to a path."""
        return [body for _, asked, body in self.asked if asked == path]

    # ---- the stream ----------------------------------------------------------------------------

    async def _open_stream(self, request: web.Request) -> web.StreamResponse:
        self.opened.append(request.query_string)
        if request.headers.get("Authorization") != f"Bearer {TOKEN}":
            return web.json_response({"code": "unauthorized"}, status=401)
        if self.stream_status != 200:
            headers = {"Retry-After": "7"}
            body = {"error": "refused", "code": self.stream_code}
            return web.json_response(body, status=self.stream_status, headers=headers)
        self.end_stream()
        response = web.StreamResponse(headers={"Content-Type": "application/x-ndjson"})
        await response.prepare(request)
        ends = self._ends = asyncio.Event()
        self._stream = response
        with suppress(ConnectionError):
            for line in self.replay:
                await response.write(json.dumps(line).encode() + b"\n")
            if not self.ends_streams:
                await ends.wait()
        return response

    @property
    def is_open(self) -> bool:
        return self._stream is not None

    async def tell(self, *lines: dict[str, Any]) -> None:
        assert self._stream is not None
        for line in lines:
            await self._stream.write(json.dumps(line).encode() + b"\n")

    async def write(self, content: bytes) -> None:
        assert self._stream is not None
        await self._stream.write(content)

    def end_stream(self) -> None:
        """End the stream as the server ends it for another one."""
        self._stream = None
        self._ends.set()

    # ---- games ---------------------------------------------------------------------------------

    async def _socket(self, request: web.Request) -> web.StreamResponse:
        game_id = request.match_info["id"]
        if request.query.get("token") != f"hgs_{game_id}":
            return web.json_response({"code": "not_found"}, status=404)
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        self.sockets[game_id] = socket
        await socket.send_json(SETUP)
        for packet in self.on_dial.get(game_id, []):
            await socket.send_json(packet)
        async for message in socket:
            self.received.setdefault(game_id, []).append(json.loads(message.data))
        return socket
