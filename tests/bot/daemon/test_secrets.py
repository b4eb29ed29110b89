"""Engines run as the same user as the daemon, and must not get at its tokens."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from bot.daemon import run

TOKEN = "kq0nY-a-token-of-a-bot"

# Root may read everything, so a root's test becomes nobody. That hides the process as well, until
# it says otherwise: as a program does that was started by nobody in the first place.
STEAL = """
import ctypes, os, sys
from bot.daemon.run import hide_memory

prctl = ctypes.CDLL(None).prctl
if os.getuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
prctl(4, 1, 0, 0, 0)
go, ready = os.pipe()
engine = os.fork()
if engine == 0:
    os.read(go, 1)
    for name in ("environ", "mem", "maps"):
        try:
            with open(f"/proc/{os.getppid()}/{name}", "rb") as file:
                file.read(1) if name == "mem" else print(name, sys.argv[1].encode() in file.read())
        except OSError as error:
            print(name, error.strerror)
    sys.exit()
if sys.argv[2] == "hidden":
    hide_memory()
os.write(ready, b"x")
os.waitpid(engine, 0)
"""


def steal(how: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", STEAL, TOKEN, how],
        env={**os.environ, "BLUESTONE_TOKEN": TOKEN},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.splitlines()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has /proc and prctl")
def test_an_engine_cannot_read_the_daemons_token() -> None:
    refused = "Permission denied"
    assert steal("open")[0] == "environ True", "what it tries works on other processes"
    assert steal("hidden") == [f"environ {refused}", f"mem {refused}", f"maps {refused}"]


def test_child_processes_do_not_inherit_tokens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GRANITE_TOKEN", TOKEN)
    monkeypatch.setattr(run, "hide_memory", lambda: hidden.append(True))
    hidden: list[bool] = []
    seen: list[tuple[str | None, str]] = []

    async def run_until_signalled(
        _settings: object, _file: Path, environ: dict[str, str], _manager: object, _box: object
    ) -> int:
        seen.append((os.environ.get("GRANITE_TOKEN"), environ["GRANITE_TOKEN"]))
        return 0

    monkeypatch.setattr(run, "run_until_signalled", run_until_signalled)
    file = tmp_path / "bot.toml"
    table = 'url = "http://127.0.0.1:1"\ntoken_env = "GRANITE_TOKEN"\n'
    file.write_text(f"[[platforms]]\n{table}")
    assert run.run_program(file) == 0
    assert hidden == [True]
    assert seen == [(None, TOKEN)]
