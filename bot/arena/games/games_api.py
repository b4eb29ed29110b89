"""The HTTP API: games and boards, schemas and health."""

import asyncio
from collections.abc import Callable
from dataclasses import asdict
from typing import Any, Final

import orjson
from aiohttp import web

import engine
from bot import __version__
from bot.arena.games import referee
from bot.arena.games.archive import SOFTWARE
from bot.arena.games.game_store import GameStore
from bot.arena.games.referee import Menu
from bot.arena.http.addresses import Proxies
from bot.arena.http.documents import DAY_S, NO_CACHE, DocumentCache, answer, json_answer, problem
from bot.arena.http.routes import Routes
from bot.arena.refusals import Refused
from bot.records.model import record_schema
from bot.time_controls import parse_time_control
from bot.wire.schema import events_schema

HEALTH_DEADLINE_S: Final = 2.0


class HttpApi:
    """Routes under /api, and /healthz; `facts` gives the figures that /healthz shows."""

    def __init__(
        self,
        store: GameStore,
        menu: Menu,
        facts: Callable[[], dict[str, Any]],
        documents: DocumentCache,
        proxies: Proxies,
    ) -> None:
        self._proxies = proxies
        self._store = store
        self._menu = menu
        self._facts = facts
        self._documents = documents

    def add_to(self, routes: Routes) -> None:
        routes.get("/healthz", self._health)
        routes.get("/api/games", self._games)
        routes.get("/api/boards/{game}", self._usual_boards)
        routes.get("/api/boards/{game}/{board}", self._board)
        routes.get("/api/caller", self._caller)
        routes.get("/api/schema/events.json", self._events_schema)
        routes.get("/api/schema/record.json", self._record_schema)
        routes.get("/api/{rest:.*}", self._nothing)

    async def _health(self, _request: web.Request) -> web.Response:
        if self._store.trouble is not None:
            status = "the database cannot be written, clocks are paused"
            return json_answer({"status": status, "server": SOFTWARE}, status=503)
        try:
            await asyncio.wait_for(self._store.summaries(1), HEALTH_DEADLINE_S)
        except TimeoutError:
            return json_answer(
                {"status": "the database does not answer", "server": SOFTWARE}, status=503
            )
        about = {"status": "ok", "server": SOFTWARE, "version": __version__}
        return json_answer({**about, **self._facts()})

    async def _caller(self, request: web.Request) -> web.Response:
        """The client and the server's name, as the arena sees them behind its proxies."""
        caller = self._proxies.caller(request)
        forwarded = "none"
        if "X-Forwarded-For" in request.headers:
            forwarded = "untrusted" if caller.is_forwarded_by_stranger else "trusted"
        seen = {"address": caller.address, "scheme": caller.scheme, "host": caller.host}
        return json_answer({**seen, "forwarded": forwarded})

    async def _games(self, request: web.Request) -> web.Response:
        return await self._fixed(request, lambda: offers_document(self._menu))

    async def _board(self, request: web.Request) -> web.Response:
        names = request.match_info
        return await self._boards(request, lambda: board_document(names["game"], names["board"]))

    async def _usual_boards(self, request: web.Request) -> web.Response:
        name = request.match_info["game"]
        return await self._boards(request, lambda: usual_boards_document(name))

    async def _boards(self, request: web.Request, make: Callable[[], object]) -> web.Response:
        # The page requests boards with its version as `v`, so a cached board always fits the page.
        caching = f"public, max-age={DAY_S}" if "v" in request.query else NO_CACHE
        try:
            return await self._fixed(request, make, caching)
        except Refused as refused:
            return problem(404, refused.code, refused.message)

    async def _events_schema(self, request: web.Request) -> web.Response:
        return await self._fixed(request, events_schema)

    async def _record_schema(self, request: web.Request) -> web.Response:
        return await self._fixed(request, record_schema)

    async def _fixed(
        self, request: web.Request, make: Callable[[], object], caching: str = NO_CACHE
    ) -> web.Response:
        """A document that never changes while the arena runs; made once, in a thread."""

        async def body() -> bytes:
            return await asyncio.to_thread(lambda: orjson.dumps(make()))

        return answer(request, await self._documents.get(request.path, None, body), caching)

    async def _nothing(self, _request: web.Request) -> web.Response:
        return problem(404, "unknown_event", "There is no such address.")


def offers_document(menu: Menu) -> dict[str, Any]:
    """The games that a page offers, and the clocks that it suggests."""
    clocks = [
        {"name": text, "clock": parse_time_control(text).model_dump()} for text in menu.clocks
    ]
    return {"games": [_offer(info) for info in menu.games], "clocks": clocks}


def _offer(info: engine.GameInfo) -> dict[str, Any]:
    return {
        "game": info.name,
        "title": info.title,
        "boards": list(info.boards),
        "board_forms": list(info.board_forms),
        "rules": list(info.rule_sets),
        "kinds": info.kinds,
        "score": info.score,
        "options": [{**asdict(each), "usual": str(each.usual)} for each in info.options],
        "note": info.note,
    }


def board_document(name: str, board: str) -> dict[str, Any]:
    """A game on a board. Raises Refused."""
    game = referee.game_on(name, board)
    shape = _geometry(game.board) if game.board.is_bounded else _lattice(game.board)
    return {**shape, **_facts(game)}


def usual_boards_document(name: str) -> dict[str, Any]:
    """The boards that a page shows for a game. Raises Refused."""
    info = referee.game_on(name, None).info
    return {"boards": {board: board_document(name, board) for board in info.boards}}


def _facts(game: engine.Game) -> dict[str, Any]:
    """Return a page's facts about a game besides its board, with default options."""
    return {
        "kinds": game.kinds,
        "score": game.info.score,
        "options": referee.option_texts(game.all_options),
    }


def _lattice(board: engine.Board) -> dict[str, Any]:
    """An unbounded board: how to draw the cell `q:r`, instead of lists of cells."""
    q, r = (
        [round(coordinate, 5) for coordinate in board.position(cell)] for cell in ("1:0", "0:1")
    )
    return {
        "name": board.name,
        "cells": [],
        "edges": [],
        "blue": [],
        "stars": [],
        "lattice": {"q": q, "r": r},
    }


def _geometry(board: engine.Board) -> dict[str, Any]:
    return {
        "name": board.name,
        "cells": [
            {"name": name, "x": round(x, 5), "y": round(y, 5)}
            for name, (x, y) in zip(board.cells, board.positions, strict=True)
        ],
        "edges": [
            (cell, other)
            for cell, around in enumerate(board.adjacency)
            for other in around
            if cell < other
        ],
        "blue": [
            {
                "x": round(stone.position[0], 5),
                "y": round(stone.position[1], 5),
                "touches": [board.cells[cell] for cell in stone.touches],
            }
            for stone in board.blue_stones
        ],
        "stars": [{"x": round(x, 5), "y": round(y, 5)} for x, y in board.stars],
        "dots": [board.cells[cell] for cell in board.dots],
        "labels": [
            {"text": label.text, "x": label.position[0], "y": label.position[1]}
            for label in board.labels
        ],
    }
