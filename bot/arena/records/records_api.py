"""Finished games over HTTP: searches, and downloads as JSON Lines and SGF."""

from collections.abc import AsyncIterator
from typing import Final

from aiohttp import web

from bot import wire
from bot.arena.games.game_store import GameStore
from bot.arena.http.documents import (
    answer,
    document,
    json_answer,
    moment,
    problem,
    refusal,
    requested_page,
)
from bot.arena.http.downloads import streamed
from bot.arena.http.routes import REQUEST, Routes
from bot.arena.records.game_search import GameSearch
from bot.arena.records.record_query import asked_search, in_form
from bot.arena.refusals import Refused
from bot.runtime.workers import Workers

TYPES: Final = {"sgf": "application/x-go-sgf", "jsonl": "application/jsonl"}


class RecordsApi:
    """Routes under /api/records."""

    def __init__(self, store: GameStore, search: GameSearch, workers: Workers) -> None:
        self._store = store
        self._workers = workers
        self._search = search

    def add_to(self, routes: Routes) -> None:
        """Add the routes; before those of `HttpApi`, whose last route answers any path in /api."""
        routes.get("/api/records", self._list)
        routes.get("/api/records.{form:sgf|jsonl}", self._download, 5 * REQUEST, is_download=True)
        routes.get("/api/records/{id:[^/.]+}.{form:sgf|jsonl}", self._one_as, 5 * REQUEST)
        routes.get("/api/records/{id:[^/.]+}", self._one)

    async def _list(self, request: web.Request) -> web.Response:
        asked = requested_page(request)
        if isinstance(asked, web.Response):
            return asked
        try:
            search = await asked_search(self._search, request.query)
        except Refused as refused:
            return refusal(refused)
        page = await self._search.page(search, asked.before, asked.limit)
        following = None if page.next is None else moment(page.next)
        return json_answer(
            {"records": [wire.encode(each) for each in page.summaries], "next": following}
        )

    async def _download(self, request: web.Request) -> web.StreamResponse:
        """All games that the search finds, sent while they are read from the database."""
        form = request.match_info["form"]
        try:
            search = await asked_search(self._search, request.query)
        except Refused as refused:
            return refusal(refused)
        parts = self._converted(self._search.records(search), form)
        return await streamed(request, parts, TYPES[form], f"games.{form}")

    async def _converted(self, pages: AsyncIterator[list[str]], form: str) -> AsyncIterator[bytes]:
        async for records in pages:
            yield await self._workers.run(in_form, records, form)

    async def _one(self, request: web.Request) -> web.Response:
        text = await self._store.record(request.match_info["id"])
        if text is None:
            return _unknown()
        # Not kept without asking: a player who deletes the account loses the name in it.
        return answer(request, await self._workers.run(document, text.encode()))

    async def _one_as(self, request: web.Request) -> web.Response:
        game_id, form = request.match_info["id"], request.match_info["form"]
        text = await self._store.record(game_id)
        if text is None:
            return _unknown()
        body = await self._workers.run(in_form, [text], form)
        response = answer(request, await self._workers.run(document, body, TYPES[form]))
        response.headers["Content-Disposition"] = f'attachment; filename="game-{game_id}.{form}"'
        return response


def _unknown() -> web.Response:
    return problem(404, "unknown_game_id", "There is no finished game with that id.")
