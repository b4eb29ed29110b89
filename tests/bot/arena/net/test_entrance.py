"""Where connections ask to become sockets."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import urlsplit

import aiohttp
import pytest
from structlog.testing import capture_logs

from bot.arena.server import running_arena
from tests.bot.arena.table import settings
from tests.fakes.raw_socket import PATH, knock, raw_socket


@pytest.fixture
async def url(tmp_path: Path) -> AsyncIterator[str]:
    async with running_arena(settings(tmp_path)) as address:
        yield address


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/socket.io/?EIO=4&transport=polling"),
        ("GET", "/socket.io/?EIO=4"),
        ("GET", PATH),
        ("POST", "/socket.io/?EIO=4&transport=polling&sid=none"),
        ("POST", PATH),
        ("OPTIONS", "/socket.io/?EIO=4&transport=polling"),
    ],
)
async def test_whatever_is_no_websocket_is_told_what_to_choose(
    url: str, method: str, path: str
) -> None:
    async with aiohttp.ClientSession() as http, http.request(method, url + path) as response:
        answer = await response.json()
    assert (response.status, answer["code"]) == (400, "websocket_only")
    assert "`websocket`" in answer["message"]


async def test_a_post_whose_body_never_comes_is_answered_at_once(url: str) -> None:
    address = urlsplit(url)
    reader, writer = await asyncio.open_connection(address.hostname, address.port)
    head = "POST /socket.io/?EIO=4&transport=polling&sid=x HTTP/1.1\r\nHost: x\r\n"
    writer.write(f"{head}Content-Length: 100000000\r\n\r\n".encode())
    async with asyncio.timeout(5):
        assert b" 400 " in await reader.readline()
    writer.close()
    await writer.wait_closed()


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-WebSocket-Key": "short"},
        {"Sec-WebSocket-Key": "é"},
        {"Sec-WebSocket-Version": "1"},
        {"Connection": "keep-alive"},
    ],
)
async def test_a_handshake_that_is_none_leaves_nothing_behind(
    url: str, headers: dict[str, str]
) -> None:
    status, answer = await knock(url, headers)
    assert (status, answer["code"]) == (400, "websocket_only")


@pytest.mark.parametrize(
    ("origin", "host", "status"),
    [
        ("", None, 101),
        ("same", None, 101),
        ("https://friend.example", None, 101),
        ("https://evil.example", None, 403),
        ("http://rebound.example", "rebound.example", 403),
        ("http://known.example", "known.example", 101),
    ],
)
async def test_a_page_connects_only_from_a_name_that_is_known(
    tmp_path: Path, origin: str, host: str | None, status: int
) -> None:
    known = settings(tmp_path, allowed_origins=["https://friend.example"], hosts=["known.example"])
    async with running_arena(known) as url:
        headers = {"Origin": url if origin == "same" else origin} if origin else {}
        if host is not None:
            headers["Host"] = host
        assert (await knock(url, headers))[0] == status


async def test_the_log_names_the_setting_once(url: str) -> None:
    headers = {"Origin": "http://rebound.example", "Host": "rebound.example"}
    with capture_logs() as lines:
        for _ in range(3):
            assert (await knock(url, headers))[1]["code"] == "origin"
    [line] = [line for line in lines if line["event"] == "origin_refused"]
    assert (line["setting"], line["origin"]) == ("hosts", "http://rebound.example")


async def test_forwarded_headers_of_strangers_open_nothing(url: str) -> None:
    headers = {
        "Origin": "https://evil.example",
        "X-Forwarded-Host": "evil.example",
        "X-Forwarded-Proto": "https",
    }
    assert (await knock(url, headers))[0] == 403


async def test_a_trusted_proxy_says_which_page_asks(tmp_path: Path) -> None:
    behind = settings(tmp_path, trusted_proxies=["127.0.0.1"], hosts=["play.example.org"])
    headers = {
        "Origin": "https://play.example.org",
        "X-Forwarded-For": "203.0.113.7",
        "X-Forwarded-Proto": "https",
        "X-Forwarded-Host": "play.example.org",
    }
    async with running_arena(behind) as url:
        assert (await knock(url, headers))[0] == 101
        async with raw_socket(url, headers) as socket:
            assert (await socket.log_in()).startswith("40")
