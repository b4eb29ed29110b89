"""Messages to systemd: the program is ready, reloads its settings, stops, is alive.

The protocol is that of sd_notify(3): lines of text in one datagram to the socket in NOTIFY_SOCKET.
Sending it takes a few lines. Of the libraries, `sdnotify` has had no release since 2017 and leaves
its socket open to children, and `systemd-python` and `cysystemd` need a C compiler and libsystemd.

The watchdog. systemd kills a program that sends no WATCHDOG=1 for `WatchdogSec`, and restarts it.
An event loop that hangs sends nothing, because the messages come from a task of that loop. Threads
that must not hang have a `Pulse`. A thread that has stayed in one step of its work for more than
half of `WatchdogSec` stops the messages too. A thread that waits for work, or repeats a step that
failed, as on a full disk, does not hang.
"""

import asyncio
import os
import socket
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, MutableMapping, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Final, Self

import structlog

from bot.runtime.tasks import cancelled

SOCKET: Final = "NOTIFY_SOCKET"
WATCHDOG_USEC: Final = "WATCHDOG_USEC"
WATCHDOG_PID: Final = "WATCHDOG_PID"
STATUS_EVERY_S: Final = 5.0
"""Seconds between two looks at the status; it is sent when it has changed."""
SEND_S: Final = 0.1
"""How long a message may wait for room in the manager's queue; after that it is lost."""
EXTEND: Final = "EXTEND_TIMEOUT_USEC=60000000"
"""While the program stops, systemd waits at least a minute longer after each of these."""

log = structlog.get_logger()


class Pulse:
    """Whether a thread makes progress. The thread calls `step` and `rest`."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._since: float | None = None

    def step(self) -> None:
        """A step of the work begins, or is repeated."""
        self._since = time.monotonic()

    def rest(self) -> None:
        """The work is done, and the thread waits for more."""
        self._since = None

    @property
    def in_step_s(self) -> float:
        """How long the thread has been in its present step; 0 while it waits for work."""
        since = self._since
        return 0.0 if since is None else time.monotonic() - since


class ServiceManager:
    """The connection to systemd; it does nothing if systemd has not started this program."""

    def __init__(self, address: str | None = None, watchdog_s: float | None = None) -> None:
        self._address = address and _socket_address(address)
        self._watchdog_s = watchdog_s
        self._is_ready = False
        self._is_stopping = False

    @classmethod
    def of(cls, environ: MutableMapping[str, str]) -> Self:
        """Take the variables of systemd out of `environ`, so that no child inherits them."""
        address = environ.pop(SOCKET, None)
        usec, pid = environ.pop(WATCHDOG_USEC, ""), environ.pop(WATCHDOG_PID, "")
        is_ours = pid in {"", str(os.getpid())}
        watchdog_s = int(usec) / 1e6 if usec.isdecimal() and is_ours else None
        return cls(address, watchdog_s or None)

    @asynccontextmanager
    async def serving(
        self, status: Callable[[], Awaitable[str]], pulses: Iterable[Pulse] = ()
    ) -> AsyncIterator[None]:
        """The program is ready within the `with` block, and stops after it.

        `status` gives one line for people. The threads of `pulses` must make progress.
        """
        if self._address is None:
            yield
            return
        self._is_ready = True
        self._send("READY=1")
        tasks = [asyncio.create_task(self._tell(status))]
        if self._watchdog_s is not None:
            tasks.append(asyncio.create_task(self._watch(tuple(pulses), self._watchdog_s)))
        try:
            yield
        finally:
            await cancelled(*tasks)
            self.stopping()

    def stopping(self) -> None:
        """The program begins to stop. Until the end of `serving` it may take its time."""
        if not self._is_stopping:
            self._is_stopping = True
            self._send("STOPPING=1", EXTEND)

    def reloading(self, reload: Callable[[], None]) -> Callable[[], None]:
        """Return a function that calls `reload`, and says so before and after."""

        def told() -> None:
            if not self._is_ready or self._is_stopping:  # READY=1 would not be true
                reload()
                return
            self._send("RELOADING=1", f"MONOTONIC_USEC={time.monotonic_ns() // 1000}")
            try:
                reload()
            finally:
                self._send("READY=1")

        return told

    async def _watch(self, pulses: Sequence[Pulse], watchdog_s: float) -> None:
        """Send a sign of life at half of the interval, unless a thread hangs."""
        while True:
            hanging = [each for each in pulses if each.in_step_s > watchdog_s / 2]
            for pulse in hanging:
                log.error("thread_hangs", thread=pulse.name, for_s=round(pulse.in_step_s, 1))
            if not hanging:
                self._send("WATCHDOG=1")
            await asyncio.sleep(watchdog_s / 2)

    async def _tell(self, status: Callable[[], Awaitable[str]]) -> None:
        """Send the status when it changes, and extend the manager's patience at the end."""
        told = None
        while True:
            if self._is_stopping:
                self._send(EXTEND)
            try:
                text = (await status()).replace("\n", " ")
            except Exception:  # the program itself goes on
                log.exception("status_not_told")
            else:
                if text != told:
                    told = text
                    self._send(f"STATUS={text}")
            await asyncio.sleep(STATUS_EVERY_S)

    def _send(self, *lines: str) -> None:
        """Send one message, or lose it: the event loop must not wait for long."""
        if self._address is None:
            return
        with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sending:
            sending.settimeout(SEND_S)
            sending.sendto("\n".join(lines).encode(), self._address)


def _socket_address(text: str) -> str | None:
    """The address of a Unix socket; None for other kinds. A leading @ is an abstract one."""
    if text.startswith("@"):
        return "\0" + text[1:]
    return text if text.startswith("/") else None
