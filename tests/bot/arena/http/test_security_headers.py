"""Security headers follow what is sent: every route, every error, every prefix of the page."""

import asyncio
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final

import aiohttp
import pytest
from aiohttp import web
from multidict import CIMultiDict, CIMultiDictProxy
from yarl import URL

from bot.arena import server
from bot.arena.server import running_arena
from bot.arena.web.page_bundle import FOLDER
from tests.bot.arena.table import settings

FOR_DOCUMENTS: Final = (
    "Content-Security-Policy",
    "Cross-Origin-Opener-Policy",
    "Referrer-Policy",
    "X-Frame-Options",
)
NEVER_A_DOCUMENT: Final = re.compile(
    "text/(css|javascript)|application/(json|jsonl|manifest[+]json|wasm)|font/woff2|image/(gif|png)"
)
"""What no browser shows as a document that can run something."""


def assert_is_secure(headers: CIMultiDictProxy[str] | CIMultiDict[str], what: str) -> None:
    assert headers.get("X-Content-Type-Options") == "nosniff", what
    content_type = headers.get("Content-Type", "").partition(";")[0]
    if not NEVER_A_DOCUMENT.fullmatch(content_type):
        missing = [name for name in FOR_DOCUMENTS if name not in headers]
        assert not missing, f"{what}: {content_type} without {missing}"
        assert "frame-ancestors 'none'" in headers["Content-Security-Policy"], what


@pytest.fixture
async def arena(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[tuple[str, web.Application]]:
    """The address of an arena without a limit of requests, and its application."""
    made: list[web.Application] = []
    make = server._application

    def noted(*parts: object) -> web.Application:
        made.append(make(*parts))  # type: ignore[arg-type]
        return made[-1]

    monkeypatch.setattr(server, "_application", noted)
    chosen = settings(tmp_path, connections={"requests_per_s": 10_000, "requests_burst": 10_000})
    async with running_arena(chosen) as url:
        yield url, made[0]


def addresses(app: web.Application) -> dict[str, list[str]]:
    """An address for each route, and its methods; unknown parts are `x`."""
    found: dict[str, list[str]] = {}
    for route in app.router.routes():
        info = route.resource.get_info() if route.resource is not None else {}
        path = info.get("path") or re.sub(r"\{[^}]*\}", "x", info["formatter"])
        found.setdefault(path, []).append(route.method)
    return found


async def test_every_route_sends_the_headers_of_what_it_sends(
    arena: tuple[str, web.Application],
) -> None:
    url, app = arena
    known = addresses(app)
    assert {"/healthz", "/metrics", "/api/account/recovery/use", "/x"} <= known.keys()
    async with aiohttp.ClientSession(url) as http:
        for path, methods in known.items():
            for method in {*methods, "GET", "PUT"} - {"*"}:  # PUT: an error of aiohttp's
                for accepted in ("*/*", "text/html"):
                    wished = {"Accept": accepted}
                    async with http.request(method, path, headers=wished) as response:
                        assert_is_secure(response.headers, f"{method} {path} {response.status}")


async def test_documents_files_and_data_have_the_headers_of_their_kind(
    arena: tuple[str, web.Application],
) -> None:
    url, _ = arena
    paths = ["/", "/account", "/leaderboards", "/service_worker.js", "/manifest.webmanifest"]
    paths += ["/api/games", "/api/position.svg?game=bluestone", "/messages/en/lobby.json"]
    paths += [f"/{file.relative_to(FOLDER)}" for file in FOLDER.rglob("*.*") if file.is_file()]
    async with aiohttp.ClientSession(url) as http:
        for path in paths:
            tags = []
            async with http.get(path) as response:
                assert_is_secure(response.headers, path)
                tags = [response.headers["ETag"]] if "ETag" in response.headers else []
            for tag in tags:
                async with http.get(path, headers={"If-None-Match": tag}) as response:
                    assert_is_secure(response.headers, f"{path} again: {response.status}")


def folders_of_the_page() -> list[str]:
    return [
        "assets",
        "embed",
        *(each.name for each in FOLDER.iterdir() if each.is_dir() and each.name[0] != "_"),
    ]


@pytest.mark.parametrize("folder", folders_of_the_page())
async def test_unknown_addresses_beside_files_and_data_are_no_document(
    arena: tuple[str, web.Application], folder: str
) -> None:
    url, _ = arena
    async with aiohttp.ClientSession(url) as http:
        for path in (f"/{folder}", f"/{folder}/", f"/{folder}/x", f"/{folder}/x/y", f"/{folder}//"):
            async with http.get(URL(path, encoded=True)) as response:
                text = await response.text()
                assert (response.status, response.content_type) == (404, "text/plain"), path
                assert "<" not in text
                assert_is_secure(response.headers, path)


@pytest.mark.parametrize(
    "sent",
    [
        b"rubbish\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\nno header\r\n\r\n",
        b"GET /<script> HTTP/9.9\r\nHost: x\r\nAccept: text/html\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\nA: " + b"a" * 20_000 + b"\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: x\r\n\r\n",
        b"GET /assets/x HTTP/1.1\r\nHost: x\r\nExpect: rubbish\r\n\r\n",
    ],
)
async def test_requests_that_cannot_be_read_are_answered_with_the_headers_too(
    arena: tuple[str, web.Application], sent: bytes
) -> None:
    url = URL(arena[0])
    reader, writer = await asyncio.open_connection(url.host, url.port)
    writer.write(sent)
    head = (await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 10)).decode()
    writer.close()
    assert re.match(r"HTTP/1\.\d 4\d\d ", head)
    found = dict(line.split(": ", 1) for line in head.split("\r\n")[1:] if line)
    assert_is_secure(CIMultiDict(found), head)


async def test_an_error_of_the_arenas_own_has_the_headers(
    arena: tuple[str, web.Application], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(*_: object, **__: object) -> None:
        raise RuntimeError("on purpose")

    monkeypatch.setattr("bot.arena.http.throttle.Throttle._run", broken)
    async with (
        aiohttp.ClientSession(arena[0]) as http,
        http.get("/account", headers={"Accept": "text/html"}) as response,
    ):
        assert (response.status, response.content_type) == (500, "text/html")
        assert_is_secure(response.headers, "an error")
