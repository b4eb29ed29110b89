"""Requests of attackers on a running arena, over real sockets."""

import asyncio
import gzip
import re
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import urlsplit

import aiohttp
import pytest

from bot.arena.server import running_arena
from tests.bot.arena.table import settings
from tests.fakes.raw_socket import PATH

WEB = Path(__file__).parents[4] / "bot" / "arena" / "web"
MARKUP = re.compile(
    r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|createContextualFragment"
)


@pytest.fixture
async def url(tmp_path: Path) -> AsyncIterator[str]:
    async with running_arena(settings(tmp_path)) as url:
        yield url


async def answer(url: str, request: bytes) -> bytes:
    """What the arena sends for these bytes until it closes the connection."""
    parts = urlsplit(url)
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
    writer.write(request)
    found = await asyncio.wait_for(reader.read(), 20)
    writer.close()
    return found


@pytest.mark.parametrize(
    "path",
    [
        *(
            "/../settings.py",
            "/js/../../settings.py",
            "//etc/passwd.svg",
            "/assets/../../settings.py",
        ),
        *("/%2e%2e/settings.py", "/js/%2e%2e%2f%2e%2e%2fsettings.py", "/js\\..\\..\\settings.py"),
        *("/js/main.js%00.svg", "/api/records/..%2f..%2farena.db"),
    ],
)
async def test_no_path_leaves_the_folder_of_the_page(url: str, path: str) -> None:
    request = f"GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    assert (await answer(url, request.encode())).startswith(b"HTTP/1.1 404 ")


async def test_compressed_frames_are_not_negotiated(url: str) -> None:
    async with aiohttp.ClientSession() as http, http.ws_connect(url + PATH, compress=15) as socket:
        assert socket.compress == 0


async def test_a_compressed_body_is_not_read(url: str) -> None:
    body = gzip.compress(bytes(10_000_000))
    head = f"POST /api/games HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n"
    request = f"{head}Content-Encoding: gzip\r\nConnection: close\r\n\r\n".encode() + body
    assert (await answer(url, request)).startswith(b"HTTP/1.1 405 ")


async def test_a_request_with_two_lengths_is_refused(url: str) -> None:
    lengths = "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n"
    request = f"GET / HTTP/1.1\r\nHost: x\r\n{lengths}\r\n0\r\n\r\n"
    assert b" 400 " in (await answer(url, request.encode()))[:20]


@pytest.mark.parametrize(
    "origin", ["null", "http://evil.example", "http://127.0.0.1:1", "http://[::"]
)
async def test_pages_of_other_sites_may_not_connect(url: str, origin: str) -> None:
    async with aiohttp.ClientSession() as http:
        with pytest.raises(aiohttp.WSServerHandshakeError, match="403"):
            await http.ws_connect(url + PATH, headers={"Origin": origin})


def test_the_page_makes_no_markup_of_text() -> None:
    scripts = sorted((WEB / "js").rglob("*.js"))
    assert scripts
    assert [file.name for file in scripts if MARKUP.search(file.read_text())] == []
