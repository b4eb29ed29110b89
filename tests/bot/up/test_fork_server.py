"""Processes forked from one that has imported what they need, with real processes."""

import asyncio
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has the fork server")

PATIENCE_S = 60.0


def ran(body: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run a program that has `forks`, a fork server, in a process with no other thread."""
    program = (
        "import asyncio, os, signal, sys\n"
        "from pathlib import Path\n"
        "from bot.errors import HostError\n"
        "from bot.cli import main as bluestone\n"
        "from bot.up.fork_server import fork_server\n"
        "async def main(forks):\n"
        f"{textwrap.indent(textwrap.dedent(body), '    ')}\n"
        "with fork_server(['bot.cli.app'], bluestone) as forks:\n"
        "    asyncio.run(main(forks))\n"
    )
    return subprocess.run(
        [sys.executable, "-c", program, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=True,
    )


def test_a_command_has_its_own_output_errors_and_status() -> None:
    found = ran(
        """
        one, two = await asyncio.gather(forks.start(["--version"]), forks.start(["no-command"]))
        print((await one.output.read()).decode().strip(), await one.wait())
        print(b"no-command" in await two.errors.read(), await two.wait(), one.pid != two.pid)
        """
    )
    version, *others = found.stdout.splitlines()
    assert version.endswith(" 0")
    assert others == ["True 2 True"]


def test_the_environment_of_a_command_is_its_own() -> None:
    found = ran(
        """
        process = await forks.start(["arena"], {"BLUESTONE_ARENA_PORT": "high"})
        print(b"BLUESTONE_ARENA_PORT" in await process.errors.read(), await process.wait())
        print("BLUESTONE_ARENA_PORT" in os.environ)
        """
    )
    assert found.stdout.splitlines() == ["True 78", "False"]


def test_a_process_is_shown_by_its_command_and_ends_at_a_signal(tmp_path: Path) -> None:
    found = ran(
        """
        process = await forks.start(["arena", "--port", "0", "--data", sys.argv[1]])
        await process.output.readline()
        shown = Path(f"/proc/{process.pid}/cmdline").read_bytes().split(b"\\0")
        print(b" ".join(shown[:4]).decode(), os.getpgid(process.pid) == process.pid)
        print(await process.end(30))
        process = await forks.start(["arena", "--port", "0", "--data", sys.argv[1]])
        process.kill_group()
        print(await process.wait())
        """,
        tmp_path,
    )
    assert found.stdout.splitlines() == ["bluestone arena --port 0 True", "0", "-9"]


def test_without_its_server_a_process_ends_and_none_can_be_started(tmp_path: Path) -> None:
    found = ran(
        """
        process = await forks.start(["arena", "--port", "0", "--data", sys.argv[1]])
        await process.output.readline()
        server = int(Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[1])
        os.kill(server, signal.SIGKILL)
        print(await process.wait())
        try:
            await forks.start(["--version"])
        except HostError as error:
            print(error)
        """,
        tmp_path,
    )
    status, said = found.stdout.splitlines()
    assert int(status) == -signal.SIGTERM
    assert said.startswith("no process can be forked: ")


def test_a_system_without_room_for_a_process_costs_no_other_one(tmp_path: Path) -> None:
    found = ran(
        """
        import multiprocessing, resource
        arena = await forks.start(["arena", "--port", "0", "--data", sys.argv[1]])
        await arena.output.readline()
        server = multiprocessing.active_children()[0].pid
        kind = resource.RLIMIT_NOFILE
        usual = resource.prlimit(server, kind)
        for room in (2, 4, 6):  # a request has three files, and a process needs four more
            used = {int(each.name) for each in Path(f"/proc/{server}/fd").iterdir()}
            free = [number for number in range(len(used) + room) if number not in used]
            while len(free) < room:
                free.append(max(*used, *free) + 1)
            resource.prlimit(server, kind, (free[room - 1] + 1, usual[1]))
            try:
                await forks.start(["--version"])
            except HostError as error:
                print(error)
        resource.prlimit(server, kind, usual)
        process = await forks.start(["--version"])
        print(await process.wait(), arena.status)
        print(await arena.end(30))
        """,
        tmp_path,
    )
    *refusals, others, arena = found.stdout.splitlines()
    # The server may be closing files of the request before.
    assert {*refusals} == {"no process can be forked: Too many open files"}
    assert (others, arena) == ("0 None", "0")


async def test_processes_end_with_the_program_that_asked_for_them(tmp_path: Path) -> None:
    program = (
        "import asyncio, sys\n"
        "from bot.cli import main as bluestone\n"
        "from bot.up.fork_server import fork_server\n"
        "async def main(forks):\n"
        "    process = await forks.start(['arena', '--port', '0', '--data', sys.argv[1]])\n"
        "    await process.output.readline()\n"
        "    print(process.pid, flush=True)\n"
        "    await process.wait()\n"
        "with fork_server(['bot.cli.app'], bluestone) as forks:\n"
        "    asyncio.run(main(forks))\n"
    )
    parent = await asyncio.create_subprocess_exec(
        sys.executable, "-c", program, str(tmp_path), stdout=asyncio.subprocess.PIPE
    )
    assert parent.stdout is not None
    pid = int(await asyncio.wait_for(parent.stdout.readline(), PATIENCE_S))
    ending = asyncio.Event()
    watched = os.pidfd_open(pid)
    asyncio.get_running_loop().add_reader(watched, ending.set)
    parent.kill()
    try:
        await asyncio.wait_for(ending.wait(), PATIENCE_S)
    finally:
        asyncio.get_running_loop().remove_reader(watched)
        os.close(watched)
        await parent.wait()
