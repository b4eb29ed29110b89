"""Positions as JSON, for boards that have no connection: in other pages, and for openings."""

from typing import Final

import orjson
from aiohttp import web
from pydantic import BaseModel

from bot.arena.games import referee
from bot.arena.games.game_rows import StoredGame
from bot.arena.games.game_store import GameStore
from bot.arena.games.lines import GameLine, line_in, line_of
from bot.arena.games.referee import Menu
from bot.arena.http.documents import DAY_S, answer, document, json_answer, refusal
from bot.arena.http.queries import number_in
from bot.arena.http.routes import REQUEST, Routes
from bot.arena.pictures.pictures_api import Check
from bot.arena.refusals import Refused
from bot.runtime.workers import Workers

SOON_S: Final = 2
"""How long the facts of a running game may be cached."""


class PositionsApi:
    """Routes /api/position and /api/games/{id}."""

    def __init__(self, store: GameStore, menu: Menu, check: Check, workers: Workers) -> None:
        self._store = store
        self._workers = workers
        self._menu = menu
        self._check = check

    def add_to(self, routes: Routes) -> None:
        """Add the routes; before those of `HttpApi`, whose last route answers any path in /api."""
        routes.get("/api/position", self._position, 5 * REQUEST)
        routes.get("/api/games/{id:[^/.]+}", self._game, 2 * REQUEST)
        routes.get("/api/games/{id:[^/.]+}/position", self._of_game, 5 * REQUEST)

    async def _position(self, request: web.Request) -> web.Response:
        try:
            line = line_of(request.query, self._menu)
            return await self._answer(request, line, DAY_S)
        except Refused as refused:
            return refusal(refused)

    async def _game(self, request: web.Request) -> web.Response:
        """Who plays what, the turns so far, and the result."""
        try:
            stored = await self._stored(request)
        except Refused as refused:
            return refusal(refused)
        one, two = stored.players
        facts = {
            "game_id": stored.game_id,
            "setup": _json(stored.setup),
            "players": [_json(one), _json(two)],
            "turns": [each.turn for each in stored.turns],
            "result": stored.result and _json(stored.result),
        }
        if stored.result is None:
            return json_answer(facts, max_age_s=SOON_S)
        # Not kept without asking: a player who deletes the account loses the name in it.
        return answer(request, await self._workers.run(lambda: document(orjson.dumps(facts))))

    async def _of_game(self, request: web.Request) -> web.Response:
        try:
            stored = await self._stored(request)
            age_s = SOON_S if stored.result is None else DAY_S
            return await self._answer(request, line_in(stored), age_s)
        except Refused as refused:
            return refusal(refused)

    async def _stored(self, request: web.Request) -> StoredGame:
        stored = await self._store.find(request.match_info["id"])
        if stored is None:
            raise Refused("unknown_game_id")
        return stored

    async def _answer(self, request: web.Request, line: GameLine, max_age_s: int) -> web.Response:
        self._check(line.game)
        plies = len(line.turns)
        ply = number_in(request.query, "ply", plies, range(plies + 1))
        text = await self._workers.run(lambda: referee.view(line.position(ply)).as_json)
        return json_answer(orjson.Fragment(text), max_age_s=max_age_s)


def _json(message: BaseModel) -> orjson.Fragment:
    return orjson.Fragment(message.model_dump_json())
