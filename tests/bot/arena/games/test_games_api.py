"""What the HTTP side tells of the games, for pages and programs that know none of them."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from yarl import URL

import engine
from bot import wire
from bot.arena.games import games_api as http_api
from bot.arena.server import running_arena
from tests.bot.arena.table import begin, settings, table
from tests.fakes.arena_client import ArenaClient, connected


@pytest.fixture
async def http(tmp_path: Path) -> AsyncIterator[aiohttp.ClientSession]:
    async with running_arena(settings(tmp_path)) as url, aiohttp.ClientSession(url) as session:
        yield session


async def asked(http: aiohttp.ClientSession, path: str) -> Any:
    async with http.get(path) as response:
        assert response.status == 200, await response.text()
        return await response.json()


async def resigned(one: ArenaClient, two: ArenaClient) -> str:
    """The id of a game that has ended at a moment of its own."""
    game_id = await begin(one, two)
    await asyncio.sleep(1)
    await one.do("game.action", game_id=game_id, action="resign")
    return game_id


async def test_every_game_is_on_offer_with_all_that_can_be_chosen(
    http: aiohttp.ClientSession,
) -> None:
    offers = (await asked(http, "/api/games"))["games"]
    assert [offer["game"] for offer in offers] == [info.name for info in engine.games()]
    for offer, info in zip(offers, engine.games(), strict=True):
        assert (offer["title"], offer["kinds"], offer["score"]) == (
            info.title,
            info.kinds,
            info.score,
        )
        assert (offer["boards"], offer["rules"]) == ([*info.boards], [*info.rule_sets])
        assert (offer["note"], len(offer["options"])) == (info.note, len(info.options))
    captures, protocol = offers[1]["options"][0], offers[2]["options"][0]
    assert captures | {"name": "captures", "usual": "25", "low": 1, "high": 1000} == captures
    quick = {"board": "hexhex-5", "value": 20, "word": "quick"}
    assert quick in captures["presets"]
    assert (captures["below"], offers[1]["options"][1]["below"]) == (None, "captures")
    assert protocol | {"usual": "122", "choices": ["122", "alternating"]} == protocol


async def test_only_the_games_of_the_settings_are_on_offer(tmp_path: Path) -> None:
    fewer = settings(tmp_path, games=["stargazers"])
    async with running_arena(fewer) as url, aiohttp.ClientSession(url) as http:
        offers = (await asked(http, "/api/games"))["games"]
    assert [offer["game"] for offer in offers] == ["stargazers"]


async def test_a_board_has_the_facts_that_a_page_needs(http: aiohttp.ClientSession) -> None:
    stars = await asked(http, "/api/boards/stargazers/stars-39")
    assert (len(stars["cells"]), len(stars["stars"])) == (39, 12)
    assert (stars["blue"], stars["kinds"], stars["score"]) == ([], 1, "uninspired")
    points = {(point["x"], point["y"]) for point in [*stars["cells"], *stars["stars"]]}
    assert len(points) == 39 + 12

    blooms = await asked(http, "/api/boards/blooms/hexhex-7")
    assert (len(blooms["cells"]), blooms["stars"], blooms["blue"]) == (127, [], [])
    assert (blooms["kinds"], blooms["score"]) == (2, "captures")
    assert blooms["options"] == {"captures": "35", "handicap_1": "0", "handicap_2": "0"}
    assert stars["options"] == {"protocol": "122"}


async def test_a_board_without_an_edge_says_where_its_cells_lie(
    http: aiohttp.ClientSession,
) -> None:
    plane = await asked(http, "/api/boards/hexo/plane")
    assert (plane["cells"], plane["edges"], plane["options"]) == ([], [], {"cap": "300"})
    (qx, qy), (rx, ry) = plane["lattice"]["q"], plane["lattice"]["r"]
    board = engine.game("hexo").board
    for cell, (q, r) in {"1:0": (1, 0), "-7:3": (-7, 3), "12:-40": (12, -40)}.items():
        assert board.position(cell) == pytest.approx((q * qx + r * rx, q * qy + r * ry), abs=1e-3)
    assert "lattice" not in await asked(http, "/api/boards/bluestone/pent-6")


async def test_the_usual_boards_of_a_game_come_in_one_answer(http: aiohttp.ClientSession) -> None:
    boards = (await asked(http, "/api/boards/stargazers"))["boards"]
    assert list(boards) == [*engine.game("stargazers").info.boards]
    for name, board in boards.items():
        assert board == await asked(http, f"/api/boards/stargazers/{name}")
    async with http.get("/api/boards/chess") as response:
        assert response.status == 404


@pytest.mark.parametrize("path", ["/api/boards/blooms/pent-6", "/api/boards/bluestone/stars-39"])
async def test_a_board_of_another_game_is_not_there(http: aiohttp.ClientSession, path: str) -> None:
    async with http.get(path) as response:
        assert response.status == 404
        assert "known: " in (await response.json())["message"]


@pytest.mark.parametrize(
    "path",
    ["/api/boards/bluestone/pent-6", "/api/schema/events.json", "/api/schema/record.json"],
)
async def test_unchanged_documents_are_answered_with_304(
    http: aiohttp.ClientSession, path: str
) -> None:
    async with http.get(path) as response:
        tag = response.headers["ETag"]
    async with http.get(path, headers={"If-None-Match": tag}) as response:
        assert (response.status, await response.read()) == (304, b"")
    async with http.get(path, headers={"If-None-Match": '"another"'}) as response:
        assert response.status == 200


async def test_a_board_requested_with_a_version_is_cached_for_a_day(
    http: aiohttp.ClientSession,
) -> None:
    path = "/api/boards/bluestone/pent-6"
    for query, caching in (("", "no-cache"), ("?v=0123abcd", "public, max-age=86400")):
        async with http.get(path + query) as response:
            assert response.headers["Cache-Control"] == caching


async def test_boards_and_schemas_are_made_once(
    http: aiohttp.ClientSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = [
        "/api/schema/events.json",
        "/api/schema/record.json",
        "/api/boards/bluestone/hexhex-11",
        "/api/games",
    ]
    first = [await asked(http, path) for path in paths]
    for name in ("events_schema", "record_schema", "board_document", "offers_document"):
        monkeypatch.setattr(http_api, name, lambda *_: pytest.fail("made again"))
    assert [await asked(http, path) for path in paths] == first


@pytest.mark.parametrize("before", ["0001-01-01T00:00:00%2B23:59", "9999-12-31T23:59:59-23:59"])
async def test_a_time_that_no_calendar_has_is_refused(
    http: aiohttp.ClientSession, before: str
) -> None:
    async with http.get(URL(f"/api/records?before={before}", encoded=True)) as response:
        assert response.status == 400
        assert (await response.json())["code"] == "invalid"


async def test_the_next_page_starts_at_the_value_of_the_last_one(tmp_path: Path) -> None:
    async with table(tmp_path) as t, aiohttp.ClientSession(t.url) as http:
        for _ in range(3):
            await resigned(t.one, t.two)
        page = await asked(http, "/api/records?limit=2")
        # As it is given, unescaped: a plus would be read as a blank.
        following = await asked(http, f"/api/records?limit=2&before={page['next']}")
    ids = [record["game_id"] for record in [*page["records"], *following["records"]]]
    assert len(set(ids)) == 3


async def test_the_finished_games_of_one_player_are_listed_page_by_page_with_their_ends(
    tmp_path: Path,
) -> None:
    async with (
        table(tmp_path) as t,
        connected(t.url, name="Carl") as carl,
        aiohttp.ClientSession(t.url) as http,
    ):
        for first, second in ((t.one, t.two), (t.two, t.one), (t.two, carl)):
            await resigned(first, second)
        one = t.one.all_of(wire.Welcome)[-1].you.id
        page = await asked(http, f"/api/records?limit=1&player={one}")
        rest = await asked(http, f"/api/records?player={one}&before={page['next']}")
        assert (await asked(http, "/api/records?player=nobody")) == {"records": [], "next": None}
    listed = [*page["records"], *rest["records"]]
    assert (len(page["records"]), rest["next"]) == (1, None)
    assert [record["players"][0]["name"] for record in listed] == ["Ben", "Anna"]
    assert page["records"][0]["ended_at"] == page["next"] > rest["records"][0]["ended_at"]


@pytest.mark.parametrize("damage", ["setup = 'x'", "ended_at = ended_at || 'x'"])
async def test_a_damaged_game_hides_no_later_game(tmp_path: Path, damage: str) -> None:
    async with table(tmp_path) as t, aiohttp.ClientSession(t.url) as http:
        for _ in range(2):
            await resigned(t.one, t.two)
        game_id = await resigned(t.one, t.two)
        with closing(sqlite3.connect(tmp_path / "arena.db")) as database, database:
            database.execute(f"UPDATE games SET {damage} WHERE id = ?", (game_id,))
        assert (await asked(http, "/healthz"))["status"] == "ok"
        assert len((await asked(http, "/api/records"))["records"]) == 2
        page = await asked(http, "/api/records?limit=2")
        assert len(page["records"]) == 1
        rest = await asked(http, f"/api/records?before={page['next']}")
        assert len(rest["records"]) == 1


async def test_an_address_that_is_too_long_for_a_file_is_not_found(
    http: aiohttp.ClientSession,
) -> None:
    async with http.get(f"/{'a' * 300}.js") as response:
        assert response.status == 404


@pytest.mark.parametrize(
    ("trusted", "address", "scheme", "forwarded"),
    [
        (["127.0.0.1"], "203.0.113.7", "https", "trusted"),
        ([], "127.0.0.1", "http", "untrusted"),
    ],
)
async def test_a_client_sees_as_whom_the_arena_knows_it(
    tmp_path: Path, trusted: list[str], address: str, scheme: str, forwarded: str
) -> None:
    sent = {"X-Forwarded-For": "203.0.113.7", "X-Forwarded-Proto": "https"}
    async with (
        running_arena(settings(tmp_path, trusted_proxies=trusted)) as url,
        aiohttp.ClientSession(url) as http,
    ):
        direct = await asked(http, "/api/caller")
        async with http.get("/api/caller", headers=sent) as answer:
            seen = await answer.json()
    host = url.removeprefix("http://")
    assert direct == {"address": "127.0.0.1", "scheme": "http", "host": host, "forwarded": "none"}
    assert seen == {"address": address, "scheme": scheme, "host": host, "forwarded": forwarded}
