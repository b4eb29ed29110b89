"""What a hostile engine tries against the bot, its guardian and the bot's files: real processes.

Every attack is tried with namespaces, and without, as on a system that forbids them.
"""

import asyncio
import ctypes
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.engines import sandbox
from bot.engines.process import EngineProcess
from bot.engines.spec import EngineSpec
from bot.runtime import isolation
from bot.time_source import SystemTime
from tests.bot.engines.fakes import Lifeline, channel_of
from tests.bot.engines.hostile import DID, ENGINE, number_of, outcome, result_of, started
from tests.skipping import skip

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="only Linux has these protections"),
    pytest.mark.usefixtures("system"),
]
IOPRIO_GET, IOPRIO_SET = {"x86_64": (252, 251)}.get(os.uname().machine, (31, 30))


# ---- other processes ---------------------------------------------------------------------------

ON_PROCESSES = {
    "the limit of its CPU time": (
        "attempt(resource.prlimit, target, resource.RLIMIT_CPU, (1, 1))\n"
        "attempt(resource.prlimit, target, resource.RLIMIT_CPU, (0, 0))"
    ),
    "the limit of its files": "attempt(resource.prlimit, target, resource.RLIMIT_NOFILE, (3, 3))",
    "its scheduling": (
        "attempt(os.sched_setscheduler, target, os.SCHED_IDLE, os.sched_param(0))\n"
        "attempt(os.sched_setscheduler, target, os.SCHED_BATCH, os.sched_param(0))\n"
        "attributes = ctypes.create_string_buffer(bytes([48, 0, 0, 0, 5]), 48)\n"
        "attempt(system_call, SCHED_SETATTR, target, ctypes.addressof(attributes), 0)"
    ),
    "its priority": (
        "attempt(os.setpriority, os.PRIO_PROCESS, target, 19)\n"
        "attempt(os.setpriority, os.PRIO_PGRP, target, 19)"
    ),
    "its processors": "attempt(os.sched_setaffinity, target, {0})",
    "its priority of the disk": (
        "for kind in (1, 2):\n    attempt(system_call, IOPRIO_SET, kind, target, 3 << 13)"
    ),
    "its life": "attempt(os.kill, target, 15)\nattempt(os.killpg, target, 15)",
    "its memory": (
        "attempt(system_call, PTRACE, 16, target, 0, 0)\n"
        "attempt(open, f'/proc/{target}/mem', 'r+b')"
    ),
}


def state_of(pid: int) -> list[object]:
    """What others can change of a process."""
    limits = [getattr(resource, name) for name in dir(resource) if name.startswith("RLIMIT_")]
    status = dict(
        line.partition(":")[::2] for line in Path(f"/proc/{pid}/status").read_text().splitlines()
    )
    return [
        *(resource.prlimit(pid, each) for each in limits),
        os.sched_getscheduler(pid),
        os.getpriority(os.PRIO_PROCESS, pid),
        sorted(os.sched_getaffinity(pid)),
        ctypes.CDLL(None).syscall(IOPRIO_GET, 1, pid),
        status["TracerPid"],
        status["State"].split()[0] in "RSD",
    ]


@pytest.fixture
def victim() -> Iterator[int]:
    """A process of the same user, as the bot is one."""
    process = subprocess.Popen(["sleep", "600"], start_new_session=True)
    try:
        yield process.pid
    finally:
        process.kill()
        process.wait()


@pytest.mark.parametrize("attack", ON_PROCESSES)
async def test_an_engine_changes_nothing_of_another_process(
    attack: str, tmp_path: Path, victim: int
) -> None:
    lines = ON_PROCESSES[attack].splitlines()
    process = await started(
        tmp_path,
        "for target in targets:\n" + "\n".join(f"    {line}" for line in lines),
        IOPRIO_SET=IOPRIO_SET,
        SCHED_SETATTR=number_of("sched_setattr"),
        PTRACE=number_of("ptrace"),
    )
    targets = [victim, channel_of(process)._transport.get_pid()]
    before = [state_of(pid) for pid in targets]
    said = await result_of(process, *targets)
    assert [state_of(pid) for pid in targets] == before
    assert said == f"{DID} null"
    await process.kill()


LEFT_BEHIND = """
for target in targets:
    attempt(resource.prlimit, target, resource.RLIMIT_CPU, (0, 0))
    attempt(os.kill, target, 9)
alive = os.open(LIFELINE, os.O_WRONLY)
reading, writing = os.pipe()
if os.fork() == 0:
    os.setsid()
    if os.fork():
        os._exit(0)
    libc.prctl(1, 0, 0, 0, 0)
    os.write(alive, b"started\\n")
    os.write(writing, b"x")
    time.sleep(600)
os.read(reading, 1)
return "left"
"""
BOT = """
import asyncio, sys
from pathlib import Path
from tests.bot.engines.fakes import channel_of
from tests.bot.engines.hostile import result_of, started
from tests.bot.engines.test_attacks import LEFT_BEHIND

async def main():
    folder, lifeline = Path(sys.argv[1]), Path(sys.argv[2])
    process = await started(folder, LEFT_BEHIND, {"write": [lifeline]}, LIFELINE=str(lifeline))
    guardian = channel_of(process)._transport.get_pid()
    print(guardian, await result_of(process, guardian), flush=True)
    await asyncio.Event().wait()

if sys.argv[3] == "plain":
    from bot.runtime import guardian
    from tests.fakes import without_namespaces
    guardian.COMMAND = without_namespaces.COMMAND
asyncio.run(main())
"""


@pytest.mark.parametrize("killed", ["the bot", "the guardian and the bot"])
async def test_nothing_that_an_engine_left_behind_outlives_the_bot(
    killed: str, system: str, tmp_path: Path
) -> None:
    if system == "plain" and killed != "the bot":
        return  # only a namespace ends with a guardian that somebody else killed
    lifeline = Lifeline(tmp_path)
    gone = asyncio.create_task(lifeline.everyone_is_gone())
    command = [sys.executable, "-c", BOT, str(tmp_path), str(lifeline.path), system]
    bot = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    assert bot.stdout is not None
    pid, _, said = (await bot.stdout.readline()).decode().partition(" ")
    assert said.strip() == f'{DID} "left"'
    if killed != "the bot":
        os.kill(int(pid), 9)
    bot.kill()
    await bot.wait()
    assert await asyncio.wait_for(gone, 30)


# ---- files of the bot --------------------------------------------------------------------------

ON_FILES = {
    "times": "attempt(os.utime, FILE, (1, 1))",
    "mode": "attempt(os.chmod, FILE, 0)",
    "owner": "attempt(os.chown, FILE, 12345, 12345)",
    "attributes": "attempt(os.setxattr, FILE, 'user.hostile', b'x')",
    "length": "attempt(os.truncate, FILE, 0)",
    "content": "attempt(open, FILE, 'w')",
    "links": "attempt(os.link, FILE, HOME + '/mine')\nattempt(os.rename, FILE, HOME + '/mine')",
}


@pytest.mark.parametrize("attack", ON_FILES)
async def test_an_engine_changes_nothing_of_a_file_of_the_bot(attack: str, tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("secret")

    def state() -> list[object]:
        found = file.stat()
        return [*found[:7], found.st_mtime_ns, os.listxattr(file), file.read_text()]

    before = state()
    assert await outcome(tmp_path, ON_FILES[attack], FILE=str(file)) == f"{DID} null"
    assert state() == before


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give an engine another user")
async def test_an_engine_of_root_has_a_user_of_its_own_if_its_files_are_open_to_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sandbox, "_cache_rules", lambda _: ())  # ours may be in a home folder
    python = shutil.which("python3", path="/usr/bin")
    if python is None:
        skip("no Python in /usr/bin")
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        program = home / "engine.py"
        body = "    open(HOME + '/mine', 'w').close()\n    return os.getuid(), os.getgroups()"
        program.write_text(ENGINE.format(body=body, constants=""))
        spec = EngineSpec(name="hostile", command=[python, "-S", str(program)])
        for mode, has_own in ((0o755, True), (0o700, False)):
            os.chmod(home, mode)  # noqa: PTH101 - a method of Path would block
            process = await EngineProcess.start(spec, SystemTime())
            user, groups = json.loads((await result_of(process)).removeprefix(DID))
            await process.kill()
            assert (user >= isolation.FIRST_USER) is has_own
            assert groups == [] or not has_own
