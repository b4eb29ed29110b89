"""The HTTP API of tournaments."""

import asyncio
import re
from collections.abc import Awaitable, Callable

from aiohttp import web

from bot import wire
from bot.arena.http.documents import (
    DocumentCache,
    answer,
    json_answer,
    moment,
    problem,
    refusal,
    requested_page,
)
from bot.arena.http.downloads import streamed
from bot.arena.http.routes import REQUEST, Routes
from bot.arena.refusals import ANSWER_S, Refused, unavailable
from bot.arena.tournaments.shared_library import SharedLibrary


class TournamentApi:
    """Routes under /api/tournaments."""

    def __init__(self, library: SharedLibrary, documents: DocumentCache) -> None:
        self._library = library
        self._documents = documents

    def add_to(self, routes: Routes) -> None:
        """Add the routes."""
        routes.get("/api/tournaments", self._list)
        routes.get("/api/tournaments/{id}", self._one, 5 * REQUEST)
        routes.get("/api/tournaments/{id}/rounds", self._rounds, 5 * REQUEST)
        routes.get("/api/tournaments/{id}/games.jsonl", self._games, 5 * REQUEST, is_download=True)

    async def _list(self, request: web.Request) -> web.Response:
        page = requested_page(request)
        if isinstance(page, web.Response):
            return page
        try:
            found = await self._library.before(page.before, page.limit)
        except Refused as refused:
            return refusal(refused)
        shown = [{**wire.encode(each), "created_at": moment(at)} for each, at in found.listed]
        following = None if found.next is None else moment(found.next)
        return json_answer({"tournaments": shown, "next": following})

    async def _one(self, request: web.Request) -> web.StreamResponse:
        tournament_id = request.match_info["id"]
        return await self._document(request, None, lambda: self._library.newest(tournament_id))

    async def _rounds(self, request: web.Request) -> web.StreamResponse:
        tournament_id, text = request.match_info["id"], request.query.get("before", "")
        if not re.fullmatch(r"[1-9][0-9]{0,5}", text):
            return problem(400, "invalid", "before must be the number of a round, as in `next`.")
        before = int(text)
        return await self._document(
            request, before, lambda: self._library.rounds(tournament_id, before)
        )

    async def _document(
        self, request: web.Request, page: int | None, make: Callable[[], Awaitable[bytes]]
    ) -> web.Response:
        """A document, made once for each revision of the tournament."""
        tournament_id = request.match_info["id"]
        try:
            async with asyncio.timeout(ANSWER_S):
                revision = await self._library.revision(tournament_id)
                found = await self._documents.get((tournament_id, page), revision, make)
        except Refused as refused:
            return refusal(refused)
        except TimeoutError:
            return refusal(unavailable())
        return answer(request, found)

    async def _games(self, request: web.Request) -> web.StreamResponse:
        """The records as JSON Lines, sent while they are read from the database."""
        lines = self._library.records(request.match_info["id"])
        try:
            return await streamed(request, lines, "application/jsonl")
        except Refused as refused:
            return refusal(refused)
