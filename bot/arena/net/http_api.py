"""The HTTP side for pages and programs: what can be played, boards, records, schemas, health."""

import asyncio
import hashlib
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any, Final

import orjson
from aiohttp import web

import engine
from bot import wire
from bot.arena.model import referee
from bot.arena.model.menu import Menu
from bot.arena.model.refusals import Refused
from bot.arena.net.json_answers import json_answer, moment, page_asked, problem
from bot.arena.store.archive import SOFTWARE
from bot.arena.store.game_rows import Summary
from bot.arena.store.games import GameStore
from bot.records.model import record_schema
from bot.time_controls import parse_time_control
from bot.wire.schema import events_schema

HEALTH_DEADLINE_S: Final = 2.0
DAY_S: Final = 86_400
TAG_LENGTH: Final = 32


class HttpApi:
    """Routes under /api, and /healthz; `facts` gives the figures that /healthz shows."""

    def __init__(
        self,
        store: GameStore,
        menu: Menu,
        facts: Callable[[], dict[str, Any]],
    ) -> None:
        self._store = store
        self._menu = menu
        self._facts = facts

    def add_to(self, app: web.Application) -> None:
        app.router.add_get("/healthz", self._health)
        app.router.add_get("/api/games", self._games)
        app.router.add_get("/api/boards/{game}/{board}", self._board)
        app.router.add_get("/api/records", self._records)
        app.router.add_get("/api/records/{id}", self._record)
        app.router.add_get("/api/schema/events.json", self._events_schema)
        app.router.add_get("/api/schema/record.json", self._record_schema)
        app.router.add_get("/api/{rest:.*}", self._nothing)

    async def _health(self, _request: web.Request) -> web.Response:
        if self._store.trouble is not None:
            status = "the database cannot be written, clocks stand"
            return json_answer({"status": status, "server": SOFTWARE}, status=503)
        try:
            await asyncio.wait_for(self._store.summaries(1), HEALTH_DEADLINE_S)
        except TimeoutError:
            return json_answer(
                {"status": "the database does not answer", "server": SOFTWARE}, status=503
            )
        return json_answer({"status": "ok", "server": SOFTWARE, **self._facts()})

    async def _games(self, _request: web.Request) -> web.Response:
        clocks = [
            {"name": text, "clock": parse_time_control(text).model_dump()}
            for text in self._menu.clocks
        ]
        return json_answer({"games": [_offer(info) for info in self._menu.games], "clocks": clocks})

    async def _board(self, request: web.Request) -> web.Response:
        names = request.match_info
        try:
            game = referee.game_on(names["game"], names["board"])
        except Refused as refused:
            return problem(404, refused.code, refused.message)
        return _if_changed(request, _tagged({**_geometry(game.board), **_facts(game)}))

    async def _records(self, request: web.Request) -> web.Response:
        asked = page_asked(request)
        if isinstance(asked, web.Response):
            return asked
        page = await self._store.summaries_before(asked.before, asked.limit)
        following = None if page.next is None else moment(page.next)
        return json_answer(
            {"records": [_listed(each) for each in page.summaries], "next": following}
        )

    async def _record(self, request: web.Request) -> web.Response:
        text = await self._store.record(request.match_info["id"])
        if text is None:
            return problem(404, "unknown_game_id", "No finished game of that id.")
        return json_answer(orjson.Fragment(text), max_age_s=DAY_S)

    async def _events_schema(self, request: web.Request) -> web.Response:
        return _if_changed(request, _tagged_events_schema())

    async def _record_schema(self, request: web.Request) -> web.Response:
        return _if_changed(request, _tagged_record_schema())

    async def _nothing(self, _request: web.Request) -> web.Response:
        return problem(404, "unknown_event", "There is no such address.")


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


def _facts(game: engine.Game) -> dict[str, Any]:
    """What a page has to know of a game besides its board; options are at their defaults."""
    return {
        "kinds": game.kinds,
        "score": game.info.score,
        "options": referee.option_texts(game.all_options),
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
    }


def _listed(summary: Summary) -> dict[str, Any]:
    return {**wire.encode(summary.game), "ended_at": moment(summary.ended_at)}


@dataclass(frozen=True, slots=True)
class _Tagged:
    """A JSON document, and a name for this very version of it."""

    body: bytes
    tag: str


def _tagged(data: object) -> _Tagged:
    body = orjson.dumps(data)
    return _Tagged(body, hashlib.sha256(body).hexdigest()[:TAG_LENGTH])


# Making a schema keeps the event loop for many milliseconds, and it never changes.
@cache
def _tagged_events_schema() -> _Tagged:
    return _tagged(events_schema())


@cache
def _tagged_record_schema() -> _Tagged:
    return _tagged(record_schema())


def _if_changed(request: web.Request, document: _Tagged) -> web.Response:
    """The document, unless the browser says that it has this very version of it."""
    headers = {"Cache-Control": "no-cache", "ETag": f'"{document.tag}"'}
    if any(known.value == document.tag for known in request.if_none_match or ()):
        return web.Response(status=304, headers=headers)
    return web.Response(body=document.body, content_type="application/json", headers=headers)
