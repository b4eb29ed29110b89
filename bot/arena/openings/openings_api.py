"""The opening explorer over HTTP: what was played in a position, and how these games ended.

The page sends the key of its player, who gets no answer while playing a rated game, like for an
analysis. Without a key the explorer is open to all: the games in it are public.
"""

from collections.abc import Callable
from typing import Final

from aiohttp import web

from bot.arena.edge.guest_keys import GuestKeys
from bot.arena.games.all_games import AllGames
from bot.arena.games.lines import line_of
from bot.arena.games.referee import Menu
from bot.arena.http.documents import json_answer, refusal
from bot.arena.http.queries import truth_in
from bot.arena.http.routes import REQUEST, Routes
from bot.arena.openings.opening_book import MOST_TURNS, OpeningBook, OpeningChoice
from bot.arena.refusals import Refused
from bot.runtime.workers import Workers

MAX_AGE_S: Final = 30
MOST_CHOICES: Final = 100
"""Turns in one answer: the most played ones."""


IN_GAME: Final = "The opening explorer is not available while you play a rated game."


class OpeningsApi:
    """The route /api/openings."""

    def __init__(
        self,
        book: OpeningBook,
        menu: Menu,
        check: Callable[[str], None],
        games: AllGames,
        keys: GuestKeys,
        workers: Workers,
    ) -> None:
        self._book = book
        self._workers = workers
        self._menu = menu
        self._check = check
        self._games = games
        self._keys = keys

    def add_to(self, routes: Routes) -> None:
        """Add the route; before those of `HttpApi`, whose last route answers any path in /api."""
        routes.get("/api/openings", self._openings, 5 * REQUEST)

    async def _openings(self, request: web.Request) -> web.Response:
        try:
            await self._check_not_playing(request)
            line = line_of(request.query, self._menu)
            rated = truth_in(request.query, "rated")
            self._check(line.game)
            is_counted = len(line.turns) < MOST_TURNS
            choices: list[OpeningChoice] = []
            if is_counted:
                position = await self._workers.run(line.position, len(line.turns))
                choices = await self._book.choices(position, rated=rated)
        except Refused as refused:
            return refusal(refused)
        found = {
            "games": sum(each.counted.games for each in choices),
            "turns": [_shown(each) for each in choices[:MOST_CHOICES]],
            "most_turns": MOST_TURNS,
        }
        return json_answer(found, max_age_s=MAX_AGE_S)

    async def _check_not_playing(self, request: web.Request) -> None:
        player = await self._keys.person_in(request)
        if player is not None:
            setups = self._games.setups_of(player.name).values()
            if any(setup.rated for setup in setups):
                raise Refused("in_game", IN_GAME)


def _shown(choice: OpeningChoice) -> dict[str, object]:
    counted = choice.counted
    one, two = counted.wins
    return {
        "turn": choice.turn,
        "games": counted.games,
        "wins": [one, two],
        "draws": counted.draws,
        "latest": counted.latest,
    }
