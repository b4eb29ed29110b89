"""An arena on a Unix socket: its file, and what the headers of its clients count."""

import asyncio
import socket
import stat
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from bot.arena.server import running_arena
from bot.arena.settings import ArenaSettings, load_settings
from bot.arena.store.data_folder import address_of_arena
from bot.errors import ConfigurationError, HostError
from tests.bot.arena.table import settings

FORGED = {
    "X-Forwarded-For": "203.0.113.7",
    "X-Forwarded-Proto": "https",
    "X-Forwarded-Host": "play.example.org",
}


def on_socket(folder: Path, **changes: Any) -> ArenaSettings:
    return settings(folder / "data", host=f"unix:{folder / 'a.sock'}", **changes)


def client(folder: Path) -> aiohttp.ClientSession:
    connector = aiohttp.UnixConnector(str(folder / "a.sock"))
    return aiohttp.ClientSession("http://localhost", connector=connector)


async def seen(folder: Path, **headers: str) -> dict[str, str]:
    """How the arena sees a request with these headers."""
    async with client(folder) as http, http.get("/api/caller", headers=headers) as response:
        found: dict[str, str] = await response.json()
        return found


async def test_it_answers_there_and_its_file_goes_with_it(tmp_path: Path) -> None:
    file = tmp_path / "a.sock"
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(file))
    async with running_arena(on_socket(tmp_path, hosts=["play.example.org"])) as address:
        assert address == f"unix:{file}"
        assert stat.S_IMODE(file.stat().st_mode) == 0o660
        async with client(tmp_path) as http, http.get("/healthz") as response:
            assert (await response.json())["status"] == "ok"
    assert not file.exists()


async def test_a_second_arena_is_refused_and_the_first_one_stays(tmp_path: Path) -> None:
    async with running_arena(on_socket(tmp_path)):
        second = on_socket(tmp_path).model_copy(update={"data": tmp_path / "other"})
        with pytest.raises(HostError, match="another program listens on"):
            async with running_arena(second):
                pass
        assert (await seen(tmp_path))["forwarded"] == "none"


async def test_people_find_it_under_the_name_of_its_proxy(tmp_path: Path) -> None:
    named = on_socket(tmp_path, hosts=["play.example.org"], trusted_proxies=["unix"])
    async with running_arena(named):
        assert address_of_arena(named.data) == "https://play.example.org"
    assert on_socket(tmp_path).usual_address == "http://localhost"


@pytest.mark.parametrize("trusted", [[], ["127.0.0.1"], ["0.0.0.0/0", "::/0"]])
async def test_headers_of_clients_that_are_not_trusted_count_nothing(
    tmp_path: Path, trusted: list[str]
) -> None:
    async with running_arena(on_socket(tmp_path, trusted_proxies=trusted)):
        caller = await seen(tmp_path, **FORGED)
    assert caller == {
        "address": "unix",
        "scheme": "http",
        "host": "localhost",
        "forwarded": "untrusted",
    }


async def test_a_trusted_proxy_says_who_asks(tmp_path: Path) -> None:
    async with running_arena(on_socket(tmp_path, trusted_proxies=["unix"])):
        caller = await seen(tmp_path, **FORGED)
        behind_two = await seen(tmp_path, **{"X-Forwarded-For": "198.51.100.1, 203.0.113.7"})
        invented = await seen(tmp_path, **{"X-Forwarded-For": "203.0.113.7, unix"})
    assert caller == {
        "address": "203.0.113.7",
        "scheme": "https",
        "host": "play.example.org",
        "forwarded": "trusted",
    }
    assert behind_two["address"] == "203.0.113.7"
    assert invented["address"] == "unix"


async def answer_to(folder: Path, name: str, path: str, *headers: str) -> bytes:
    """What a client is answered whose own end of the socket has a name."""
    end = socket.socket(socket.AF_UNIX)
    end.bind(name)
    end.connect(str(folder / "a.sock"))
    end.setblocking(False)
    reader, writer = await asyncio.open_connection(sock=end)
    (folder / name).unlink()
    lines = [f"GET {path} HTTP/1.1", "Host: localhost", "Connection: close", *headers]
    writer.write("\r\n".join([*lines, "", ""]).encode())
    async with asyncio.timeout(60):
        answer = await reader.read()
    writer.close()
    await writer.wait_closed()
    return answer


@pytest.mark.parametrize("name", ["127.0.0.1", "203.0.113.7"])
async def test_a_client_whose_end_is_named_like_an_address_has_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    trusting = on_socket(tmp_path, trusted_proxies=["127.0.0.1"], metrics_networks=["203.0.113.7"])
    async with running_arena(trusting):
        caller = await answer_to(tmp_path, name, "/api/caller", "X-Forwarded-For: 198.51.100.1")
        metrics = await answer_to(tmp_path, name, "/metrics")
    assert b'"address":"unix"' in caller
    assert b'"forwarded":"untrusted"' in caller
    assert b" 403 " in metrics


async def test_unix_says_nothing_about_clients_of_a_port(tmp_path: Path) -> None:
    on_port = settings(tmp_path, trusted_proxies=["unix"])
    async with (
        running_arena(on_port) as url,
        aiohttp.ClientSession(url) as http,
        http.get("/api/caller", headers=FORGED) as response,
    ):
        assert (await response.json())["address"] == "127.0.0.1"


@pytest.mark.parametrize(
    ("said", "complaint"),
    [
        ('host = "unix:a.sock"', "host: 'unix:a.sock' names no file; write an absolute path"),
        ('socket_mode = "rw"', "socket_mode: 'rw' is not the mode of a file"),
        ('socket_mode = "0999"', "socket_mode: '0999' is not the mode of a file"),
        (
            'host = "unix:/run/a.sock"\n[cluster]\nreuse_port = true',
            "give each process a Unix socket of its own",
        ),
        ('trusted_proxies = ["unix:/run/a.sock"]', "trusted_proxies"),
    ],
)
def test_settings_that_cannot_be_meant(tmp_path: Path, said: str, complaint: str) -> None:
    file = tmp_path / "arena.toml"
    file.write_text(said)
    with pytest.raises(ConfigurationError) as caught:
        load_settings(file)
    assert complaint in str(caught.value.problems)
