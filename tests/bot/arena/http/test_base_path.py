"""An arena below a path: what it serves there, and what its answers name."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest
from yarl import URL

from bot.arena.server import running_arena
from bot.arena.settings import ArenaSettings, load_settings
from bot.errors import ConfigurationError
from tests.bot.arena.table import settings
from tests.fakes.raw_socket import HANDSHAKE

BASE = "/games/blue-stone"
FOREIGN = {"Origin": "https://evil.example"}


@pytest.fixture
async def http(tmp_path: Path) -> AsyncIterator[aiohttp.ClientSession]:
    async with below(tmp_path) as session:
        yield session


@asynccontextmanager
async def below(folder: Path, **changes: object) -> AsyncIterator[aiohttp.ClientSession]:
    chosen = settings(folder, base_path=f"{BASE}/", **changes)
    async with running_arena(chosen) as url, aiohttp.ClientSession(url) as session:
        yield session


async def text_of(http: aiohttp.ClientSession, path: str, status: int = 200) -> str:
    async with http.get(URL(path, encoded=True)) as response:
        assert response.status == status, path
        return await response.text(errors="replace")


async def test_everything_is_below_the_path_and_at_the_top_for_proxies_that_remove_it(
    http: aiohttp.ClientSession,
) -> None:
    same = (
        *("/", "/?x=1", "/api/games", "/api/boards/bluestone/pent-3", "/service_worker.js"),
        *("/messages/de/lobby.json?v=1", "/lessons/bluestone.json", "/game/abc?ply=3"),
        *("/icons/icon-192.png", "/player/A%20b"),
    )
    for path in same:
        assert await text_of(http, BASE + path) == await text_of(http, path)
    for path in ("/healthz", "/metrics"):  # with numbers that change
        assert await text_of(http, BASE + path)
        assert await text_of(http, path)


@pytest.mark.parametrize("page_sources", [False, True], ids=["bundled", "sources"])
async def test_the_document_names_no_address_outside(tmp_path: Path, page_sources: bool) -> None:
    async with below(tmp_path, page_sources=page_sources) as http:
        document = await text_of(http, f"{BASE}/")
        own = re.findall(r'(?:href|src)="([^"#]*)"', document)
        assert own
        for address in own:
            assert address.startswith(f"{BASE}/")
            await text_of(http, address)
    [page] = re.findall(r'"og:url" content="([^"]*)"', document)
    [picture] = re.findall(r'"og:image" content="([^"]*)"', document)
    assert URL(page).path == f"{BASE}/"
    assert URL(picture).path == f"{BASE}/api/position.png"


async def test_the_manifest_of_the_installed_page(http: aiohttp.ClientSession) -> None:
    async with http.get(f"{BASE}/manifest.webmanifest") as response:
        assert response.content_type == "application/manifest+json"
        found = await response.json(content_type=None)
    assert (found["id"], found["start_url"]) == (f"{BASE}/", f"{BASE}/")
    for icon in found["icons"]:
        async with http.get(icon["src"]) as response:
            assert response.status == 200


async def test_the_path_without_its_slash_leads_to_the_page(http: aiohttp.ClientSession) -> None:
    async with http.get(f"{BASE}?x=1", allow_redirects=False) as response:
        assert (response.status, response.headers["Location"]) == (308, f"{BASE}/?x=1")
        assert response.headers["X-Content-Type-Options"] == "nosniff"


async def test_other_paths_are_unknown(http: aiohttp.ClientSession) -> None:
    paths = f"{BASE}s/healthz", f"{BASE}.json", f"{BASE}{BASE}/api/games", f"/x{BASE}/healthz"
    for path in paths:
        await text_of(http, path, status=404)


async def test_odd_paths_are_as_odd_as_at_the_top(http: aiohttp.ClientSession) -> None:
    async def got(path: str) -> tuple[int, str | None]:
        address = URL(str(http._base_url).rstrip("/") + path, encoded=True)
        async with http.get(address, allow_redirects=False) as response:
            return response.status, response.headers.get("Location")

    for path in ("//evil.example/", "/%2e%2e/api/games", "/..%2fhealthz", "///"):
        assert await got(BASE + path) == await got(path)


async def test_a_page_connects_below_the_path_and_foreign_ones_do_not(
    http: aiohttp.ClientSession,
) -> None:
    path = f"{BASE}/socket.io/?EIO=4&transport=websocket"
    async with http.get(path, headers=HANDSHAKE) as response:
        assert response.status == 101
    async with http.get(path, headers={**HANDSHAKE, **FOREIGN}) as response:
        assert response.status == 403


def test_links_of_the_operator_have_the_path() -> None:
    def address(**changes: object) -> str:
        return ArenaSettings.model_validate({"base_path": BASE, **changes}).usual_address

    proxied = {"hosts": ["example.org"], "trusted_proxies": ["127.0.0.1"]}
    assert address(**proxied) == f"https://example.org{BASE}"
    assert address() == f"http://127.0.0.1:8765{BASE}"


@pytest.mark.parametrize(
    ("path", "complaint"),
    [
        ("games/bluestone", "is no path of letters, digits"),
        ("//evil.example", "is no path of letters, digits"),
        ("/a//b", "is no path of letters, digits"),
        ("/../a", "is no path of letters, digits"),
        ("/a b", "is no path of letters, digits"),
        ('/a"onload=', "is no path of letters, digits"),
        ("https://example.org/a", "is no path of letters, digits"),
        ("/" + "a" * 300, "is no path of letters, digits"),
        ("/api/bluestone", "/api is a path of the arena's own"),
        ("/games", "/games is a path of the arena's own"),
    ],
)
def test_paths_that_cannot_be_meant(tmp_path: Path, path: str, complaint: str) -> None:
    file = tmp_path / "arena.toml"
    file.write_text(f"base_path = '{path}'")
    with pytest.raises(ConfigurationError, match="base_path") as caught:
        load_settings(file)
    assert complaint in str(caught.value.problems)
