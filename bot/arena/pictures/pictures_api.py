"""Pictures over HTTP: of any position, of finished games, and of running ones."""

from collections.abc import Callable, Mapping
from typing import Final

from aiohttp import web

from bot import wire
from bot.arena.games.game_rows import StoredGame
from bot.arena.games.game_store import GameStore
from bot.arena.games.referee import Menu
from bot.arena.http.documents import DAY_S, NO_CACHE, answer, refusal
from bot.arena.http.routes import Routes, picture_weight
from bot.arena.pictures.pictures import Line, Pictures, View
from bot.arena.refusals import Refused
from bot.drawing.raster import SIZES

USUAL_WIDTHS: Final = {"gif": 360}
USUAL_WIDTH: Final = 480
MOST_TURNS: Final = 600
LONGEST: Final = 8_000
"""The most characters of the turns in a query."""
LONGEST_WORD: Final = 40
OPTION: Final = "o."
"""The start of a parameter that gives an option of the game, such as `o.captures=7`."""
MOST_OPTIONS: Final = 8
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
        routes.get("/api/position.{form:svg|png}", self._position, picture_weight)
        routes.get("/api/records/{id:[^/.]+}.{form:svg|png|gif}", self._finished, picture_weight)
        routes.get("/api/games/{id:[^/.]+}.{form:svg|png}", self._running, picture_weight)

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

    async def _answer(self, request: web.Request, line: Line, caching: str) -> web.Response:
        self._check(line.game)
        form = request.match_info["form"]
        view = view_of(request.query, len(line.turns), form)
        return answer(request, await self._pictures.get(line, view, form), caching)


def line_in(stored: StoredGame) -> Line:
    """The game and all its turns."""
    setup = stored.setup
    turns = tuple(each.turn for each in stored.turns)
    return Line(setup.game, setup.board, setup.rules, tuple(setup.options.items()), turns)


def line_of(query: Mapping[str, str], menu: Menu) -> Line:
    """The game and the turns of a query. Raises Refused if they are not valid or not offered."""
    game = query.get("game", wire.GameSetup.model_fields["game"].default)
    if game not in [info.name for info in menu.games]:
        raise Refused("unknown_game", "That game is not offered here.")
    board, rules, text = query.get("board"), query.get("rules"), query.get("turns", "")
    options = tuple(
        sorted(
            (name.removeprefix(OPTION), value)
            for name, value in query.items()
            if name.startswith(OPTION)
        )
    )
    words = [each for pair in options for each in pair]
    words += [each for each in (board, rules) if each]
    if len(options) > MOST_OPTIONS or any(len(word) > LONGEST_WORD for word in words):
        raise Refused("invalid", "There are too many options, or a name is too long.")
    turns = text.split() if len(text) <= LONGEST else None
    if turns is None or len(turns) > MOST_TURNS:
        raise Refused("invalid", f"turns has at most {LONGEST} characters, {MOST_TURNS} turns.")
    return Line(game, board or None, rules or None, options, tuple(turns))


def view_of(query: Mapping[str, str], plies: int, form: str) -> View:
    """How a query wants a position to be shown. Raises Refused if a value is not valid."""
    ply = number_in(query, "ply", plies, range(plies + 1))
    width = number_in(query, "width", USUAL_WIDTHS.get(form, USUAL_WIDTH), SIZES)
    return View(ply, width, query.get("card") == "1")


def number_in(query: Mapping[str, str], name: str, usual: int, among: range) -> int:
    """A whole number of a query. Raises Refused if it is not `among` the valid ones."""
    text = query.get(name, str(usual))
    if not (text.isascii() and text.isdigit() and len(text) < 6 and int(text) in among):
        raise Refused("invalid", f"{name} is a number from {among[0]} to {among[-1]} here.")
    return int(text)
