"""A service manager: the socket to which programs send their messages."""

import asyncio
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.fakes.waiting import eventually


class FakeServiceManager:
    """Keeps the lines of all messages; `address` is the value of NOTIFY_SOCKET."""

    def __init__(self, listening: socket.socket, address: str) -> None:
        self.address = address
        self.lines: list[str] = []
        self._socket = listening
        listening.setblocking(False)
        asyncio.get_running_loop().add_reader(listening, self._receive)

    def _receive(self) -> None:
        self.lines += self._socket.recv(65_536).decode().split("\n")

    def environ(self, watchdog_s: float) -> dict[str, str]:
        return {"NOTIFY_SOCKET": self.address, "WATCHDOG_USEC": f"{watchdog_s * 1e6:.0f}"}

    async def until(self, line: str) -> None:
        await eventually(lambda: line in self.lines)

    async def status(self, fits: Callable[[str], bool]) -> None:
        """Wait for a status that fits."""
        await eventually(
            lambda: any(fits(line) for line in self.lines if line.startswith("STATUS="))
        )

    def beats(self) -> int:
        return self.lines.count("WATCHDOG=1")

    async def beat(self) -> None:
        """Wait for the next sign of life."""
        before = self.beats()
        await eventually(lambda: self.beats() > before)


@contextmanager
def service_manager(address: Path | str) -> Iterator[FakeServiceManager]:
    """Listen at a path, or at an abstract address that begins with @."""
    text = str(address)
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listening:
        listening.bind("\0" + text[1:] if text.startswith("@") else text)
        yield FakeServiceManager(listening, text)
        asyncio.get_running_loop().remove_reader(listening)
