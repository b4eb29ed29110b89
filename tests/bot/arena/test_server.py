"""The address, the HTTP side, the page's files and the end of a run."""

import asyncio
import gc
import socket
from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import jsonschema
import pytest
from structlog.testing import capture_logs
from yarl import URL

from bot.arena.server import running_arena, serve
from bot.arena.store.data_folder import address_of_arena
from bot.arena.web import page_bundle
from bot.errors import HostError
from tests.bot.arena.table import Table, begin, settings, table
from tests.fakes.arena_client import connected
from tests.fakes.time import FakeTime


@pytest.fixture
async def http(tmp_path: Path) -> AsyncIterator[aiohttp.ClientSession]:
    page = settings(tmp_path, page_sources=True)
    async with running_arena(page) as url, aiohttp.ClientSession(url) as session:
        yield session


async def test_it_is_healthy_once_it_runs(http: aiohttp.ClientSession) -> None:
    async with http.get("/healthz") as response:
        assert response.status == 200
        assert (await response.json())["status"] == "ok"


async def test_what_can_be_played(http: aiohttp.ClientSession) -> None:
    async with http.get("/api/games") as response:
        answer = await response.json()
    assert answer["games"][0]["game"] == "bluestone"
    assert "pent-6" in answer["games"][0]["boards"]
    assert answer["clocks"][0]["clock"]["kind"] == "fischer"


async def test_a_boards_geometry(http: aiohttp.ClientSession) -> None:
    async with http.get("/api/boards/bluestone/pent-6") as response:
        board = await response.json()
    assert (len(board["cells"]), len(board["edges"]), len(board["blue"])) == (76, 200, 25)
    names = [cell["name"] for cell in board["cells"]]
    assert all(set(stone["touches"]) <= set(names) for stone in board["blue"])


@pytest.mark.parametrize(
    "path",
    ["/api/boards/chess/8x8", "/api/boards/bluestone/pent-99", "/api/records/none", "/api/x"],
)
async def test_a_missing_address_is_answered_with_404(
    http: aiohttp.ClientSession, path: str
) -> None:
    async with http.get(path) as response:
        assert response.status == 404
        assert (await response.json())["message"]


@pytest.mark.parametrize("query", ["limit=x", "limit=0", "limit=1000", "before=yesterday"])
async def test_a_page_of_records_that_makes_no_sense(
    http: aiohttp.ClientSession, query: str
) -> None:
    async with http.get(f"/api/records?{query}") as response:
        assert response.status == 400


async def test_records_come_in_pages(tmp_path: Path) -> None:
    async with table(tmp_path) as t, aiohttp.ClientSession(t.url) as http:
        await finish(t, t.game_id)
        later = [await another(t) for _ in range(2)]
        async with http.get("/api/records?limit=2") as response:
            first = await response.json()
        assert len(first["records"]) == 2
        async with http.get("/api/records?limit=1", params={"before": first["next"]}) as response:
            second = await response.json()
        async with http.get(f"/api/records/{t.game_id}") as response:
            record = await response.json()
        async with http.get("/api/schema/record.json") as response:
            jsonschema.validate(record, await response.json())
    assert [game["game_id"] for game in first["records"]] == later[::-1]
    assert [game["game_id"] for game in second["records"]] == [t.game_id]
    assert second["next"] is None
    assert (record["id"], record["result"]["reason"]) == (t.game_id, "resignation")


async def finish(t: Table, game_id: str) -> None:
    """End a game, at a moment of its own."""
    await asyncio.sleep(1)
    await t.one.do("game.action", game_id=game_id, action="resign")


async def another(t: Table) -> str:
    game_id = await begin(t.one, t.two)
    await finish(t, game_id)
    return game_id


async def test_the_events_have_a_schema(http: aiohttp.ClientSession) -> None:
    async with http.get("/api/schema/events.json") as response:
        schema = await response.json()
    jsonschema.Draft202012Validator.check_schema(schema)
    assert "game.turn" in schema["client_events"]


@pytest.fixture
def web(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "web"
    (folder / "js").mkdir(parents=True)
    (folder / "index.html").write_text("<!doctype html>the page")
    (folder / "js" / "main.js").write_text("export {};")
    (folder / "notes.txt").write_text("not for the world")
    (tmp_path / "secret.js").write_text("secret")
    monkeypatch.setattr(page_bundle, "FOLDER", folder)
    return folder


@pytest.mark.parametrize("path", ["/", "/game/p4Xc0sVbT9aE", "/game/p4Xc0sVbT9aE/"])
async def test_every_address_of_the_page_gives_its_document(
    web: Path, http: aiohttp.ClientSession, path: str
) -> None:
    async with http.get(path) as response:
        assert response.status == 200
        assert await response.text() == (web / "index.html").read_text()
        assert "default-src 'self'" in response.headers["Content-Security-Policy"]
        assert response.headers["Cache-Control"] == "no-cache"


@pytest.mark.parametrize("path", ["/nonsense", "/game", "/game/", "/game/a/b", "/game/%20"])
async def test_any_other_address_is_not_found_and_leads_home(
    web: Path, http: aiohttp.ClientSession, path: str
) -> None:
    async with http.get(path) as response:
        assert response.status == 404
        assert await response.text() == (web / "index.html").read_text()
        assert response.content_type == "text/html"
        assert "default-src 'self'" in response.headers["Content-Security-Policy"]


async def test_an_unchanged_file_is_answered_with_304(
    web: Path, http: aiohttp.ClientSession
) -> None:
    async with http.get("/js/main.js") as response:
        assert await response.text() == (web / "js" / "main.js").read_text()
        assert "javascript" in response.content_type
        tag = response.headers["ETag"]
    async with http.get("/js/main.js", headers={"If-None-Match": tag}) as response:
        assert response.status == 304


@pytest.mark.usefixtures("web")
@pytest.mark.parametrize(
    "path", ["/none.js", "/notes.txt", "/..%2Fsecret.js", "/js/..%2F..%2Fsecret.js", "/%00.js"]
)
async def test_nothing_else_is_served(http: aiohttp.ClientSession, path: str) -> None:
    async with http.get(URL(path, encoded=True)) as response:
        assert response.status == 404
        assert response.headers["X-Content-Type-Options"] == "nosniff"


async def test_a_port_in_use_is_named(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(HostError, match=f"port {port} on 127.0.0.1 is in use"):
            async with running_arena(settings(tmp_path).model_copy(update={"port": port})):
                pass


async def test_a_host_that_is_not_here_is_named(tmp_path: Path) -> None:
    with pytest.raises(HostError, match=r"nowhere\.invalid"):
        async with running_arena(settings(tmp_path).model_copy(update={"host": "nowhere.invalid"})):
            pass


async def test_two_arenas_do_not_share_a_data_folder(tmp_path: Path) -> None:
    async with running_arena(settings(tmp_path)):
        with pytest.raises(HostError, match="another arena runs"):
            async with running_arena(settings(tmp_path)):
                pass


async def test_others_on_the_machine_learn_where_it_is(tmp_path: Path) -> None:
    async with running_arena(settings(tmp_path)) as address:
        assert address_of_arena(tmp_path) == address
    assert address_of_arena(tmp_path) is None


async def test_the_published_address_is_the_one_for_people(tmp_path: Path) -> None:
    proxied = settings(tmp_path, hosts=["play.example.org"], trusted_proxies=["127.0.0.1"])
    async with running_arena(proxied):
        assert address_of_arena(tmp_path) == "https://play.example.org"


async def test_the_server_ends_on_a_signal(tmp_path: Path) -> None:
    stop, address = asyncio.Event(), asyncio.get_running_loop().create_future()
    async with asyncio.timeout(60):
        run = asyncio.create_task(serve(settings(tmp_path), stop, address.set_result))
        async with connected(await address) as client:
            stop.set()
            await client.wait_until_disconnected()
            await run


async def test_a_slow_start_stops_no_clock_and_warns_of_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What takes long on a busy machine comes before anything is timed."""
    time = FakeTime()
    monkeypatch.setattr(page_bundle, "page_bundle", lambda *_: time.lapse(5))
    monkeypatch.setattr(gc, "collect", lambda: time.lapse(3))
    chosen = settings(tmp_path, page_sources=False)
    with capture_logs() as logs:
        async with running_arena(chosen, time) as url, connected(url, name="Anna"):
            await time.advance(2)
    assert [each for each in logs if each["log_level"] not in {"info", "debug"}] == []
