"""`bluestone up`: an arena and a bot daemon as two child processes, from one command.

The daemon has no privileges: it connects over Socket.IO with tokens, as any other bot does.
"""

import asyncio
import random
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import orjson
from rich.console import Console

from bot.arena.settings import load_settings
from bot.backoff import Backoff
from bot.errors import ConfigurationError, DataError, HostError, RefusedByServer
from bot.runtime.files import held, make_folder
from bot.runtime.http_client import is_ok_within
from bot.runtime.listening import PortInUse, bound
from bot.runtime.service_manager import ServiceManager
from bot.runtime.signals import handled
from bot.up.bundled_bots import BUNDLED_BOTS, FIRST_GAME, write_daemon_configuration, write_tokens
from bot.up.child import Child
from engine.warming import missing, parts_of

ALARMING: Final = ("warning", "error", "critical")
_ALWAYS_THERE: Final = ("event", "level", "timestamp")

Show = Callable[[str], None]


class LogView:
    """Receives the lines of all children; `show` gets the few that a user needs."""

    def __init__(self, show: Show) -> None:
        self._show = show
        self.quiet = False

    def listener(self, child: str) -> Show:
        """Return the listener for one child's lines."""

        def take(line: str) -> None:
            text = readable(child, line)
            if text is not None and not self.quiet:
                self._show(text)

        return take


def readable(child: str, line: str) -> str | None:
    """Return the line in words, or None for an unimportant log line. Other lines stay whole."""
    event = log_event(line)
    if event is None:
        return None if line.startswith("http://") or not line else f"{child}: {line}"
    if child == "arena" and event.get("event") == "game_started":
        return f"game {event.get('game')}: {_players(event)} on {event.get('rules')}"
    if child == "arena" and event.get("event") == "compiling":
        first, *others = event.get("parts", ("nothing",))
        return f"compiling the engine, once: {first}, then {len(others)} more"
    if child == "arena" and event.get("event") == "compiled":
        return f"compiled {event.get('part')}"
    if child == "arena" and event.get("event") == "all_compiled":
        return "compiled everything"
    if child == "arena" and event.get("event") == "game":
        return f"game {event.get('game')}: {_players(event)}: {_ending(event)}"
    if event.get("level") not in ALARMING:
        return None
    facts = " ".join(f"{key}={value}" for key, value in event.items() if key not in _ALWAYS_THERE)
    return f"{child}: {event['level']}: {event.get('event')} {facts}".rstrip()


def log_event(line: str) -> Mapping[str, Any] | None:
    """The fields of a JSON log line; None for any other line."""
    try:
        event = orjson.loads(line)
    except orjson.JSONDecodeError:
        return None
    return event if isinstance(event, dict) and "level" in event else None


def _players(event: Mapping[str, Any]) -> str:
    return " - ".join(str(name) for name in event.get("players", ()))


def _ending(event: Mapping[str, Any]) -> str:
    winner, players = event.get("winner"), event.get("players", ())
    reason = str(event.get("reason", "")).replace("_", " ")
    if winner in (1, 2) and len(players) == 2:
        return f"{players[winner - 1]} won after {event.get('plies')} turns, {reason}"
    return f"no winner after {event.get('plies')} turns, {reason}"


DEFAULT_PORT: Final = 8765
LOCK: Final = "up.lock"
ANOTHER: Final = "another `bluestone up` uses it; choose another folder with --data"
READY_S: Final = 600.0
"""Enough time to compile the kernels of the first game, even on a slow and busy machine."""
END_S: Final = 10.0
STEADY_S: Final = 60.0
"""A child that ran at least this many seconds before it ended is restarted without backoff."""
NO_USE_TO_RESTART: Final = (
    DataError.exit_code,
    RefusedByServer.exit_code,
    ConfigurationError.exit_code,
)


@dataclass(frozen=True)
class UpOptions:
    """Options of `bluestone up`.

    `port` None is the default port, or a free one if it is in use; 0 is any free port.
    """

    host: str
    port: int | None
    data: Path


async def up(options: UpOptions, console: Console, manager: ServiceManager | None = None) -> int:
    """Run until SIGINT, SIGTERM or SIGHUP. A second signal kills the children at once.

    `manager` is told when people can play. Raises HostError, for example for a port in use, and
    ConfigurationError.
    """
    running = asyncio.current_task()
    assert running is not None
    children: list[Child] = []
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
            await _Launcher(options, console, children, manager or ServiceManager()).run()
    except asyncio.CancelledError:
        if not signals:
            raise
        running.uncancel()
        with suppress(OSError):  # the terminal may be gone
            console.print("stopped")
    return 0


class _Launcher:
    """The two children, from their start to their end."""

    def __init__(
        self, options: UpOptions, console: Console, children: list[Child], manager: ServiceManager
    ) -> None:
        self._options = options
        self._manager = manager
        self._data = options.data
        self._console = console
        self._view = LogView(lambda text: console.print(text, soft_wrap=True))
        self._logs = options.data / "logs"
        self._arena = self._child("arena")
        self._bot = self._child("bot")
        children += [self._arena, self._bot]

    def _child(self, name: str) -> Child:
        return Child(name, self._logs / f"{name}.log", self._view.listener(name))

    async def run(self) -> None:
        """Start both children, print the address, and restart them when they end.

        Cancelling ends both.
        """
        async with AsyncExitStack() as stack:
            stack.enter_context(held(self._data, LOCK, ANOTHER))
            port = _usable_port(self._options, self._console)
            make_folder(self._logs)
            stack.push_async_callback(self._end)
            address = await self._start_arena(port)
            url = _local(address)
            bot_command = ["bot", "--config", str(write_daemon_configuration(self._data, url))]
            await self._start_bot(bot_command)
            weakest, strongest = BUNDLED_BOTS[0].name, BUNDLED_BOTS[-1].name
            levels = f"{len(BUNDLED_BOTS)} levels, from {weakest} to {strongest}"
            self._console.print(f"Play at {address} against {levels}", soft_wrap=True)
            self._console.print(f"Logs are in {self._logs}; Ctrl-C ends everything", soft_wrap=True)

            async def status() -> str:
                return f"{address}, {levels}"

            await stack.enter_async_context(self._manager.serving(status))
            async with asyncio.TaskGroup() as group:
                arena_command = self._arena_command(int(address.rpartition(":")[2]))
                group.create_task(self._keep_running(self._arena, arena_command))
                group.create_task(self._keep_running(self._bot, bot_command))

    def _arena_command(self, port: int) -> list[str]:
        place = ["--host", self._options.host, "--port", str(port), "--data", str(self._data)]
        return ["arena", *place]

    async def _start_arena(self, port: int) -> str:
        """Return the arena's address, once it responds and the bots have their accounts."""
        await self._arena.start(self._arena_command(port))
        address = await self._arena.line_with(_address_in, READY_S)
        if missing(parts_of(FIRST_GAME)):
            self._console.print(f"The page is up at {address}; its bots are starting")
        settings = load_settings(data=self._data)  # the arena's environment may name a database
        await write_tokens(settings.place)  # now the tables are up to date
        await _until_ok(f"{_local(address)}/healthz", "the arena")
        await _until_ok(f"{_local(address)}/", "the page")
        return address

    async def _start_bot(self, command: Sequence[str]) -> None:
        """Return once the bots are connected and ready to play."""
        await self._bot.start(command)
        health = await self._bot.line_with(_health_address_in, READY_S)
        await _until_ok(f"{health}/readyz", "the bot")

    async def _keep_running(self, child: Child, command: Sequence[str]) -> None:
        backoff = Backoff(1.0, 60.0, random.Random())
        while True:
            began = time.monotonic()
            status = await child.wait()
            if status in NO_USE_TO_RESTART:
                self._console.print(f"the {child.name} ended permanently, with status {status}")
                return
            if time.monotonic() - began > STEADY_S:
                backoff.reset()
            pause = backoff.next()
            self._console.print(
                f"the {child.name} ended with status {status}; restarting it in {pause:.1f} s"
            )
            await asyncio.sleep(pause)
            await child.start(command)

    async def _end(self) -> None:
        """End the bots first, so that the arena sees them disconnect.

        Each child has a time limit.
        """
        self._view.quiet = True
        await self._bot.end(END_S)
        await self._arena.end(END_S)


def _usable_port(options: UpOptions, console: Console) -> int:
    """Return the port to request for the arena. Raises HostError if the requested one is in use."""
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
