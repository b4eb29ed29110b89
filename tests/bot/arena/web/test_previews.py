"""What other sites show beside a link: tags in the served document, and pages in frames."""

import re
from html import unescape
from pathlib import Path

import aiohttp
import pytest
from yarl import URL

from bot.arena.server import running_arena
from tests.bot.arena.table import settings, table


async def tags(http: aiohttp.ClientSession, path: str, **headers: str) -> dict[str, str]:
    async with http.get(URL(path, encoded=True), headers=headers) as response:
        text = await response.text()
        assert response.status == 200, text
    head, _, _ = text.partition("</head>")
    found = re.findall(r'<meta (?:property|name)="((?:og|twitter):[\w:]+)" content="([^"]*)"', head)
    return {name: unescape(value) for name, value in found}


async def test_a_game_is_shown_with_its_players_its_result_and_its_position(tmp_path: Path) -> None:
    async with table(tmp_path) as t, aiohttp.ClientSession(t.url) as http:
        path = f"/game/{t.game_id}"
        running = await tags(http, path)
        assert running["og:title"] == "Anna – Ben"
        assert running["og:description"] == "Bluestone on pent-3, being played now."
        assert running["og:image"] == f"{t.url}/api/games/{t.game_id}.png?card=1"
        assert running["og:url"] == f"{t.url}{path}"
        assert running["twitter:card"] == "summary_large_image"
        await t.one.do("game.action", game_id=t.game_id, action="resign")
        over = await tags(http, f"{path}?ply=0")
        assert over["og:description"] == "Bluestone on pent-3, 0 turns. Anna resigned."
        assert over["og:image"] == f"{t.url}/api/records/{t.game_id}.png?card=1&ply=0"
        for odd in ("-1", "%3Cb%3E", "9999999", "%D9%A1"):
            image = (await tags(http, f"{path}?ply={odd}"))["og:image"]
            assert image == f"{t.url}/api/records/{t.game_id}.png?card=1"
        async with http.get(over["og:image"]) as response:
            assert (response.status, response.content_type) == (200, "image/png")
        unknown = await tags(http, "/game/nothing")
        assert unknown["og:title"] == "Bluestone"


async def test_addresses_are_those_that_people_use(tmp_path: Path) -> None:
    behind = settings(tmp_path, trusted_proxies=["127.0.0.1"])
    async with running_arena(behind) as url, aiohttp.ClientSession(url) as http:
        sent = {"X-Forwarded-Proto": "https", "X-Forwarded-Host": "play.example"}
        assert (await tags(http, "/", **sent))["og:url"] == "https://play.example/"
        sent["X-Forwarded-Host"] = 'x"><script>'
        found = await tags(http, "/", **sent)
        assert "og:url" not in found
        assert found["og:title"] == "Bluestone"


async def test_what_an_address_says_is_escaped(tmp_path: Path) -> None:
    async with running_arena(settings(tmp_path)) as url, aiohttp.ClientSession(url) as http:
        turns = "%22%3E%3Cscript%3Ealert(1)%3C/script%3E"
        path = URL(f"/embed/position?game={turns}&turns={turns}", encoded=True)
        async with http.get(path) as response:
            text = await response.text()
        assert "<script>alert" not in text
        position = await tags(http, "/embed/position?game=hexo&turns=0:0+1:0,0:1&o.cap=9")
        assert position["og:description"] == "HeXO, after 2 turns."
        image = position["og:image"].removeprefix(url)
        assert image == ("/api/position.png?card=1&game=hexo&turns=0%3A0+1%3A0%2C0%3A1&o.cap=9")
        assert (await tags(http, "/openings/blooms"))["og:title"] == "Blooms openings – Bluestone"
        assert (await tags(http, "/games"))["og:title"] == "Games – Bluestone"


@pytest.mark.parametrize("path", ["/", "/game/x", "/games", "/embed/game/x", "/embed/position"])
async def test_only_embedded_boards_may_be_shown_in_frames(tmp_path: Path, path: str) -> None:
    async with (
        running_arena(settings(tmp_path)) as url,
        aiohttp.ClientSession(url) as http,
        http.get(path) as response,
    ):
        policy, text = response.headers["Content-Security-Policy"], await response.text()
        is_embedded = path.startswith("/embed")
        assert ("frame-ancestors *" in policy) == is_embedded
        assert ("X-Frame-Options" in response.headers) != is_embedded
        assert ("<html data-embed " in text) == is_embedded
