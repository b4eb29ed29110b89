"""Engines that would do harm, as real processes in their box."""

import asyncio
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from bot.engines import sandbox
from bot.engines.process import EngineProcess
from bot.engines.protections import Held, what_holds
from bot.engines.sandbox import Box, box_of, memory_mb, protect
from bot.engines.spec import EngineSpec, SandboxSettings
from bot.errors import EngineFailure
from bot.runtime import confinement, guardian, system_calls
from bot.time_source import SystemTime
from engine import warming
from tests.bot.engines.fakes import Lifeline, channel_of
from tests.fakes import without_namespaces
from tests.fakes.full_disk import longest_file
from tests.fakes.waiting import eventually
from tests.skipping import skip

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has these protections")

ENGINE = """
import os, sys

def do():
{body}

for line in sys.stdin:
    word = line.split()[0]
    if word == "ugi":
        print("ugiok", flush=True)
    if word == "isready":
        print("readyok", flush=True)
    if word == "uginewgame":
        try:
            print("info string did", do(), flush=True)
        except OSError as error:
            print("info string failed", type(error).__name__, flush=True)
"""
OUTSIDE = {"enabled": False}
REFUSED = "info string failed PermissionError"
BOUNDED = 400
"""The harmful engines stop by themselves at some size, in case nothing else stops them."""


async def started(folder: Path, body: str, box: Mapping[str, Any] | None = None) -> EngineProcess:
    """An engine in a folder of its own that does this at `uginewgame`."""
    home = folder / "engine"
    home.mkdir(exist_ok=True)
    program = home / "engine.py"
    program.write_text(ENGINE.format(body="\n".join(f"    {x}" for x in body.splitlines())))
    command = [sys.executable, "-S", str(program)]
    spec = EngineSpec(name="harmful", command=command, sandbox=dict(box or {}))
    return await EngineProcess.start(spec, SystemTime())


async def outcome(folder: Path, body: str, box: Mapping[str, Any] | None = None) -> str:
    """What came of it: what the engine reports, or how it failed."""
    process = await started(folder, body, box)
    said = asyncio.get_running_loop().create_future()

    def note(text: str) -> None:
        if not said.done():
            said.set_result(text)

    try:
        channel = channel_of(process)
        channel.listen(note, lambda failure: note(failure.message))
        channel.send("uginewgame")
        return str(await asyncio.wait_for(said, 60))
    finally:
        await process.kill()


def needs_landlock(version: int = 1) -> None:
    if confinement.landlock_version() < version:
        skip(f"this kernel has no Landlock of version {version}")


def needs_filter() -> None:
    if not system_calls.is_supported():
        skip("the filter of system calls is not for this processor")


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    """A file outside of the engine's folder that says `secret`."""
    path = tmp_path / "elsewhere"
    path.write_text("secret")
    return path


def reading(path: Path) -> str:
    """A body that reports the content of a file."""
    return f"return open({str(path)!r}).read()"


def test_an_engine_reads_the_library_of_kernels_and_needs_no_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(warming, "compiles_here", lambda: False)
    monkeypatch.setattr(warming, "library_folder", lambda: tmp_path)
    monkeypatch.setattr(warming, "used_cache_folder", lambda: pytest.fail("it made a cache"))
    monkeypatch.delenv("BLUESTONE_CACHE_DIR", raising=False)
    monkeypatch.setenv("BLUESTONE_KERNELS", str(tmp_path))
    box = box_of(EngineSpec(name="own", builtin="search"))
    assert f"--read={tmp_path.resolve()}" in box.words
    assert box.environment["BLUESTONE_KERNELS"] == str(tmp_path)
    assert "BLUESTONE_CACHE_DIR" not in box.environment


# ---- what it cannot reach ----------------------------------------------------------------------


async def test_an_engine_cannot_read_a_token_elsewhere(tmp_path: Path, secret: Path) -> None:
    needs_landlock()
    assert await outcome(tmp_path, reading(secret)) == REFUSED
    freed = await outcome(tmp_path, reading(secret), {"read": [str(secret)]})
    assert freed == "info string did secret"


async def test_what_the_bot_protects_is_hidden_even_next_to_the_engine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    needs_landlock()
    monkeypatch.setattr(sandbox, "_protected", set())
    home = tmp_path / "engine"
    (home / "var" / "data").mkdir(parents=True)
    protect(home / "var" / "data")
    for name in ("var/data/journal", "var/free", "weights", "a.token"):
        (home / name).write_text("content")
    found = [
        await outcome(tmp_path, reading(home / name))
        for name in ("var/data/journal", "a.token", "var/free", "weights")
    ]
    read = "info string did content"
    assert found == [REFUSED, REFUSED, read, read]


@pytest.mark.parametrize("change", ["open({!r}, 'a').write('x')", "os.remove({!r})"])
async def test_an_engine_cannot_change_its_own_program(tmp_path: Path, change: str) -> None:
    needs_landlock()
    program = tmp_path / "engine" / "engine.py"
    assert await outcome(tmp_path, f"return {change.format(str(program))}") == REFUSED


async def test_an_engine_cannot_change_the_mode_of_the_bots_files(tmp_path: Path) -> None:
    needs_filter()

    def mode() -> int:
        return tmp_path.stat().st_mode

    before = mode()
    said = await outcome(tmp_path, f"return os.chmod({str(tmp_path)!r}, 0)")
    assert said == "info string did None", "programs that copy permissions must work"
    assert mode() == before


@pytest.mark.parametrize("kind", ["SOCK_STREAM", "SOCK_DGRAM"])
@pytest.mark.parametrize("family", ["AF_INET", "AF_INET6", "AF_UNIX"])
async def test_an_engine_has_no_network(tmp_path: Path, family: str, kind: str) -> None:
    needs_filter()
    body = f"import socket\nsocket.socket(socket.{family}, socket.{kind})"
    assert await outcome(tmp_path, body) == REFUSED
    assert await outcome(tmp_path, body, {"network": True}) == "info string did None"


async def test_an_engine_cannot_signal_the_bot(tmp_path: Path) -> None:
    needs_landlock(confinement.SIGNALS_SINCE)
    said = await outcome(tmp_path, f"return os.kill({os.getpid()}, 0)")
    assert said in (REFUSED, "info string failed ProcessLookupError")


async def test_an_engine_cannot_read_the_environment_of_the_bot(tmp_path: Path) -> None:
    needs_landlock()
    environ = Path(f"/proc/{os.getpid()}/environ")
    said = await outcome(tmp_path, reading(environ))
    assert said in (REFUSED, "info string failed FileNotFoundError")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has capabilities to lose")
def test_an_engine_of_root_has_no_capability_even_an_inheritable_one() -> None:
    program = (
        "import ctypes, os\n"
        "from bot.runtime.confinement import CAPABILITIES, drop_capabilities\n"
        "header, sets = (ctypes.c_uint32 * 2)(CAPABILITIES, 0), (ctypes.c_uint32 * 6)()\n"
        "libc = ctypes.CDLL(None)\n"
        "assert libc.capget(header, sets) == 0\n"
        "sets[2], sets[5] = sets[1], sets[4]\n"
        "assert libc.capset(header, sets) == 0\n"
        "drop_capabilities()\n"
        "os.execlp('grep', 'grep', 'CapEff', '/proc/self/status')"
    )
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True).stdout
    assert said.split() == [b"CapEff:", b"0000000000000000"]


async def test_its_home_is_a_scratch_folder_that_goes_with_it(tmp_path: Path) -> None:
    def exists(folder: Path) -> bool:
        return folder.exists()

    body = (
        "deep = os.environ['HOME']\n"
        "for _ in range(600):\n"
        "    os.mkdir('inner') if deep != os.environ['HOME'] else None\n"
        "    os.chdir(deep)\n"
        "    deep = 'inner'\n"
        "os.mkdir(os.environ['TMPDIR'] + '/locked', 0)\n"
        "os.symlink('/', os.environ['TMPDIR'] + '/link')\n"
        "return os.environ['HOME']"
    )
    said = await outcome(tmp_path, body)
    folder = Path(said.removeprefix("info string did "))
    assert folder.name.startswith(sandbox.SCRATCH)
    await eventually(lambda: not exists(folder))


def test_what_is_behind_a_link_in_the_temporary_folder_is_not_swept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(sandbox, "SWEPT_AFTER_S", -1)
    precious, gone = tmp_path / "precious", 1 << 30
    left, link = (tmp_path / f"{sandbox.SCRATCH}{gone}-{name}" for name in ("left", "link"))
    for folder in (precious, left):
        folder.mkdir()
        (folder / "file").touch()
    link.symlink_to(precious)
    (left / "link").symlink_to(precious)
    sandbox.sweep()
    assert not left.exists()
    assert (precious / "file").exists()


# ---- what it cannot consume --------------------------------------------------------------------


async def test_an_engine_that_eats_memory_is_killed(tmp_path: Path) -> None:
    body = (
        "import time\nkept = []\n"
        f"for _ in range({BOUNDED}):\n"
        "    kept.append(b'x' * (1 << 20))\n"
        "    time.sleep(0.01)\n"
        "time.sleep(5)"
    )
    said = await outcome(tmp_path, body, {"memory_mb": 100})
    assert said == "used more than 100 MB of memory, and was killed"


async def test_memory_counts_for_all_its_processes_together(tmp_path: Path) -> None:
    body = (
        "import time\n"
        "for _ in range(4):\n"
        "    if os.fork() == 0:\n"
        "        kept = os.urandom(1 << 20) * 60\n"
        "        time.sleep(20)\n"
        "        os._exit(0)\n"
        "time.sleep(20)"
    )
    said = await outcome(tmp_path, body, {"memory_mb": 150})
    assert said == "used more than 150 MB of memory, and was killed"


async def test_an_engine_that_forks_without_end_is_killed(tmp_path: Path) -> None:
    body = (
        "import time\n"
        f"for _ in range({BOUNDED}):\n"
        "    if os.fork() == 0:\n"
        "        os.setsid()\n"
        "        time.sleep(20)\n"
        "        os._exit(0)\n"
        "time.sleep(20)"
    )
    said = await outcome(tmp_path, body, {"tasks": 50})
    assert said == "had more than 50 processes and threads, and was killed"


async def test_an_engine_that_always_forks_and_ends_is_killed(tmp_path: Path) -> None:
    needs_landlock(confinement.SIGNALS_SINCE)
    lifeline = Lifeline(tmp_path)
    gone = asyncio.create_task(lifeline.everyone_is_gone())
    body = (
        f"alive = os.open({str(lifeline.path)!r}, os.O_WRONLY)\n"
        "os.write(alive, b'started\\n')\n"
        "if os.fork():\n"
        "    return 'left'\n"
        "os.setsid()\n"
        "import time\n"
        "end = time.monotonic() + 30\n"
        "while time.monotonic() < end:\n"
        "    if os.fork():\n"
        "        os._exit(0)\n"
        "os._exit(0)"
    )
    said = await outcome(tmp_path, body, {"write": [str(lifeline.path)]})
    assert said == "info string did left"
    assert await asyncio.wait_for(gone, 15)


async def test_an_engine_that_fills_the_disk_is_killed(tmp_path: Path) -> None:
    body = (
        "import time\n"
        f"for number in range({BOUNDED}):\n"
        "    with open(f\"{os.environ['HOME']}/{number}\", 'wb') as file:\n"
        "        file.write(bytes(1 << 20))\n"
        "    time.sleep(0.01)\n"
        "time.sleep(20)"
    )
    said = await outcome(tmp_path, body, {"disk_mb": 20})
    assert said == "wrote more than 20 MB to its scratch folder, and was killed"


async def test_a_single_file_has_the_same_limit(tmp_path: Path) -> None:
    body = (
        "file = os.open(os.environ['HOME'] + '/x', os.O_WRONLY | os.O_CREAT)\n"
        "while True:\n"
        "    os.write(file, bytes(1 << 20))"
    )
    assert await outcome(tmp_path, body, {"disk_mb": 5}) == "info string failed OSError"


async def test_an_engine_that_prints_without_end_is_given_up(tmp_path: Path) -> None:
    process = await started(tmp_path, "while True: print('x' * 500, file=sys.stderr)")
    channel_of(process).send("uginewgame")
    await eventually(lambda: not process.alive)
    with pytest.raises(EngineFailure, match="writes too much"):
        channel_of(process).send("isready")
    await process.kill()


# ---- what its operator reads -------------------------------------------------------------------


async def test_an_engine_that_is_refused_a_file_has_a_hint_in_its_failure(
    tmp_path: Path, secret: Path
) -> None:
    needs_landlock()
    dies = "os.write(2, b'Permission denied\\n')\n    os._exit(3)"
    body = f"try: open({str(secret)!r})\nexcept OSError:\n    {dies}"
    said = await outcome(tmp_path, body)
    assert said == (
        "its process ended with status 3; its last lines: Permission denied; it runs in a box: "
        "allow more by `read = [...]`, see docs/bot.md#engines-in-a-box"
    )
    outside = await outcome(tmp_path, f"if 1:\n    {dies}", OUTSIDE)
    assert outside.endswith("Permission denied")


@pytest.mark.parametrize(("box", "hints"), [({}, 1), (OUTSIDE, 0)])
async def test_an_engine_that_does_not_start_has_a_hint(box: Mapping[str, Any], hints: int) -> None:
    spec = EngineSpec(
        name="x", command=[sys.executable, "-c", "import no_such_module"], sandbox=box
    )
    with pytest.raises(EngineFailure) as caught:
        await EngineProcess.start(spec, SystemTime())
    assert "No module named 'no_such_module'" in caught.value.message
    assert caught.value.message.count("it runs in a box") == hints


# ---- settings ----------------------------------------------------------------------------------


GREETING = """#!/bin/sh
while read word rest; do
    case $word in ugi) echo ugiok;; isready) echo readyok;; quit) exit;; esac
done
"""


async def test_an_engine_is_found_by_its_name_alone(tmp_path: Path) -> None:
    await starts_by_name(program(tmp_path / "tools" / "mine", GREETING))


async def test_an_engine_behind_a_shim_starts(tmp_path: Path) -> None:
    real = program(tmp_path / "versions" / "real", GREETING)
    await starts_by_name(program(tmp_path / "shims" / "mine", f"#!/bin/sh\nexec {real}\n"))


def program(path: Path, text: str) -> Path:
    path.parent.mkdir()
    path.write_text(text)
    path.chmod(0o755)
    return path


async def starts_by_name(path: Path) -> None:
    places = f"{path.parent}{os.pathsep}{os.environ['PATH']}"
    spec = EngineSpec(command=[path.name], env={"PATH": places})
    process = await EngineProcess.start(spec, SystemTime())
    await process.close()


async def test_without_the_box_an_engine_may_do_what_the_bot_may(
    tmp_path: Path, secret: Path
) -> None:
    assert await outcome(tmp_path, reading(secret), OUTSIDE) == "info string did secret"


def words_for_engine_in(folder: Path) -> list[str]:
    """The box of an engine that is one file in that folder."""
    program = folder / "engine"
    program.touch()
    return box_of(EngineSpec(name="x", command=[str(program)])).words


def test_a_home_folder_is_not_an_engines_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    words = words_for_engine_in(tmp_path)
    assert f"--read={tmp_path / 'engine'}" in words
    assert f"--read={tmp_path}" not in words


def test_a_user_without_a_home_folder_can_start_engines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unknown(_: int) -> None:
        raise KeyError

    monkeypatch.delenv("HOME")
    monkeypatch.setattr("pwd.getpwuid", unknown)
    assert f"--read={tmp_path}" in words_for_engine_in(tmp_path)


def test_what_lies_in_a_readable_folder_is_not_listed_and_a_link_out_of_it_is(
    tmp_path: Path,
) -> None:
    modules, elsewhere = tmp_path / "modules", tmp_path / "elsewhere"
    for folder in (modules, elsewhere):
        folder.mkdir()
        (folder / "one.py").touch()
    (modules / "linked.py").symlink_to(elsewhere / "one.py")
    spec = EngineSpec(command=["/bin/sh"], env={"PYTHONPATH": str(modules)})
    whole = spec.model_copy(update={"sandbox": SandboxSettings(read=(modules,))})

    def rules(spec: EngineSpec) -> list[str]:
        return [word for word in box_of(spec).words if str(tmp_path) in word]

    entries = [f"--read={elsewhere / 'one.py'}", f"--read={modules / 'one.py'}"]
    assert rules(spec) == [f"--list={modules}", *entries]
    assert rules(whole) == [f"--read={modules}", entries[0]]


def test_limits_need_no_room_on_the_disk() -> None:
    box = box_of(EngineSpec())
    with longest_file(0), box.limits() as (limits,), open(limits, "rb", closefd=False) as file:
        assert file.read() == b"".join(word.encode() + b"\0" for word in box.words)


def test_limits_may_be_longer_than_a_pipe_is_at_first() -> None:
    words = [f"--read=/{'x' * 60}/{number}" for number in range(5000)]
    with Box(words, {}).limits() as (limits,), open(limits, "rb", closefd=False) as file:
        assert len(file.read().split(b"\0")) == len(words) + 1
    with pytest.raises(OSError, match="too many files to list"), Box(words * 10, {}).limits():
        pass


async def test_other_processes_do_not_see_what_an_engine_may_read(tmp_path: Path) -> None:
    process = await started(tmp_path, "pass", {"read": [str(tmp_path / "private")]})
    pid = channel_of(process)._transport.get_pid()
    words = await asyncio.to_thread(Path(f"/proc/{pid}/cmdline").read_text)
    await process.kill()
    assert "guardian.py" in words
    assert "private" not in words


async def test_an_engine_inherits_no_file_of_the_guardian(tmp_path: Path) -> None:
    said = await outcome(tmp_path, "return sorted(map(int, os.listdir('/proc/self/fd')))")
    assert said == "info string did [0, 1, 2, 3]", "3 is the folder that it lists"


def test_only_built_in_engines_write_to_the_cache_of_compiled_code() -> None:
    def cache_of(spec: EngineSpec) -> list[str]:
        return [word for word in box_of(spec).words if word.startswith("--write")][1:]

    assert cache_of(EngineSpec())
    assert not cache_of(EngineSpec(name="x", command=[sys.executable]))


def test_the_limit_of_memory_leaves_room_for_the_hash() -> None:
    less, more = (memory_mb(EngineSpec(options={"Hash": text})) for text in ("16", "116"))
    assert more - less == 100
    assert EngineSpec(sandbox={"memory_mb": 64}).sandbox.memory_mb == 64


def test_what_holds_here_is_found_by_trying_it() -> None:
    needs_landlock(confinement.SIGNALS_SINCE)
    needs_filter()
    assert Held.of(what_holds()).missing == []


def test_a_system_that_forbids_namespaces_lacks_only_the_second_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    needs_landlock(confinement.SIGNALS_SINCE)
    needs_filter()
    monkeypatch.setattr(guardian, "COMMAND", without_namespaces.COMMAND)
    held = Held.of(what_holds())
    assert held.missing == []
    assert "processes" in held.unavailable
