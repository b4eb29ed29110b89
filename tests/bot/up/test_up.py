"""`bluestone up` as a real process: its bots connect, a game is played, everything ends."""

import asyncio
import io
import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from rich.console import Console

from bot.up import launcher as up_module
from tests.fakes.up import running, watch_a_game

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300), pytest.mark.xdist_group("up")]


def _alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def test_a_game_is_played_and_shown_again_at_the_next_start(tmp_path: Path) -> None:
    with running(tmp_path, "--port", "0") as up:
        assert up.address.startswith("http://localhost:")
        assert json.loads(up.get("/healthz"))["status"] == "ok"
        assert b"<html" in up.get("/").lower()
        game_id = asyncio.run(watch_a_game(up.address))
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


@pytest.mark.nightly
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
