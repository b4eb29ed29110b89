"""Tournaments over HTTP: lists, whole ones, and the records of their games."""

import asyncio
import re
from collections.abc import Awaitable, Callable
from contextlib import suppress

from aiohttp import web

from bot import wire
from bot.arena.model.refusals import ANSWER_S, UNAVAILABLE, Refused, unavailable
from bot.arena.net.documents import (
    DocumentCache,
    answer,
    json_answer,
    moment,
    page_asked,
    problem,
)
from bot.arena.net.pages import SECURITY_HEADERS
from bot.arena.service.tournament_library import TournamentLibrary


class TournamentApi:
    """Routes under /api/tournaments."""

    def __init__(self, library: TournamentLibrary, documents: DocumentCache) -> None:
        self._library = library
        self._documents = documents

    def add_to(self, app: web.Application) -> None:
        """Before those of `HttpApi`, which answer for all that is under /api and unknown."""
        app.router.add_get("/api/tournaments", self._list)
        app.router.add_get("/api/tournaments/{id}", self._one)
        app.router.add_get("/api/tournaments/{id}/rounds", self._rounds)
        app.router.add_get("/api/tournaments/{id}/games.jsonl", self._games)

    async def _list(self, request: web.Request) -> web.Response:
        page = page_asked(request)
        if isinstance(page, web.Response):
            return page
        found = await self._library.before(page.before, page.limit)
        shown = [{**wire.encode(each), "created_at": moment(at)} for each, at in found.listed]
        following = None if found.next is None else moment(found.next)
        return json_answer({"tournaments": shown, "next": following})

    async def _one(self, request: web.Request) -> web.StreamResponse:
        known_as = request.match_info["id"]
        return await self._document(request, None, lambda: self._library.newest(known_as))

    async def _rounds(self, request: web.Request) -> web.StreamResponse:
        known_as, text = request.match_info["id"], request.query.get("before", "")
        if not re.fullmatch(r"[1-9][0-9]{0,5}", text):
            return problem(400, "invalid", "before is the number of a round, as `next` gives it.")
        before = int(text)
        return await self._document(request, before, lambda: self._library.rounds(known_as, before))

    async def _document(
        self, request: web.Request, page: int | None, make: Callable[[], Awaitable[bytes]]
    ) -> web.Response:
        """Made once for each revision of the tournament."""
        known_as = request.match_info["id"]
        try:
            async with asyncio.timeout(ANSWER_S):
                revision = await self._library.revision(known_as)
                found = await self._documents.get((known_as, page), revision, make)
        except Refused as refused:
            return _refusal(refused)
        except TimeoutError:
            return _refusal(unavailable())
        return answer(request, found)

    async def _games(self, request: web.Request) -> web.StreamResponse:
        """Sent as it is read: it may be large, and its reader slow."""
        lines = self._library.records(request.match_info["id"])
        try:
            first = await anext(lines, b"")
        except Refused as refused:
            return _refusal(refused)
        response = web.StreamResponse(headers={**SECURITY_HEADERS, "Cache-Control": "no-store"})
        response.content_type = "application/jsonl"
        with suppress(ConnectionError):  # its reader left
            await response.prepare(request)
            await response.write(first)
            async for some in lines:
                await response.write(some)
            await response.write_eof()
        return response


def _refusal(refused: Refused) -> web.Response:
    status = {"unknown_tournament": 404, UNAVAILABLE: 503}
    return problem(status.get(refused.code, 500), refused.code, refused.message)
