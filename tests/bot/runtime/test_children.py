import asyncio
import os
import signal
import sys
from pathlib import Path

import pytest

from bot.errors import HostError
from bot.runtime.children import PIPE, ChildProcess
from tests.fakes.waiting import eventually

STUBBORN = """
import signal, subprocess, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
sleep = [sys.executable, "-c", "import time; time.sleep(60)"]
print(subprocess.Popen(sleep, stdout=subprocess.DEVNULL).pid, flush=True)
time.sleep(60)
"""
PARENT = """
import subprocess, sys
sleep = [sys.executable, "-c", "import time; time.sleep(60)"]
print(subprocess.Popen(sleep, stdout=subprocess.DEVNULL).pid, flush=True)
"""


def is_gone(pid: int) -> bool:
    """Whether a process has ended; one that nobody has waited for yet counts as ended."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return True
    return state == "Z"


def program(text: str) -> list[str]:
    return [sys.executable, "-c", text]


async def test_a_program_that_ignores_the_request_is_killed_with_its_group() -> None:
    child = await ChildProcess.start(program(STUBBORN), stdout=PIPE)
    grandchild = int(await child.output.readline())
    assert child.status is None
    assert await child.end(0.1) == -signal.SIGKILL
    await eventually(lambda: is_gone(grandchild))


async def test_processes_that_a_program_leaves_behind_are_killed() -> None:
    child = await ChildProcess.start(program(PARENT), stdout=PIPE)
    left_behind = int(await child.output.readline())
    assert await child.wait() == 0
    assert not is_gone(left_behind)
    assert await child.end(5) == 0
    await eventually(lambda: is_gone(left_behind))


async def test_a_program_that_obeys_ends_with_its_own_status() -> None:
    text = "import signal, sys, time\nsignal.signal(signal.SIGINT, lambda *_: sys.exit(3))\n"
    child = await ChildProcess.start(
        program(text + "print(flush=True)\ntime.sleep(60)"), stdout=PIPE
    )
    await child.output.readline()
    assert await child.end(20, signal.SIGINT) == 3
    assert await child.end(20) == 3


async def test_kill_spares_the_programs_children() -> None:
    child = await ChildProcess.start(program(STUBBORN), stdout=PIPE)
    grandchild = int(await child.output.readline())
    try:
        child.kill()
        assert await child.wait() == -signal.SIGKILL
        await asyncio.sleep(0.1)
        assert not is_gone(grandchild)
    finally:
        os.kill(grandchild, signal.SIGKILL)


async def test_both_outputs_are_appended_to_the_log(tmp_path: Path) -> None:
    log = tmp_path / "log"
    text = "import os, sys; print(os.environ['WORD']); print('error', file=sys.stderr)"
    for word in ("one", "two"):
        child = await ChildProcess.start_logged(program(text), log, {"WORD": word})
        assert await child.wait() == 0
    assert sorted(log.read_text().split()) == ["error", "error", "one", "two"]


async def test_a_program_that_cannot_be_started_is_named(tmp_path: Path) -> None:
    missing = str(tmp_path / "missing")
    with pytest.raises(HostError, match="missing: cannot be started: No such file or directory"):
        await ChildProcess.start([missing])


async def test_a_program_that_ends_with_its_input_is_given_the_time_for_it() -> None:
    text = "import sys; sys.stdin.read(); sys.exit(3)"
    child = await ChildProcess.start(program(text), stdin=PIPE)
    child.input.close()
    assert await child.wait_or_kill(20) == 3


async def test_a_program_that_does_not_end_with_its_input_is_killed() -> None:
    child = await ChildProcess.start(program(STUBBORN), stdin=PIPE)
    child.input.close()
    assert await child.wait_or_kill(0.1) == -signal.SIGKILL
