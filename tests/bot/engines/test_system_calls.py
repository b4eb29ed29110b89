"""The list of system calls in the box: real processes, with and without namespaces."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bot.runtime import system_calls
from tests.bot.engines.hostile import DID, number_of, outcome
from tests.skipping import skip

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="only Linux has these protections"),
    pytest.mark.usefixtures("system"),
]

EVERY_CALL = """
found = {}
for name, number in CALLS.items():
    try:
        system_call(number, 0, 0, 0, 0, 0, 0)
        found[name] = "0"
    except OSError as error:
        found[name] = errno.errorcode[error.errno]
return found
"""
ANSWERS = (
    (system_calls.REFUSED, "EPERM"),
    (system_calls.ABSENT, "ENOSYS"),
    (system_calls.UNSUPPORTED, "ENOTSUP"),
    (system_calls.IGNORED, "0"),
)


async def test_every_listed_system_call_answers_as_its_list_says(tmp_path: Path) -> None:
    _, column = system_calls.ARCHITECTURES[os.uname().machine]
    expected = {
        name: answer
        for table, answer in ANSWERS
        for name, numbers in table.items()
        if numbers[column] != system_calls.NONE
    }
    calls = {
        name: numbers[column]
        for table, _ in ANSWERS
        for name, numbers in table.items()
        if name in expected
    }
    calls |= {"of the next kernel": system_calls.NEWEST + 1, "of another interface": 1 << 30}
    expected |= {"of the next kernel": "ENOSYS", "of another interface": "EPERM"}
    said = await outcome(tmp_path, EVERY_CALL, CALLS=calls)
    assert eval(said.removeprefix(DID)) == expected


def test_the_numbers_of_system_calls_are_those_of_the_kernel(tmp_path: Path) -> None:
    if shutil.which("cc") is None:
        skip("there is no C compiler")
    _, column = system_calls.ARCHITECTURES[os.uname().machine]
    tables = [*(table for table, _ in ANSWERS), system_calls.CONDITIONAL]
    numbers = {name: each[column] for table in tables for name, each in table.items()}
    source = tmp_path / "numbers.c"
    lines = [f"#ifdef SYS_{name}\n{name} SYS_{name}\n#endif" for name in numbers]
    source.write_text("#include <sys/syscall.h>\n" + "\n".join(lines))
    command = ["cc", "-E", "-P", str(source)]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    known = {
        name: int(number)
        for name, number in map(str.split, text.strip().splitlines()[-len(numbers) :])
    }
    assert len(known) > 80
    assert {name: numbers[name] for name in known} == known


NOBODY = 1_899_999_999
"""A user without processes, in case that a call is not refused."""
KERNEL = {
    "a user namespace by clone": ("system_call(CLONE, 0x10000000 | 17, 0, 0, 0, 0)", "EPERM"),
    "a network namespace by clone": ("system_call(CLONE, 0x40000000 | 17, 0, 0, 0, 0)", "EPERM"),
    "the priority of all that a user runs": (
        f"os.setpriority(os.PRIO_USER, {NOBODY}, 19)",
        "EPERM",
    ),
    "the disk of all that a user runs": (f"system_call(IOPRIO_SET, 3, {NOBODY}, 3 << 13)", "EPERM"),
    "shared memory without a name": ("mmap.mmap(-1, 4096)", "EPERM"),
    "a file of memory": ("os.memfd_create('x')", "ENOSYS"),
    "the device of shared memory": ("open('/dev/zero', 'r+b')", "EACCES"),
    "a file in a socket": (
        "a, b = socket.socketpair()\nsocket.send_fds(a, [b'x'], [0])",
        "EPERM",
    ),
}


@pytest.mark.parametrize("attack", KERNEL)
async def test_an_engine_does_not_reach_this_part_of_the_kernel(
    attack: str, tmp_path: Path
) -> None:
    body, error = KERNEL[attack]
    said = await outcome(
        tmp_path, body, CLONE=number_of("clone"), IOPRIO_SET=number_of("ioprio_set")
    )
    assert said == f"info string failed {error}"


async def test_a_socket_keeps_the_size_of_its_buffers(tmp_path: Path) -> None:
    body = (
        "a, b = socket.socketpair()\n"
        "before = a.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF)\n"
        "a.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 2 * before)\n"
        "return a.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF) == before"
    )
    assert await outcome(tmp_path, body) == f"{DID} true"
