"""Several processes of the arena: a real database, and stand-ins for the other children."""

import asyncio
import io
import json
import random
import shutil
import signal
import sys
import urllib.error
import urllib.request
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from bot import wire
from bot.arena.players.accounts import accounts_in
from bot.arena.settings import Place, load_settings
from bot.backoff import Backoff
from bot.errors import ConfigurationError, HostError
from bot.runtime.children import PIPE, ChildProcess
from bot.runtime.listening import bound
from bot.up.bundled_bots import BUNDLED_BOTS, token_file
from bot.up.child import StartCommand, start_afresh
from bot.up.embedded_postgres import socket_folder
from bot.up.fork_server import ForkServerEnded
from bot.up.launcher import REPLACED, UpOptions, environment_of_several, pause_before_restart, up
from tests.fakes import up_child
from tests.fakes.postgres import Postgres
from tests.fakes.waiting import eventually

pytestmark = [pytest.mark.e2e, pytest.mark.xdist_group("up")]


class Running:
    """A `bluestone up` within this process."""

    def __init__(self, out: io.StringIO, task: asyncio.Task[int]) -> None:
        self._out = out
        self.task = task

    @property
    def said(self) -> str:
        return self._out.getvalue()

    @property
    def address(self) -> str:
        return self.said.split("Play at ")[1].split()[0]

    async def says(self, words: str) -> None:
        await eventually(lambda: words in self.said)

    def get(self, path: str = "/") -> dict[str, Any]:
        with urllib.request.urlopen(self.address + path, timeout=20) as answer:
            facts: dict[str, Any] = json.loads(answer.read())
            return facts

    async def arenas(self, are_all: Callable[[dict[str, int]], bool]) -> dict[str, dict[str, Any]]:
        """Ask until the processes that answer, by folder, are those that the test waits for."""
        seen: dict[str, dict[str, Any]] = {}
        while not are_all({folder: facts["pid"] for folder, facts in seen.items()}):
            with suppress(urllib.error.URLError, ConnectionError):
                facts = await asyncio.to_thread(self.get)
                seen[Path(_option(facts["words"], "--data")).name] = facts
        return seen


def _option(words: list[str], name: str) -> str:
    return words[words.index(name) + 1]


@pytest.fixture
def stand_ins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.up.child.BLUESTONE", (sys.executable, str(up_child.__file__)))
    monkeypatch.delenv("BLUESTONE_ARENA_DATABASE", raising=False)


@asynccontextmanager
async def running(
    data: Path, port: int = 0, start: StartCommand | None = None
) -> AsyncIterator[Running]:
    out = io.StringIO()
    options = UpOptions("127.0.0.1", port, data, processes=2)
    task = asyncio.create_task(up(options, Console(file=out, width=500), start=start))
    try:
        it = Running(out, task)
        await eventually(lambda: "Ctrl-C" in it.said or task.done())
        if task.done():
            await task
        yield it
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError, HostError):
            await task


@pytest.mark.usefixtures("stand_ins")
async def test_several_processes_share_a_port_and_a_database(tmp_path: Path) -> None:
    async with running(tmp_path) as it:
        arenas = await it.arenas(lambda seen: len(seen) == 2)
        assert sorted(arenas) == ["process-1", "process-2"]
        urls = set()
        for name, facts in arenas.items():
            environ = {"BLUESTONE_ARENA_DATA": str(tmp_path / name), **facts["environ"]}
            settings = load_settings(environ=environ)
            assert (settings.cluster.link, settings.cluster.reuse_port) == ("127.0.0.1:0", True)
            urls.add(settings.database)
        assert "2 arena processes share postgresql://postgres@" in it.said
        (url,) = urls
        async with accounts_in(Place(tmp_path, url)) as accounts:
            for bot in BUNDLED_BOTS:
                token = token_file(tmp_path, bot).read_text().strip()
                login = await accounts.log_in(wire.Credentials(v=1, token=token))
                assert login.player.name == bot.name
    tokens = [token_file(tmp_path, bot).read_text() for bot in BUNDLED_BOTS]
    async with running(tmp_path):
        assert [token_file(tmp_path, bot).read_text() for bot in BUNDLED_BOTS] == tokens


@pytest.mark.usefixtures("stand_ins")
async def test_a_process_that_ends_is_started_again_on_the_same_port(tmp_path: Path) -> None:
    async with running(tmp_path) as it:
        before = await it.arenas(lambda seen: len(seen) == 2)
        with pytest.raises((urllib.error.URLError, ConnectionError)):
            await asyncio.to_thread(it.get, "/exit/9")
        await it.says("ended with status 9; restarting it in")
        pids = {name: facts["pid"] for name, facts in before.items()}
        after = await it.arenas(lambda seen: len(seen) == 2 and seen != pids)
        new = [name for name in after if after[name]["pid"] != pids[name]]
        assert len(new) == 1


class FullSystem:
    """Starts commands, until there is no room: once for a while, or for good."""

    def __init__(self) -> None:
        self.refusals: list[HostError] = []

    async def start(
        self, command: Sequence[str], environ: Mapping[str, str] | None = None
    ) -> ChildProcess:
        if self.refusals:
            raise self.refusals.pop()
        return await start_afresh(command, environ)


@pytest.mark.usefixtures("stand_ins")
async def test_a_process_for_which_there_is_no_room_is_tried_again(tmp_path: Path) -> None:
    system = FullSystem()
    async with running(tmp_path, start=system.start) as it:
        before = await it.arenas(lambda seen: len(seen) == 2)
        system.refusals = [HostError("no room")]
        with pytest.raises((urllib.error.URLError, ConnectionError)):
            await asyncio.to_thread(it.get, "/exit/9")
        await it.says("cannot be started: no room")
        pids = {name: facts["pid"] for name, facts in before.items()}
        await it.arenas(lambda seen: len(seen) == 2 and seen != pids)


@pytest.mark.usefixtures("stand_ins")
async def test_without_its_server_of_processes_everything_ends(tmp_path: Path) -> None:
    system = FullSystem()
    async with running(tmp_path, start=system.start) as it:
        system.refusals = [ForkServerEnded("gone")]
        with pytest.raises((urllib.error.URLError, ConnectionError)):
            await asyncio.to_thread(it.get, "/exit/9")
        with pytest.raises(ForkServerEnded):
            await it.task


@pytest.mark.usefixtures("stand_ins")
async def test_a_database_that_is_named_is_used(
    tmp_path: Path, postgres: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = postgres.create()
    monkeypatch.setenv("BLUESTONE_ARENA_DATABASE", url)
    monkeypatch.setenv("BLUESTONE_ARENA_CLUSTER__LINK", "127.0.0.2:9765")
    async with running(tmp_path) as it:
        arenas = await it.arenas(lambda seen: len(seen) == 2)
        for facts in arenas.values():
            assert facts["environ"]["BLUESTONE_ARENA_DATABASE"] == url
            assert facts["environ"]["BLUESTONE_ARENA_CLUSTER__LINK"] == "127.0.0.2:0"
        assert not (tmp_path / "postgres").exists()


@pytest.mark.usefixtures("stand_ins")
async def test_a_port_that_others_share_is_in_use(tmp_path: Path) -> None:
    with bound("127.0.0.1", 0, reuse_port=True) as other:
        port = other.getsockname()[1]
        with pytest.raises(HostError, match="in use"):
            await up(UpOptions("127.0.0.1", port, tmp_path, processes=2), Console())


async def test_a_unix_socket_is_refused_because_the_bots_need_a_port(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="start `bluestone arena` and `bluestone bot`"):
        await up(UpOptions(f"unix:{tmp_path}/a.sock", None, tmp_path), Console())


PROGRAM = """
import asyncio, sys
from pathlib import Path
from rich.console import Console
import bot.up.child
from bot.up.launcher import UpOptions, up

bot.up.child.BLUESTONE = (sys.executable, sys.argv[1])
options = UpOptions("127.0.0.1", 0, Path(sys.argv[2]), processes=3)
sys.exit(asyncio.run(up(options, Console(width=500))))
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
async def test_all_processes_end_with_it(tmp_path: Path, number: signal.Signals) -> None:
    command = [sys.executable, "-c", PROGRAM, str(up_child.__file__), str(tmp_path)]
    program = await ChildProcess.start(command, stdout=PIPE)
    pids = set[int]()
    while b"Ctrl-C" not in await program.output.readline():
        pids |= descendants(program.pid)
    pids |= descendants(program.pid)
    assert len(pids) >= 3 + 1 + 1, "arenas, bot, database"
    program.send_signal(number)
    assert await program.wait() == (0 if number == signal.SIGTERM else -number)
    if number == signal.SIGTERM:
        assert not pids & running_processes()
        assert not (tmp_path / "postgres" / "postmaster.pid").exists(), "it ended in order"
    else:
        await eventually(lambda: not pids & running_processes())
        await asyncio.to_thread(shutil.rmtree, socket_folder(tmp_path / "postgres"), True)


def descendants(pid: int) -> set[int]:
    children = {
        int(child)
        for task in Path(f"/proc/{pid}/task").glob("*/children")
        for child in task.read_text().split()
    }
    return children.union(*map(descendants, children))


def running_processes() -> set[int]:
    return {
        int(path.parent.name)
        for path in Path("/proc").glob("[0-9]*/stat")
        if _state_of(path) not in {"Z", ""}
    }


def _state_of(path: Path) -> str:
    try:
        return path.read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return ""


def test_the_link_of_a_process_has_the_host_of_the_settings_and_any_port() -> None:
    environ = environment_of_several("postgresql:///x", "[fd00::5]:9765")
    settings = load_settings(environ=environ)
    assert settings.cluster.link == "[fd00::5]:0"
    assert settings.database == "postgresql:///x"


def test_a_process_that_was_replaced_is_restarted_at_once() -> None:
    backoff = Backoff(1.0, 60.0, random.Random(1))
    assert pause_before_restart(REPLACED, 5.0, backoff) == 0
    assert pause_before_restart(REPLACED, 0.1, backoff) > 0, "but not again and again"
    assert pause_before_restart(1, 5.0, backoff) > 0
