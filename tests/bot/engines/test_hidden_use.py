"""Engines that use more than their limits where no process and no folder shows it."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.bot.engines.hostile import DID, outcome

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="only Linux has these protections"),
    pytest.mark.usefixtures("system"),
]

FAR_S = 30
"""Seconds that a hostile engine waits for its end, if nothing ends it."""
SHARED = {"write": ["/dev/shm"]}
REMOVED = (
    "def removed(number, size):\n"
    "    path = f'{HOME}/{number}'\n"
    "    file = os.open(path, os.O_RDWR | os.O_CREAT)\n"
    "    os.posix_fallocate(file, 0, size)\n"
    "    os.unlink(path)\n"
    "    return file\n"
)
MORE_THAN: Mapping[str, tuple[Mapping[str, Any], str, str]] = {
    "memory in files of memory": (
        {"memory_mb": 100, **SHARED},
        "file = os.memfd_create('x')\nos.posix_fallocate(file, 0, 200 << 20)",
        "used more than 100 MB of memory",
    ),
    "memory in removed files of shared memory": (
        {"memory_mb": 100, **SHARED},
        (
            "path = f'/dev/shm/bluestone-test-{time.time_ns()}'\n"
            "file = os.open(path, os.O_RDWR | os.O_CREAT)\n"
            "os.unlink(path)\n"
            "os.posix_fallocate(file, 0, 200 << 20)"
        ),
        "used more than 100 MB of memory",
    ),
    "memory in the buffers of sockets": (
        {"memory_mb": 100},
        "kept = [socket.socketpair() for _ in range(200)]",
        "used more than 100 MB of memory",
    ),
    "disk in removed files": (
        {"disk_mb": 50},
        REMOVED + "kept = [removed(number, 30 << 20) for number in range(3)]",
        "wrote more than 50 MB to its scratch folder",
    ),
    "disk in removed files that are only mapped": (
        {"disk_mb": 10},
        REMOVED + "for number in range(5):\n"
        "    file = removed(number, 5 << 20)\n"
        "    libc.mmap(None, ctypes.c_long(4096), 1, 1, file, ctypes.c_long(0))\n"
        "    os.close(file)",
        "wrote more than 10 MB to its scratch folder",
    ),
    "disk in a folder that it closed": (
        {"disk_mb": 20},
        (
            "os.mkdir(HOME + '/closed', 0o300)\n"
            "for number in range(4):\n"
            "    file = os.open(f'{HOME}/closed/{number}', os.O_RDWR | os.O_CREAT)\n"
            "    os.posix_fallocate(file, 0, 10 << 20)\n"
            "    os.close(file)"
        ),
        "wrote more than 20 MB to its scratch folder",
    ),
}


@pytest.mark.parametrize("what", MORE_THAN)
async def test_an_engine_is_killed_for_more_than_its_limit_of(what: str, tmp_path: Path) -> None:
    box, body, said = MORE_THAN[what]
    body += f"\ntime.sleep({FAR_S})"
    assert await outcome(tmp_path, body, box) == f"{said}, and was killed"


async def test_an_engine_cannot_leave_its_processors(tmp_path: Path) -> None:
    body = (
        "attempt(os.sched_setaffinity, 0, range(os.cpu_count()))\n"
        "return len(os.sched_getaffinity(0))"
    )
    assert await outcome(tmp_path, body, {"cpus": 1}) == f"{DID} 1"


async def test_an_engine_cannot_hide_its_open_files(tmp_path: Path) -> None:
    body = "libc.prctl(4, 0, 0, 0, 0)\nreturn libc.prctl(3, 0, 0, 0, 0)"
    assert await outcome(tmp_path, body) == f"{DID} 1"
