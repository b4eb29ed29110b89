"""What other sites show next to a link to the page: tags in the head of the served document.

Crawlers run no scripts, so the server writes the tags (https://ogp.me) into the document for each
address. All texts come from players or from the address, so everything is escaped.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from html import escape
from typing import Final
from urllib.parse import quote, urlencode

from aiohttp import web

import engine
from bot.arena.http.addresses import Proxies
from bot.arena.web.titles import GameTitle, Titles
from bot.errors import HostError
from bot.records.model import known_game

SITE: Final = "Bluestone"
ABOUT: Final = (
    "Two-player board games with two stones a turn, and a guest, Free Go, with one. "
    "Play bots and people."
)
READ_S: Final = 0.5
"""The page must load also while the database is slow; then it has the usual tags."""
LONGEST: Final = 200
"""The most characters of a title or a description."""
HOST: Final = re.compile(
    r"[A-Za-z0-9.\-]{1,253}(:[0-9]{1,5})?|\[[0-9A-Fa-f:.]{2,45}\](:[0-9]{1,5})?"
)
ID: Final = "[A-Za-z0-9_-]{1,40}"
GAME: Final = re.compile(f"(?:game|embed/game)/({ID})/?")
PLAYER: Final = re.compile(r"player/([^/]{1,60})/?")
OPENINGS: Final = re.compile(f"openings/({ID})/?")
POSITION: Final = frozenset({"analysis", "embed/position"})
"""Addresses whose query may describe a position, as /api/position takes it."""
TITLES: Final = {
    "games": "Games",
    "analysis": "Analysis board",
    "puzzles": "Puzzles",
    "tournaments": "Tournaments",
    "embed/position": "Position",
}
QUERY: Final = ("game", "board", "rules", "turns", "ply")
SAMPLE: Final = "/api/position.png?card=1&turns=3-1+5-19,2-4+4-3,1-0+2-7,3-9"


@dataclass(frozen=True)
class Preview:
    """A title, a description and the address of a picture on this server."""

    title: str = SITE
    description: str = ABOUT
    image: str = SAMPLE


Describing = Callable[[str], Awaitable[Preview]]
"""Makes the preview of an id in an address. Raises HostError."""


class Previews:
    """Makes the tags for an address of the page; `base` is the path before all addresses."""

    def __init__(self, titles: Titles, proxies: Proxies, base: str = "") -> None:
        self._titles = titles
        self._proxies = proxies
        self._base = base
        self._described: dict[re.Pattern[str], Describing] = {}

    def add(self, folder: str, describing: Describing) -> None:
        """Describe the addresses folder/ID of the page like that."""
        self._described[re.compile(f"{folder}/({ID})/?")] = describing

    async def tags(self, request: web.Request, path: str) -> str:
        """The tags as HTML, with absolute addresses by the server's name in the request.

        Without a valid name there are no addresses.
        """
        preview = await self._preview(path, request.query)
        caller = self._proxies.caller(request)
        is_named = HOST.fullmatch(caller.host) is not None
        site = f"{caller.scheme}://{caller.host}{self._base}" if is_named else None
        fields = {
            "og:site_name": SITE,
            "og:type": "website",
            "og:title": preview.title[:LONGEST],
            "og:description": preview.description[:LONGEST],
        }
        if site is not None:
            fields["og:url"] = f"{site}/{quote(path)}"
            fields["og:image"] = f"{site}{preview.image}"
            fields["og:image:width"], fields["og:image:height"] = "1200", "630"
        tags = [
            f'<meta property="{name}" content="{escape(text)}" />' for name, text in fields.items()
        ]
        tags.append('<meta name="twitter:card" content="summary_large_image" />')
        return "".join(f"    {tag}\n" for tag in tags)

    async def _preview(self, path: str, query: Mapping[str, str]) -> Preview:
        try:
            async with asyncio.timeout(READ_S):
                if (found := GAME.fullmatch(path)) is not None:
                    return await self._game(found[1], query.get("ply"))
                for pattern, describing in self._described.items():
                    if (found := pattern.fullmatch(path)) is not None:
                        return await describing(found[1])
        except (TimeoutError, HostError):
            return Preview()
        if path.rstrip("/") in POSITION and (query.get("turns") or query.get("game")):
            return _position(query, TITLES[path.rstrip("/")])
        if (found := PLAYER.fullmatch(path)) is not None:
            return Preview(f"{found[1]} – {SITE}")
        if (found := OPENINGS.fullmatch(path)) is not None and known_game(found[1]) is not None:
            title = engine.game_info(found[1]).title
            return Preview(
                f"{title} openings – {SITE}", image=f"/api/position.png?card=1&game={found[1]}"
            )
        word = TITLES.get(path.partition("/")[0])
        return Preview() if word is None else Preview(f"{word} – {SITE}")

    async def _game(self, game_id: str, ply: str | None) -> Preview:
        found = await self._titles.game(game_id)
        if found is None:
            return Preview()
        one, two = (player.name for player in found.players)
        is_ply = ply is not None and ply.isascii() and ply.isdigit()
        shown = f"&ply={int(ply)}" if ply is not None and is_ply and len(ply) < 6 else ""
        folder = "games" if found.result is None else "records"
        image = f"/api/{folder}/{game_id}.png?card=1{shown}"
        return Preview(f"{one} – {two}", _about_game(found), image)


def _about_game(found: GameTitle) -> str:
    setup = found.setup
    what = f"{title_of(setup.game)} on {setup.board}"
    if found.result is None:
        return f"{what}, being played now."
    return f"{what}, {found.plies} turns. {found.result.message}"


def title_of(game: str) -> str:
    """The title of a game; its name if this version does not know it."""
    known = known_game(game)
    return game if known is None else known.title


def _position(query: Mapping[str, str], title: str) -> Preview:
    """A position of the query; the server checks it when its picture is asked for."""
    given = {name: query[name] for name in QUERY if name in query}
    given |= {name: value for name, value in query.items() if name.startswith("o.")}
    count = len(query.get("turns", "").split())
    about = f"{title_of(query.get('game', 'bluestone'))}, after {count} turns."
    return Preview(f"{title} – {SITE}", about, f"/api/position.png?card=1&{urlencode(given)}")
