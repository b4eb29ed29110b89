"""Engines end with the bot, however it ended: real processes, and engines that do not want to."""

import asyncio
import signal
import sys
from pathlib import Path

import pytest

from bot.engines.process import EngineProcess
from bot.engines.spec import EngineSpec, SandboxSettings
from bot.errors import EngineDied
from bot.time_source import SystemTime
from tests.bot.engines.fakes import AMPLE, Lifeline, after, channel_of

STUBBORN = """
import os, signal, subprocess, sys, threading

for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, signal.SIG_IGN)
alive = open(sys.argv[1], "w")  # whoever lives holds it open
FOR_EVER = "import threading; threading.Event().wait()"


def child(program=FOR_EVER, **how):
    return subprocess.Popen([sys.executable, "-c", program], pass_fds=[alive.fileno()], **how)


if "childless" not in sys.argv:
    child()
if "children-in-sessions-of-their-own" in sys.argv:
    again = f"[sys.executable, '-c', {FOR_EVER!r}], close_fds=False"
    leave = f"import subprocess, sys; subprocess.Popen({again})"
    child(start_new_session=True)
    child(leave, start_new_session=True).wait()  # an orphan
print("started", file=alive, flush=True)
for line in sys.stdin:
    if line.strip() in ("ugi", "isready"):
        print({"ugi": "ugiok"}.get(line.strip(), "readyok"), flush=True)
    if line.startswith("go") and sys.argv[-1].isdigit():
        os.kill(os.getpid(), int(sys.argv[-1]))
threading.Event().wait()
"""
"""It ignores signals and the end of its input, and has children that do not care either."""

BOT = """
import asyncio, sys
from pathlib import Path
from bot.engines.process import EngineProcess
from bot.engines.spec import EngineSpec
from bot.time_source import SystemTime

async def main():
    box = {"write": [Path(sys.argv[3])]}
    spec = EngineSpec(name="stubborn", command=sys.argv[1:], sandbox=box)
    await EngineProcess.start(spec, SystemTime())
    print("ready", flush=True)
    await asyncio.Event().wait()

asyncio.run(main())
"""

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="others have no subreaper")


def stubborn(lifeline: Lifeline, *more: str) -> list[str]:
    """Its command."""
    program = lifeline.path.with_name("stubborn.py")
    program.write_text(STUBBORN)
    return [sys.executable, str(program), str(lifeline.path), *more]


def stubborn_spec(lifeline: Lifeline, *more: str) -> EngineSpec:
    box = SandboxSettings(write=(lifeline.path,))
    return EngineSpec(name="x", command=stubborn(lifeline, *more), sandbox=box)


@pytest.mark.parametrize(
    "children", ["in-its-group", pytest.param("children-in-sessions-of-their-own", marks=on_linux)]
)
async def test_an_engine_does_not_outlive_a_bot_that_was_killed(
    children: str, tmp_path: Path
) -> None:
    lifeline = Lifeline(tmp_path)
    gone = asyncio.create_task(lifeline.everyone_is_gone())
    command = [sys.executable, "-c", BOT, *stubborn(lifeline, children)]
    bot = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    assert bot.stdout is not None
    assert await bot.stdout.readline() == b"ready\n"
    bot.kill()
    await bot.wait()
    assert await gone


@on_linux
async def test_killing_an_engine_ends_processes_that_left_its_group(tmp_path: Path) -> None:
    lifeline = Lifeline(tmp_path)
    gone = asyncio.create_task(lifeline.everyone_is_gone())
    spec = stubborn_spec(lifeline, "children-in-sessions-of-their-own")
    process = await EngineProcess.start(spec, SystemTime())
    await process.kill()
    assert await gone


@pytest.mark.parametrize(
    "number", [signal.SIGTERM, pytest.param(signal.SIGKILL, marks=on_linux)], ids=str
)
async def test_an_engine_does_not_outlive_its_guardian(
    number: signal.Signals, tmp_path: Path
) -> None:
    lifeline = Lifeline(tmp_path)
    gone = asyncio.create_task(lifeline.everyone_is_gone())
    spec = stubborn_spec(lifeline, "childless")
    process = await EngineProcess.start(spec, SystemTime())
    channel_of(process)._transport.send_signal(number)
    assert await gone
    await process.kill()


@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGKILL], ids=str)
async def test_how_an_engine_ended_is_known_exactly(number: signal.Signals, tmp_path: Path) -> None:
    lifeline = Lifeline(tmp_path)
    gone = asyncio.create_task(lifeline.everyone_is_gone())
    spec = stubborn_spec(lifeline, str(int(number)))
    process = await EngineProcess.start(spec, SystemTime())
    with pytest.raises(EngineDied, match=rf"signal {int(number)} \(SIG\w+\)$") as died:
        await process.think(after(), AMPLE)
    assert died.value.status == -number
    assert await gone, "its child goes, too"
    await process.kill()
