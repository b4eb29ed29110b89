"""Tournaments over HTTP: lists, whole ones, and the records of their games."""

import asyncio
from collections.abc import Iterator
from typing import Any

import orjson
from aiohttp import web

from bot import wire
from bot.arena.model.refusals import Refused
from bot.arena.net.json_answers import json_answer, moment, page_asked, problem
from bot.arena.service.tournament_library import TournamentLibrary
from bot.records.model import GameRecord


class TournamentApi:
    """Routes under /api/tournaments."""

    def __init__(self, library: TournamentLibrary) -> None:
        self._library = library

    def add_to(self, app: web.Application) -> None:
        """Before those of `HttpApi`, which answer for all that is under /api and unknown."""
        app.router.add_get("/api/tournaments", self._list)
        app.router.add_get("/api/tournaments/{id}", self._one)
        app.router.add_get("/api/tournaments/{id}/games.jsonl", self._games)

    async def _list(self, request: web.Request) -> web.Response:
        page = page_asked(request)
        if isinstance(page, web.Response):
            return page
        found = await self._library.before(page.before, page.limit)
        shown = [{**wire.encode(each), "created_at": moment(at)} for each, at in found.listed]
        following = None if found.next is None else moment(found.next)
        return json_answer({"tournaments": shown, "next": following})

    async def _one(self, request: web.Request) -> web.Response:
        try:
            state = await self._library.whole(request.match_info["id"])
        except Refused as refused:
            return _refusal(refused)
        body = state.model_dump_json()
        return json_answer(orjson.Fragment(body))

    async def _games(self, request: web.Request) -> web.StreamResponse:
        try:
            records = await self._library.records(request.match_info["id"])
        except Refused as refused:
            return _refusal(refused)
        body = await asyncio.to_thread(b"".join, _lines(records))
        headers = {"Cache-Control": "no-store"}
        return web.Response(body=body, content_type="application/jsonl", headers=headers)


def _lines(records: list[GameRecord]) -> Iterator[bytes]:
    return (record.model_dump_json().encode() + b"\n" for record in records)


def _refusal(refused: Refused) -> web.Response:
    status: dict[str, Any] = {"unknown_tournament": 404}
    return problem(status.get(refused.code, 500), refused.code, refused.message)
