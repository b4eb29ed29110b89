"""Pictures over HTTP: of any position, of finished games, and of running ones."""

from collections.abc import Callable, Mapping
from typing import Final

from aiohttp import web

from bot.arena.games.game_rows import StoredGame
from bot.arena.games.game_store import GameStore
from bot.arena.games.lines import GameLine, line_in, line_of
from bot.arena.games.referee import Menu
from bot.arena.http.documents import DAY_S, NO_CACHE, answer, refusal
from bot.arena.http.queries import number_in, truth_in
from bot.arena.http.routes import REQUEST, Routes, Values
from bot.arena.pictures.pictures import Pictures, PictureView, Sheet
from bot.arena.refusals import Refused, sentence
from bot.drawing.paper import PAPERS, paper_named
from bot.drawing.raster import SIZES
from bot.errors import ConfigurationError

USUAL_WIDTHS: Final = {"gif": 360}
USUAL_WIDTH: Final = 480
DAY: Final = f"public, max-age={DAY_S}"

Check = Callable[[str], None]
"""Raises Refused while the rules of a game are compiled."""


class PicturesApi:
    """Routes of pictures under /api/position, /api/records and /api/games."""

    def __init__(self, pictures: Pictures, store: GameStore, menu: Menu, check: Check) -> None:
        self._pictures = pictures
        self._store = store
        self._menu = menu
        self._check = check

    def add_to(self, routes: Routes) -> None:
        """Add the routes; before those of `HttpApi`, whose last route answers any path in /api."""
        routes.get("/api/position.{form:svg|pdf|png}", self._position, _weight)
        routes.get("/api/records/{id:[^/.]+}.{form:svg|png|gif}", self._finished, _weight)
        routes.get("/api/games/{id:[^/.]+}.{form:svg|png}", self._running, _weight)

    async def _position(self, request: web.Request) -> web.Response:
        try:
            return await self._answer(request, line_of(request.query, self._menu), DAY)
        except Refused as refused:
            return refusal(refused)

    async def _finished(self, request: web.Request) -> web.Response:
        try:
            stored = await self._stored(request, is_finished=True)
            return await self._answer(request, line_in(stored), DAY)
        except Refused as refused:
            return refusal(refused)

    async def _running(self, request: web.Request) -> web.Response:
        """The position of now, or after a given number of turns."""
        try:
            return await self._answer(request, line_in(await self._stored(request)), NO_CACHE)
        except Refused as refused:
            return refusal(refused)

    async def _stored(self, request: web.Request, *, is_finished: bool = False) -> StoredGame:
        stored = await self._store.find(request.match_info["id"])
        if stored is None or (is_finished and stored.result is None):
            raise Refused("unknown_game_id")
        return stored

    async def _answer(self, request: web.Request, line: GameLine, caching: str) -> web.Response:
        self._check(line.game)
        form = request.match_info["form"]
        view = view_of(request.query, len(line.turns), form)
        response = answer(request, await self._pictures.get(line, view, form), caching)
        if view.sheet is not None:
            name = f"{line.game}-{line.board or 'board'}-{view.sheet.paper.name}.pdf"
            response.headers["Content-Disposition"] = f'inline; filename="{name}"'
        return response


def view_of(query: Mapping[str, str], plies: int, form: str) -> PictureView:
    """How a query wants a position to be shown. Raises Refused if a value is not valid."""
    ply = number_in(query, "ply", plies, range(plies + 1))
    if form == "pdf":
        return PictureView(ply, sheet=_sheet_of(query))
    width = number_in(query, "width", USUAL_WIDTHS.get(form, USUAL_WIDTH), SIZES)
    return PictureView(ply) if form == "svg" else PictureView(ply, width, query.get("card") == "1")


def _sheet_of(query: Mapping[str, str]) -> Sheet:
    try:
        paper = paper_named(query.get("paper") or PAPERS[0].name)
    except ConfigurationError as error:
        raise Refused("invalid", sentence(str(error))) from error
    coordinates = truth_in(query, "coordinates") or False
    return Sheet(paper, coordinates, truth_in(query, "track"))


def _weight(values: Values) -> int:
    """A PDF or a PNG takes a tenth of a second, a GIF seconds."""
    return {"pdf": 10, "png": 10, "gif": 200}.get(values["form"], 5) * REQUEST
