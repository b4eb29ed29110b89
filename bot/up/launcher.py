"""`bluestone up`: an arena and a bot daemon as child processes, from one command.

The daemon has no privileges: it connects over Socket.IO with tokens, as any other bot does. The
arena is one process, or several that share one port and one PostgreSQL database.
"""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final, Protocol

from rich.console import Console

from bot.arena.link_address import join_address, split_address
from bot.arena.settings import VARIABLES, Place, load_settings
from bot.arena.store.opening import name_of
from bot.arena.store.sqlite_database import FILE_NAME
from bot.backoff import Backoff
from bot.errors import ConfigurationError, DataError, HostError, RefusedByServer, first_error
from bot.runtime.files import held, make_folder
from bot.runtime.http_client import is_ok_within
from bot.runtime.listening import PortInUse, bound, reserved, with_name
from bot.runtime.service_manager import ServiceManager
from bot.runtime.signals import handled
from bot.runtime.tasks import a_few_at_once
from bot.runtime.unix_sockets import UNIX
from bot.up.bundled_bots import (
    ANALYST,
    BUNDLED_BOTS,
    FIRST_GAME,
    token_file,
    write_analyst_token,
    write_daemon_configuration,
    write_tokens,
)
from bot.up.child import Child, StartCommand
from bot.up.embedded_postgres import EmbeddedPostgres
from bot.up.fork_server import ForkServerEnded
from bot.up.log_view import LogView, log_event
from engine.warming import missing, parts_of

DEFAULT_PORT: Final = 8765
LOCK: Final = "up.lock"
ANOTHER: Final = "another `bluestone up` uses it; choose another folder with --data"
READY_S: Final = 600.0
"""Enough time to compile the kernels of the first game, even on a slow and busy machine."""
END_S: Final = 10.0
ANALYST_NICE: Final = 15
"""Analysis must not slow the games down."""
STEADY_S: Final = 60.0
"""A child that ran at least this many seconds before it ended is restarted without backoff."""
REPLACED: Final = 75
"""The exit status of an arena process whose games another one has taken over."""
REPLACED_AT_LEAST_S: Final = 1.0
"""An arena that ran for less is restarted with backoff in any case."""
ONLY_PORTS: Final = (
    "`bluestone up` listens on a port, because its bots connect there; for a Unix socket, start "
    "`bluestone arena` and `bluestone bot`"
)
NO_USE_TO_RESTART: Final = (
    DataError.exit_code,
    RefusedByServer.exit_code,
    ConfigurationError.exit_code,
)


@dataclass(frozen=True)
class UpOptions:
    """Options of `bluestone up`.

    `port` None is the default port, or a free one if it is in use; 0 is any free port. With more
    than one of `processes`, the arena runs as several processes on one PostgreSQL database.
    """

    host: str
    port: int | None
    data: Path
    processes: int = 1


class Killable(Protocol):
    def kill(self) -> None: ...


class Restarted(Protocol):
    """A child that is restarted when it ends."""

    @property
    def name(self) -> str: ...

    async def wait(self) -> int: ...


@dataclass(frozen=True)
class ArenaProcess:
    """A process of the arena, its data folder, and its settings in the environment."""

    child: Child
    data: Path
    environ: Mapping[str, str]

    async def start(self, host: str, port: int) -> None:
        place = ["--host", host, "--port", str(port), "--data", str(self.data)]
        await self.child.start(["arena", *place], self.environ)


def environment_of_several(database: str, link: str) -> dict[str, str]:
    """Return the settings that processes of one arena share.

    `link` is the setting of this machine, whose host counts; each process takes a free port.
    """
    host = split_address(link)[0] if link else "127.0.0.1"
    return {
        f"{VARIABLES}DATABASE": database,
        f"{VARIABLES}CLUSTER__LINK": join_address(host, 0),
        f"{VARIABLES}CLUSTER__REUSE_PORT": "true",
    }


async def up(
    options: UpOptions,
    console: Console,
    manager: ServiceManager | None = None,
    start: StartCommand | None = None,
) -> int:
    """Run until SIGINT, SIGTERM or SIGHUP. A second signal kills the children at once.

    `manager` is told when people can play, and `start` runs the children's commands. Raises
    HostError, for example for a port in use or when no more processes can be started, and
    ConfigurationError.
    """
    running = asyncio.current_task()
    assert running is not None
    children: list[Killable] = []
    signals = 0

    def on_signal() -> None:
        nonlocal signals
        signals += 1
        if signals == 1:
            running.cancel()
        else:
            for child in children:
                child.kill()

    try:
        with handled(on_signal):
            await _Launcher(options, console, children, manager or ServiceManager(), start).run()
    except ExceptionGroup as failures:
        raise first_error(failures) from None
    except asyncio.CancelledError:
        if not signals:
            raise
        running.uncancel()
        with suppress(OSError):  # the terminal may be gone
            console.print("stopped")
    return 0


class _Launcher:
    """The children, from their start to their end."""

    def __init__(
        self,
        options: UpOptions,
        console: Console,
        children: list[Killable],
        manager: ServiceManager,
        start: StartCommand | None = None,
    ) -> None:
        self._start = start
        self._options = options
        self._manager = manager
        self._data = options.data
        self._console = console
        self._view = LogView(lambda text: console.print(text, soft_wrap=True))
        self._logs = options.data / "logs"
        self._bot = self._child("bot")
        self._analyst = self._child("analyst")
        self._has_analyst = False
        self._arenas = self._arena_processes()
        self._database: EmbeddedPostgres | None = None
        self._children = children
        children += [self._bot, self._analyst, *(arena.child for arena in self._arenas)]

    def _child(self, name: str) -> Child:
        return Child(name, self._logs / f"{name}.log", self._view.listener(name), self._start)

    def _arena_processes(self) -> list[ArenaProcess]:
        if self._options.processes == 1:
            return [ArenaProcess(self._child("arena"), self._data, {})]
        numbers = range(1, self._options.processes + 1)
        return [
            ArenaProcess(self._child(f"arena-{number}"), self._data / f"process-{number}", {})
            for number in numbers
        ]

    async def run(self) -> None:
        """Start all children, print the address, and restart them when they end.

        Cancelling ends them.
        """
        async with AsyncExitStack() as stack:
            stack.enter_context(held(self._data, LOCK, ANOTHER))
            port = self._port(stack)
            make_folder(self._logs)
            stack.push_async_callback(self._end)
            place = await self._open_database()
            address = await self._start_arenas(port, place)
            url = _local(address)
            bot_command = ["bot", "--config", str(write_daemon_configuration(self._data, url))]
            await self._start_bot(bot_command)
            analyst_command = [
                *("analyst", "--url", url, "--nice", str(ANALYST_NICE)),
                *("--token-file", str(token_file(place.folder, ANALYST).absolute())),
            ]
            if self._has_analyst:
                await self._analyst.start(analyst_command)
            weakest, strongest = BUNDLED_BOTS[0].name, BUNDLED_BOTS[-1].name
            levels = f"{len(BUNDLED_BOTS)} levels, from {weakest} to {strongest}"
            self._print(f"Play at {with_name(address)} against {levels}")
            if self._options.processes > 1:
                database = self._database.url if self._database else name_of(place)
                self._print(f"{self._options.processes} arena processes share {database}")
            self._print(f"Logs are in {self._logs}; Ctrl-C ends everything")

            async def status() -> str:
                return f"{address}, {levels}"

            await stack.enter_async_context(self._manager.serving(status))
            async with asyncio.TaskGroup() as group:
                port = int(address.rpartition(":")[2])
                for arena in self._arenas:
                    again = partial(arena.start, self._options.host, port)
                    group.create_task(self._keep_running(arena.child, again))
                group.create_task(
                    self._keep_running(self._bot, partial(self._bot.start, bot_command))
                )
                if self._has_analyst:
                    again = partial(self._analyst.start, analyst_command)
                    group.create_task(self._keep_running(self._analyst, again))
                if self._database is not None:
                    group.create_task(self._keep_running(self._database, self._database.launch))

    def _port(self, stack: AsyncExitStack) -> int:
        """Return the port to request. One that several processes share is held until the end."""
        port = _usable_port(self._options, self._console)
        if self._options.processes == 1:
            return port
        holder = stack.enter_context(reserved(self._options.host, port))
        return int(holder.getsockname()[1])

    async def _open_database(self) -> Place:
        """Return where the arena stores everything; start a server if several processes need one.

        The arena's environment may name a database.
        """
        settings = load_settings(data=self._data)
        if self._options.processes == 1:
            return settings.place
        # Imported here, because most arenas are one process, and start sooner without it.
        from bot.arena.processes import installed_clustering

        installed_clustering()  # refused before a database is started
        url = settings.database
        if not url:
            if (self._data / FILE_NAME).exists():
                self._print(f"{self._data / FILE_NAME} is not used by several processes")
            self._database = EmbeddedPostgres(
                self._data / "postgres", self._logs / f"{EmbeddedPostgres.name}.log"
            )
            self._children.append(self._database)
            await self._database.start()
            url = self._database.url
        link = environment_of_several(url, settings.cluster.link)
        self._arenas = [replace(arena, environ=link) for arena in self._arenas]
        return Place(self._data, url)

    async def _start_arenas(self, port: int, place: Place) -> str:
        """Return the arena's address, once it responds and the bots have their accounts.

        The first process makes the tables and compiles the first game; the others find them.
        """
        first, *others = self._arenas
        address = await self._start_arena(port, first)
        if missing(parts_of(FIRST_GAME)):
            self._console.print(f"The page is up at {address}; its bots are starting")
        await write_tokens(place)  # now the tables are up to date
        self._has_analyst = await write_analyst_token(place)
        if others:
            await a_few_at_once(others, partial(self._start_arena, port), at_once=len(others))
        await _until_ok(f"{_local(address)}/healthz", "the arena")
        await _until_ok(f"{_local(address)}/", "the page")
        return address

    async def _start_arena(self, port: int, arena: ArenaProcess) -> str:
        """Return the address that the process prints when people can play."""
        await arena.start(self._options.host, port)
        return await arena.child.line_with(_address_in, READY_S)

    async def _start_bot(self, command: Sequence[str]) -> None:
        """Return once the bots are connected and ready to play."""
        await self._bot.start(command)
        health = await self._bot.line_with(_health_address_in, READY_S)
        await _until_ok(f"{health}/readyz", "the bot")

    async def _keep_running(self, child: Restarted, start: Callable[[], Awaitable[None]]) -> None:
        backoff = Backoff(1.0, 60.0, random.Random())
        while True:
            began = time.monotonic()
            status = await child.wait()
            if status in NO_USE_TO_RESTART:
                self._console.print(f"the {child.name} ended permanently, with status {status}")
                return
            pause = pause_before_restart(status, time.monotonic() - began, backoff)
            self._console.print(
                f"the {child.name} ended with status {status}; restarting it in {pause:.1f} s"
            )
            await asyncio.sleep(pause)
            try:
                await start()
            except ForkServerEnded:
                raise
            except HostError as error:
                # The system may have no room for it now. It is tried again, as after a short life.
                self._console.print(f"the {child.name} cannot be started: {error}")

    async def _end(self) -> None:
        """End the bots first, so that the arena sees them disconnect, and the database last.

        Each child has a time limit.
        """
        self._view.quiet = True
        await asyncio.gather(self._bot.end(END_S), self._analyst.end(END_S))
        await asyncio.gather(*(arena.child.end(END_S) for arena in self._arenas))
        if self._database is not None:
            await self._database.end()

    def _print(self, line: str) -> None:
        self._console.print(line, soft_wrap=True)


def pause_before_restart(status: int, lived_s: float, backoff: Backoff) -> float:
    """Return the seconds after which a child that lived so long is restarted."""
    if lived_s > STEADY_S:
        backoff.reset()
    if status == REPLACED and lived_s > REPLACED_AT_LEAST_S:
        return 0.0
    return backoff.next()


def _usable_port(options: UpOptions, console: Console) -> int:
    """Return the port to request for the arena. Raises HostError if the requested one is in use."""
    if options.host.startswith(UNIX):
        raise ConfigurationError(ONLY_PORTS)
    asked = DEFAULT_PORT if options.port is None else options.port
    try:
        bound(options.host, asked).close()
    except PortInUse:
        if options.port is not None:
            raise
        console.print(f"port {DEFAULT_PORT} is in use; taking a free one")
        return 0
    return asked


def _address_in(line: str) -> str | None:
    return line.strip() if line.startswith(("http://", "https://")) else None


def _health_address_in(line: str) -> str | None:
    event = log_event(line)
    if event is None or event.get("event") != "health":
        return None
    return str(event["addresses"][0])


def _local(address: str) -> str:
    """Return the address as this machine reaches it, if the arena listens on all addresses."""
    return address.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:")


async def _until_ok(url: str, what: str) -> None:
    """Poll until the answer is 200. Raises HostError after `READY_S`."""
    if not await is_ok_within(url, READY_S):
        raise HostError(f"{what} was not ready within {READY_S:g} s ({url})")
