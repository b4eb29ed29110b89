"""The arena behind a proxy: ours, and those of docs/running-an-arena.md if they are installed."""

import asyncio
import re
import shutil
import socket
import ssl
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import aiohttp
import pytest

from bot import wire
from bot.arena.server import running_arena
from tests.bot.arena.table import begin, settings
from tests.fakes.arena_client import ArenaClient
from tests.fakes.proxy import Below, proxy
from tests.fakes.raw_socket import HANDSHAKE, PATH
from tests.matrix import nightly_after

PAGE = Path(__file__).parents[4] / "docs" / "running-an-arena.md"
NAME = "play.example.org"
START_S = 20


def configuration(language: str) -> str:
    """What the page recommends."""
    [text] = re.findall(rf"```{language}\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert isinstance(text, str)
    return text


def changed(configuration: str, base: str, former: str, new: str) -> str:
    """The configuration for an arena below a path, by the change that the page describes."""
    if not base:
        return configuration
    assert former in PAGE.read_text()
    assert new in PAGE.read_text()
    assert base == "/games/bluestone"
    before, found, after = configuration.partition(former.strip("`"))
    assert found
    return f"{before}{new.strip()}{after}"


@contextmanager
def reserved_port() -> Iterator[int]:
    """A port of this machine on which nothing listens, and which no other program gets by chance.

    A program that asks for this port by its number gets it, if it sets SO_REUSEADDR, as servers do.
    """
    with socket.socket() as holder:
        holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        holder.bind(("127.0.0.1", 0))
        port: int = holder.getsockname()[1]
        yield port


@asynccontextmanager
async def running(command: list[str], url: str, folder: Path) -> AsyncIterator[str]:
    """A proxy as a process, once it accepts connections."""
    with (folder / "proxy.log").open("wb") as log:
        process = await asyncio.create_subprocess_exec(*command, stdout=log, stderr=log)
    try:
        async with asyncio.timeout(START_S):
            while not await _accepts(url):
                assert process.returncode is None, (folder / "proxy.log").read_text()
        yield url
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()


async def _accepts(url: str) -> bool:
    try:
        _, writer = await asyncio.open_connection("127.0.0.1", urlsplit(url).port)
    except OSError:
        return False
    writer.close()
    await writer.wait_closed()
    return True


def make_certificate(folder: Path) -> tuple[Path, Path]:
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    files = ["-keyout", str(key), "-out", str(certificate)]
    subject = ["-subj", f"/CN={NAME}", "-addext", f"subjectAltName=DNS:{NAME}"]
    subprocess.run([*command, *files, *subject], check=True, capture_output=True)
    return key, certificate


@asynccontextmanager
async def nginx(upstream: str, folder: Path, base: str = "") -> AsyncIterator[str]:
    """The page's configuration, with the ports and files of this test."""
    key, certificate = make_certificate(folder)
    with reserved_port() as port:
        command = _nginx(upstream, folder, port, key, certificate, base)
        async with running(command, f"https://127.0.0.1:{port}", folder) as url:
            yield url + base


def _nginx(
    upstream: str, folder: Path, port: int, key: Path, certificate: Path, base: str
) -> list[str]:
    """Write the configuration, and return the command."""
    http = configuration("nginx").replace("127.0.0.1:8765", upstream.removeprefix("http://"))
    http = changed(http, base, "`location / {`", "    location /games/bluestone/ {\n")
    http = http.replace("listen 443 ssl", f"listen 127.0.0.1:{port} ssl")
    http = re.sub(r"(ssl_certificate +)\S+;", rf"\1{certificate};", http)
    http = re.sub(r"(ssl_certificate_key +)\S+;", rf"\1{key};", http)
    temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    paths = "".join(f"{name}_temp_path {folder / name};\n" for name in temporary)
    file = folder / "nginx.conf"
    file.write_text(
        f"daemon off; master_process off; pid {folder / 'pid'}; error_log stderr;\n"
        f"events {{ worker_connections 512; }}\nhttp {{ access_log off;\n{paths}{http}}}\n"
    )
    return ["nginx", "-e", "stderr", "-p", str(folder), "-c", str(file)]


@asynccontextmanager
async def caddy(upstream: str, folder: Path, base: str = "") -> AsyncIterator[str]:
    key, certificate = make_certificate(folder)
    with reserved_port() as port:
        command = _caddy(upstream, folder, port, key, certificate, base)
        async with running(command, f"https://127.0.0.1:{port}", folder) as url:
            yield url + base


def _caddy(
    upstream: str, folder: Path, port: int, key: Path, certificate: Path, base: str
) -> list[str]:
    """Write the configuration, and return the command."""
    upstream = upstream.removeprefix("http://").replace("unix:", "unix/")
    redirect = "    redir /games/bluestone /games/bluestone/ 308\n"
    below = "    reverse_proxy /games/bluestone/* 127.0.0.1:8765 {\n"
    site = configuration("caddy")
    site = changed(site, base, "`reverse_proxy 127.0.0.1:8765 {`", redirect + below)
    site = site.replace("127.0.0.1:8765", upstream)
    site = site.replace(f"{NAME} {{", f"{NAME}:{port} {{\n    tls {certificate} {key}", 1)
    options = [
        "admin off",
        "auto_https off",
        f"default_sni {NAME}",
        f"storage file_system {folder}",
    ]
    head = "\n    ".join(["{", *options]) + "\n}\n"
    file = folder / "Caddyfile"
    file.write_text(head + site)
    return ["caddy", "run", "--adapter", "caddyfile", "--config", str(file)]


@asynccontextmanager
async def ours(upstream: str, _folder: Path, base: str = "") -> AsyncIterator[str]:
    async with proxy(upstream, Below(base)) as url:
        yield url + base


def needs(*programs: str) -> pytest.MarkDecorator:
    missing = [program for program in programs if shutil.which(program) is None]
    return pytest.mark.skipif(bool(missing), reason=f"not installed: {', '.join(missing)}")


NGINX, CADDY = needs("nginx", "openssl"), needs("caddy", "openssl")
SITES = [
    pytest.param((ours, "port"), id="ours-port"),
    pytest.param((ours, "path"), id="ours-path"),
    pytest.param((nginx, "port"), marks=NGINX, id="nginx-port"),
    pytest.param((caddy, "socket"), marks=CADDY, id="caddy-socket"),
    pytest.param((ours, "socket"), id="ours-socket"),
    pytest.param((nginx, "socket"), marks=NGINX, id="nginx-socket"),
    pytest.param((nginx, "path"), marks=NGINX, id="nginx-path"),
    pytest.param((caddy, "port"), marks=CADDY, id="caddy-port"),
    pytest.param((caddy, "path"), marks=CADDY, id="caddy-path"),
]
"""A proxy, and where the arena is behind it."""


def browser(source: str = "127.0.0.1", **headers: str) -> aiohttp.ClientSession:
    """A session that comes from an address of this machine, and takes the proxy for the site."""
    trusting = ssl.create_default_context()
    trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
    connector = aiohttp.TCPConnector(local_addr=(source, 0), ssl=trusting)
    page = {"Host": NAME, "Origin": f"https://{NAME}", **headers}
    return aiohttp.ClientSession(connector=connector, headers=page)


def place(name: str, folder: Path) -> dict[str, Any]:
    """Where the arena is, and whom it trusts there."""
    if name == "port":
        return {"trusted_proxies": ["127.0.0.1"]}
    if name == "path":
        return {"base_path": "/games/bluestone", "trusted_proxies": ["127.0.0.1"]}
    return {"host": f"unix:{folder / 'a.sock'}", "trusted_proxies": ["unix"]}


@pytest.fixture(params=nightly_after(4, SITES))
async def site(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[str]:
    through, where = request.param
    behind = settings(
        tmp_path / "data",
        hosts=[NAME],
        connections={"sockets_per_address": 2},
        **place(where, tmp_path),
    )
    async with (
        running_arena(behind) as url,
        through(url, tmp_path, behind.base_path) as address,
    ):
        yield address


async def test_the_page_comes_and_a_game_is_played(site: str) -> None:
    async with browser() as http, http.get(f"{site}/") as response:
        assert response.status == 200
        assert "<html" in await response.text()
    one, two = (ArenaClient(http=browser) for _ in range(2))
    await one.connect(site, {"v": 1, "name": "Anna"})
    await two.connect(site, {"v": 1, "name": "Ben"})
    game_id = await begin(one, two)
    await one.do("game.turn", game_id=game_id, ply=0, turn="0-0")
    await two.game(game_id, lambda state: len(state.turns) >= 1)
    assert two.all_of(wire.GameState)[-1].connected == (True, True)
    await one.close()
    await two.close()


async def status_from(site: str, source: str, **headers: str) -> int:
    async with browser(source, **headers) as http, http.get(site + PATH, headers=HANDSHAKE) as got:
        return got.status


async def test_limits_count_the_clients_address_despite_its_headers(site: str) -> None:
    clients = [ArenaClient(http=lambda: browser("127.0.0.2")) for _ in range(2)]
    for each in clients:
        await each.connect(site, {"v": 1})
    assert await status_from(site, "127.0.0.2") == 429
    assert await status_from(site, "127.0.0.2", **{"X-Forwarded-For": "203.0.113.7"}) == 429
    assert await status_from(site, "127.0.0.3") == 101
    for each in clients:
        await each.close()


async def test_pages_of_other_sites_may_not_connect(site: str) -> None:
    assert await status_from(site, "127.0.0.4", Origin="https://evil.example") == 403
    rebound = {"Host": "evil.example", "Origin": "https://evil.example"}
    assert await status_from(site, "127.0.0.4", **rebound) != 101
