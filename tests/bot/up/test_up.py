"""`bluestone up` as a real process: its bots connect, a game is played, everything ends."""

import asyncio
import io
import json
import os
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from bot import wire
from bot.up import launcher as up_module
from bot.wire.clocks import OfferedPerTurn

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300), pytest.mark.xdist_group("up")]

READY = "Play at "


class Up:
    """A running `bluestone up`; `address` is where people play."""

    def __init__(self, data: Path, *words: str) -> None:
        command = [sys.executable, "-m", "bot", "up", "--data", str(data), *words]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        line = self.line_with(lambda text: READY in text)
        self.address = line.split(READY)[1].split()[0]

    def line_with(self, is_it: Callable[[str], bool]) -> str:
        assert self.process.stdout is not None
        said = []
        for line in self.process.stdout:
            said.append(line)
            if is_it(line):
                return line
        raise AssertionError(f"ended with {self.process.wait()}: {''.join(said)}")

    def end(self, number: int = signal.SIGINT) -> str:
        self.process.send_signal(number)
        assert self.process.stdout is not None
        rest = self.process.stdout.read()
        assert self.process.wait(60) == 0
        return rest

    def get(self, path: str) -> Any:
        with urllib.request.urlopen(f"{self.address}{path}", timeout=20) as answer:
            assert answer.status == 200
            return answer.read()

    @property
    def descendants(self) -> list[int]:
        return _descendants(self.process.pid)


@contextmanager
def running(data: Path, *words: str) -> Iterator[Up]:
    up = Up(data, *words)
    try:
        yield up
    finally:
        if up.process.poll() is None:
            up.process.kill()
        up.process.wait()
        assert up.process.stdout is not None
        up.process.stdout.close()


def _descendants(pid: int) -> list[int]:
    """The processes below one, engines included, whatever group they are in."""
    found = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in task.read_text().split():
            found += [int(child), *_descendants(int(child))]
    return found


def _alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


async def _watch_a_game(address: str) -> str:
    """As a guest, have two bundled bots play each other; returns once the game has ended."""
    import socketio

    over: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    async def on_game(event: dict[str, Any]) -> None:
        if event["state"] == "finished" and not over.done():
            over.set_result(event["game_id"])

    async def on_challenge(event: dict[str, Any]) -> None:
        if event["game_id"] is not None:
            await client.call("game.watch", {"v": 1, "game_id": event["game_id"]}, timeout=20)

    client = socketio.AsyncClient(handle_sigint=False)
    client.on("game", on_game)
    client.on("challenge", on_challenge)
    client.on("lobby", _ignore)
    client.on("welcome", _ignore)
    options = {"transports": ["websocket"], "retry": True, "wait_timeout": 20}
    await client.connect(address, auth={"v": 1}, **options)
    try:
        setup = wire.OfferedSetup(board="pent-3", clock=OfferedPerTurn(turn_s=1))
        challenge = wire.CreateChallenge(v=1, setup=setup, seats=("Pebble", "Granite"))
        answer = await client.call("challenge.create", wire.encode(challenge), timeout=20)
        assert answer["ok"], answer
        return await asyncio.wait_for(over, 120)
    finally:
        await client.disconnect()


async def _ignore(_: object) -> None:
    return None


def test_a_game_is_played_and_shown_again_at_the_next_start(tmp_path: Path) -> None:
    with running(tmp_path, "--port", "0") as up:
        assert up.address.startswith("http://localhost:")
        assert json.loads(up.get("/healthz"))["status"] == "ok"
        assert b"<html" in up.get("/").lower()
        game_id = asyncio.run(_watch_a_game(up.address))
        listed = _bluestone("records", "list", "--json", "--data", str(tmp_path))
        assert [game["id"] for game in json.loads(listed.stdout)] == [game_id], "while it runs"
        below = up.descendants
        assert len(below) >= 4, "arena, daemon, an engine with its guardian"
        rest = up.end()
        assert rest.splitlines()[-1] == "stopped"
        assert not any(_alive(pid) for pid in below)
    assert (tmp_path / "logs" / "arena.log").read_text()
    for path in (*(tmp_path / "logs").iterdir(), *(tmp_path / "bot").glob("[!u]*")):
        assert path.stat().st_mode & 0o077 == 0, path
    with running(tmp_path, "--port", "0") as up:
        earlier = json.loads(up.get("/api/records"))["records"]
        assert game_id in [record["game_id"] for record in earlier]
        up.end(signal.SIGTERM)
    shown = _bluestone("records", "list", "--json", "--data", str(tmp_path))
    assert [game["id"] for game in json.loads(shown.stdout)] == [game_id]
    assert _bluestone("records", "verify", "--data", str(tmp_path)).returncode == 0


def test_a_second_one_is_refused_and_a_crashed_bot_is_started_again(tmp_path: Path) -> None:
    with running(tmp_path, "--port", "0") as up:
        done = _bluestone("up", "--data", str(tmp_path), "--port", "0")
        assert done.returncode == 71
        assert "another `bluestone up` uses it" in done.stderr
        (bot,) = [pid for pid in up.descendants if b"up.toml" in _command_line(pid)]
        os.kill(bot, signal.SIGKILL)
        line = up.line_with(lambda text: "restarting it" in text)
        assert "the bot ended with status -9" in line
        up.get("/healthz")
        up.end(signal.SIGHUP)


def test_children_end_with_a_parent_that_is_killed(tmp_path: Path) -> None:
    with running(tmp_path, "--port", "0") as up:
        below = up.descendants
        up.process.kill()
        up.process.wait()
        assert up.process.stdout is not None
        # The children hold the pipe open no longer than they live.
        up.process.stdout.read()
        for pid in below:
            _wait_until_gone(pid)


def test_a_requested_port_in_use_is_an_error(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = _bluestone("up", "--data", str(tmp_path), "--port", str(port))
    assert done.returncode == 71
    assert done.stderr.startswith(f"bluestone: port {port} on 127.0.0.1 is in use")
    assert len(done.stderr.splitlines()) == 1


def test_the_default_port_in_use_is_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        monkeypatch.setattr(up_module, "DEFAULT_PORT", taken.getsockname()[1])
        out = io.StringIO()
        options = up_module.UpOptions("127.0.0.1", None, tmp_path)
        assert up_module._usable_port(options, Console(file=out)) == 0
    assert "is in use; taking a free one" in out.getvalue()


def test_an_address_that_is_not_ours_is_named(tmp_path: Path) -> None:
    done = _bluestone("up", "--data", str(tmp_path), "--host", "203.0.113.1", "--port", "0")
    assert done.returncode == 71
    assert done.stderr.startswith("bluestone: cannot listen on 203.0.113.1 port 0")


def _bluestone(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "bot", *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


def _command_line(pid: int) -> bytes:
    return Path(f"/proc/{pid}/cmdline").read_bytes()


def _wait_until_gone(pid: int) -> None:
    """Returns when the process has ended; it is no child of this one."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    try:
        import select

        assert select.select([descriptor], [], [], 60)[0], f"process {pid} lives on"
    finally:
        os.close(descriptor)
