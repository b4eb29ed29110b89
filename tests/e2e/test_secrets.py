"""Secrets that pass through the real arena and the real bot are in no log, page or command line."""

import asyncio
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import aiohttp
import pytest
import socketio

from bot import wire
from bot.runtime.children import ChildProcess
from tests.docs.pages import ROOT
from tests.e2e.browser.arena_process import ArenaProcess, running
from tests.fakes.arena_client import connected
from tests.fakes.waiting import eventually

pytestmark = pytest.mark.e2e

WRONG = "wrong-token-that-somebody-mistyped"
IN_ENVIRONMENT = "a-secret-of-the-environment"
ENGINE = """
import os, sys
print(*os.environ.items(), file=sys.stderr, flush=True)
print(*sys.argv, file=sys.stderr, flush=True)
from engine.ugi.__main__ import main
main(["--engine", "random"])
"""
BOT = """
[daemon]
data = "{folder}/bot"
[logging]
level = "debug"
[engines.talkative]
command = "{python} {folder}/talkative.py"
[[platforms]]
url = "{url}"
token_env = "BOT_TOKEN"
engine = "talkative"
[[platforms]]
name = "by-file"
url = "{url}"
token_file = "{folder}/second.token"
engine = "talkative"
"""


@dataclass
class Seen:
    """What a stranger may read: logs, pages, command lines."""

    texts: dict[str, str] = field(default_factory=dict)

    def places_of(self, secret: str) -> list[str]:
        return [place for place, text in self.texts.items() if secret in text]


async def test_no_secret_leaves_arena_or_bot(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    seen, secrets = Seen(), [WRONG, IN_ENVIRONMENT]
    async with running(data) as arena:
        tokens = [await arena.token("First"), await arena.token("Second")]
        secrets += [*tokens, await log_in_as_a_person(arena)]
        await offer_everywhere(arena, [WRONG, *tokens])
        async with bot(tmp_path, arena.address, tokens) as process:
            await eventually(lambda: is_on_the_arena(tmp_path / "bot.log"))
            seen.texts |= command_lines(process.pid)
        for path in ("/healthz", "/metrics", "/api/games", "/api/tournaments"):
            seen.texts[path] = await page(arena.address + path)
    for log in (data / "arena.log", tmp_path / "bot.log"):
        seen.texts[log.name] = log.read_text(encoding="utf-8")
    assert "engine_stderr" in seen.texts["bot.log"]
    assert "login_refused" in seen.texts["arena.log"]
    assert {secret: seen.places_of(secret) for secret in secrets} == {
        secret: [] for secret in secrets
    }


def is_on_the_arena(log: Path) -> bool:
    """Whether both accounts of the bot are connected, and its engine has printed what it sees."""
    lines = log.read_text(encoding="utf-8")
    return lines.count('"event":"connected"') == 2 and "engine_stderr" in lines


async def log_in_as_a_person(arena: ArenaProcess) -> str:
    """Log in anew, and again with the key; returns the key."""
    async with connected(arena.address, name="Hanna") as client:
        key = client.all_of(wire.Welcome)[0].guest_key
    assert key is not None
    async with connected(arena.address, guest_key=key):
        return key


async def offer_everywhere(arena: ArenaProcess, secrets: list[str]) -> None:
    """Send secrets where a confused client might put them."""
    async with aiohttp.ClientSession(arena.address) as session:
        for secret in secrets:
            for path in (f"/healthz?token={secret}", f"/api/games/{secret}", f"/{secret}"):
                headers = {"Authorization": f"Bearer {secret}", "Cookie": f"key={secret}"}
                async with session.get(path, headers=headers):
                    pass
            await malformed_request(arena.address, secret)
    for auth in ({"token": WRONG}, {"guest_key": WRONG}, {"token": [WRONG]}, {WRONG: 1}, WRONG):
        sent = {"v": wire.VERSION, **auth} if isinstance(auth, dict) else auth
        client = socketio.AsyncClient(reconnection=False)
        with pytest.raises(socketio.exceptions.ConnectionError):
            await client.connect(arena.address, auth=sent, transports=["websocket"])
    async with connected(arena.address, token=secrets[-1]) as bot_client:
        for event in ("game.turn", secrets[-1]):
            await bot_client.ask(event, game_id=secrets[-1], turn=secrets[-1], ply=0)


async def malformed_request(address: str, secret: str) -> None:
    host, port = address.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(f"GET /{secret} HTTP/9.9 {secret}\r\n{secret}\r\n\r\n".encode())
    await reader.read()
    writer.close()


async def page(url: str) -> str:
    async with aiohttp.ClientSession() as session, session.get(url) as answer:
        return await answer.text()


def command_lines(parent: int) -> dict[str, str]:
    """The command lines of all programs that descend from that process, and its own."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_text().split("\0")
            if str(parent) in (
                folder.name,
                (folder / "stat").read_text().rpartition(")")[2].split()[1],
            ):
                found[f"command line of {folder.name}"] = " ".join(words)
        except OSError:  # it has ended
            continue
    return found


@asynccontextmanager
async def bot(folder: Path, url: str, tokens: list[str]) -> AsyncIterator[ChildProcess]:
    """A daemon with one token in its environment, one in a file, and an engine that talks."""
    (folder / "talkative.py").write_text(ENGINE)
    token_file = folder / "second.token"
    token_file.write_text(tokens[1])
    token_file.chmod(0o600)
    settings = folder / "bot.toml"
    settings.write_text(BOT.format(python=sys.executable, folder=folder, url=url))
    command = (sys.executable, "-m", "bot", "bot", "--config", str(settings))
    environ = {"BOT_TOKEN": tokens[0], "CLOUD_SECRET": IN_ENVIRONMENT, "PYTHONPATH": str(ROOT)}
    process = await ChildProcess.start_logged(command, folder / "bot.log", environ)
    try:
        yield process
    finally:
        await process.end(20, signal.SIGINT)
