"""Pictures over HTTP: of positions and games, bounded, cached, and refused with a reason."""

import asyncio
import io
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from PIL import Image
from yarl import URL

from bot.arena.server import running_arena
from bot.drawing.raster import CARD
from tests.bot.arena.table import settings, table
from tests.bot.drawing.sheets import size_mm, texts
from tests.fakes.arena_client import connected

POSITION = "game=bluestone&board=pent-3&turns=2-1+0-0,2-4"


@pytest.fixture
async def http(tmp_path: Path) -> AsyncIterator[aiohttp.ClientSession]:
    async with running_arena(settings(tmp_path)) as url, aiohttp.ClientSession(url) as session:
        yield session


async def picture(http: aiohttp.ClientSession, path: str) -> bytes:
    async with http.get(URL(path, encoded=True)) as response:
        assert response.status == 200, await response.text()
        ending = path.partition("?")[0].rpartition(".")[2]
        assert response.content_type.startswith(f"image/{ending}")
        return await response.read()


async def test_a_position_is_drawn_as_svg_and_png(http: aiohttp.ClientSession) -> None:
    drawing = await picture(http, f"/api/position.svg?{POSITION}")
    earlier = await picture(http, f"/api/position.svg?{POSITION}&ply=1")
    assert (drawing.count(b"data-cell"), earlier.count(b"data-cell")) == (3, 1)
    image = Image.open(io.BytesIO(await picture(http, f"/api/position.png?{POSITION}&width=90")))
    assert image.width == 90
    card = await picture(http, f"/api/position.png?{POSITION}&card=1")
    assert Image.open(io.BytesIO(card)).size == CARD


async def test_a_picture_that_the_client_has_is_not_sent_again(http: aiohttp.ClientSession) -> None:
    path = f"/api/position.svg?{POSITION}"
    async with http.get(URL(path, encoded=True)) as response:
        tag = response.headers["ETag"]
        assert response.headers["Cache-Control"] == "public, max-age=86400"
    async with http.get(URL(path, encoded=True), headers={"If-None-Match": tag}) as response:
        assert response.status == 304


@pytest.mark.parametrize(
    ("query", "status", "code"),
    [
        ("game=chess", 404, "unknown_game"),
        ("board=nowhere", 404, "unknown_game"),
        ("rules=odd", 404, "unknown_game"),
        ("o.captures=3", 404, "unknown_game"),
        ("turns=zz", 400, "illegal_turn"),
        ("turns=0-0+0-0", 400, "illegal_turn"),
        ("turns=" + "+".join(["0-0"] * 601), 400, "invalid"),
        ("board=" + "x" * 41, 400, "invalid"),
        ("&".join(f"o.o{number}=1" for number in range(9)), 400, "invalid"),
        ("ply=1", 400, "invalid"),
        ("ply=-1", 400, "invalid"),
        ("width=63", 400, "invalid"),
        ("width=1201", 400, "invalid"),
        ("width=1e3", 400, "invalid"),
        ("width=%D9%A1%D9%A0%D9%A0", 400, "invalid"),
    ],
)
async def test_what_cannot_be_drawn_is_refused_with_a_reason(
    http: aiohttp.ClientSession, query: str, status: int, code: str
) -> None:
    async with http.get(URL(f"/api/position.png?{query}", encoded=True)) as response:
        assert response.status == status
        assert (await response.json())["code"] == code


async def test_a_position_is_printed_on_a_sheet_of_paper(http: aiohttp.ClientSession) -> None:
    path = f"/api/position.pdf?{POSITION}&paper=letter&coordinates=1"
    async with http.get(URL(path, encoded=True)) as response:
        assert response.content_type == "application/pdf"
        assert response.headers["Content-Disposition"].endswith('"bluestone-pent-3-Letter.pdf"')
        assert "Content-Security-Policy" not in response.headers  # a viewer is no part of the page
        sheet = await response.read()
    assert sorted(size_mm(sheet)) == pytest.approx([215.9, 279.4], abs=0.001)
    assert {"2-1", "1-0"} <= texts(sheet)
    async with http.get("/api/position.pdf") as response:
        usual = await response.read()
    assert sorted(size_mm(usual)) == pytest.approx([210, 297], abs=0.001)
    assert {len(texts(usual)), len(texts(sheet))} == {1, 17}
    for query, tracks in (("", 1), ("&track=true", 1), ("&track=false", 0)):
        async with http.get(f"/api/position.pdf?game=blooms{query}") as response:
            assert ("25" in texts(await response.read())) == tracks


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("paper=B5", "Paper 'B5' is not known; known: A4, A3, Letter."),
        ("coordinates=yes", "coordinates is true or false."),
        ("track=2", "track is true or false."),
        ("track=1", "Bluestone has no track: it does not count captured stones."),
        (
            "game=hexo&turns=0:0+8:0,16:0+24:0,32:0+40:0,48:0+56:0,57:0",
            "The stones lie too far apart for a sheet of paper.",
        ),
    ],
)
async def test_what_cannot_be_printed_is_refused_with_a_sentence(
    http: aiohttp.ClientSession, query: str, message: str
) -> None:
    async with http.get(URL(f"/api/position.pdf?{query}", encoded=True)) as response:
        assert response.status == 400
        assert await response.json() == {"code": "invalid", "message": message}


async def test_a_game_is_drawn_while_it_runs_and_when_it_is_over(tmp_path: Path) -> None:
    async with table(tmp_path) as t, aiohttp.ClientSession(t.url) as http:
        running, finished = f"/api/games/{t.game_id}", f"/api/records/{t.game_id}"
        empty = await picture(http, f"{running}.svg")
        await t.play(0, "2-1")
        now = await picture(http, f"{running}.svg")
        assert (empty.count(b"data-cell"), now.count(b"data-cell")) == (0, 1)
        async with http.get(f"{finished}.svg") as response:
            assert response.status == 404
        await t.play(1, "0-0,2-4")
        await t.one.do("game.action", game_id=t.game_id, action="resign")
        last = await picture(http, f"{finished}.svg")
        assert last == await picture(http, f"{running}.svg")
        assert await picture(http, f"{finished}.svg?ply=1") == now
        animation = Image.open(io.BytesIO(await picture(http, f"{finished}.gif?width=100")))
        assert (animation.n_frames, animation.width) == (3, 100)  # type: ignore[attr-defined]
        async with http.get("/api/records/nothing.png") as response:
            assert response.status == 404


async def test_records_are_searched_and_downloaded(tmp_path: Path) -> None:
    async with (
        table(tmp_path) as t,
        connected(t.url, name="Carl"),
        aiohttp.ClientSession(t.url) as http,
    ):
        await t.play(0, "2-1")
        await t.one.do("game.action", game_id=t.game_id, action="resign")

        async def listed(query: str) -> list[str]:
            async with http.get(f"/api/records?{query}") as response:
                assert response.status == 200, await response.text()
                return [each["game_id"] for each in (await response.json())["records"]]

        for query in (
            *("player=Anna", "player=anna&opponent=ben", "player=Ben&result=won", "result=second"),
            *("game=bluestone&board=pent-3&rules=official", "rated=false", "since=2020-01-01"),
            *("until=2999-12-31", "player=", "result=&game="),
        ):
            assert await listed(query) == [t.game_id], query
        for query in (
            *("player=Carl", "player=Anna&opponent=Carl", "player=Ben&result=lost", "rated=1"),
            *("game=hexo", "until=2020-01-01", "since=2999-01-01T00:00:00Z", "player=nobody"),
        ):
            assert await listed(query) == [], query
        for query in (
            *("result=won", "player=Anna&result=first", "rated=maybe", "since=yesterday"),
            *("opponent=Anna", "since=2020-01-01T00:00", "until=9999-12-31", f"game={'x' * 81}"),
        ):
            async with http.get(f"/api/records?{query}") as response:
                assert (response.status, (await response.json())["code"]) == (400, "invalid"), query

        async def text(path: str) -> str:
            async with http.get(path) as response:
                assert "attachment" in response.headers["Content-Disposition"]
                return await response.text()

        one, all_of_them = f"/api/records/{t.game_id}", "/api/records"
        for form in ("sgf", "jsonl"):
            assert await text(f"{one}.{form}") == await text(f"{all_of_them}.{form}?player=Anna")
            assert await text(f"{all_of_them}.{form}?player=Carl") == ""
        assert (await text(f"{one}.sgf")).startswith("(;FF[4]")


async def test_the_openings_of_finished_games_are_told_for_any_orientation(tmp_path: Path) -> None:
    async with table(tmp_path) as t, aiohttp.ClientSession(t.url) as http:
        await t.play(0, "2-1")
        await t.play(1, "0-0,2-5")
        await t.one.do("game.action", game_id=t.game_id, action="resign")

        async def openings(turns: str, more: str = "") -> dict[str, Any]:
            path = f"/api/openings?game=bluestone&board=pent-3&turns={turns}{more}"
            async with http.get(URL(path, encoded=True)) as response:
                assert response.status == 200, await response.text()
                found: dict[str, Any] = await response.json()
                return found

        async with asyncio.timeout(20):
            while not (first := await openings(""))["games"]:  # noqa: ASYNC110
                await asyncio.sleep(0.02)
        [turn] = first["turns"]
        assert turn["wins"] == [0, 1]
        assert (turn["draws"], turn["games"], turn["latest"]) == (0, 1, t.game_id)
        for start in ("2-1", "2-3", "2-9"):  # images of each other
            [reply] = (await openings(start))["turns"]
            async with http.get(
                URL(f"/api/position.svg?board=pent-3&turns={start}+{reply['turn']}", encoded=True)
            ) as response:
                assert response.status == 200
        assert (await openings("2-0"))["turns"] == []
        assert (await openings("", "&rated=true"))["games"] == 0
        assert (await openings("", "&rated=false"))["games"] == 1
