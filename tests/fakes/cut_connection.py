"""A relay in front of a PostgreSQL server that loses the answer to what the server has done."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

COMMITTED = b"COMMIT\0"
"""The server's message that a transaction is committed."""


class Relay:
    """Passes bytes between clients on a TCP port and a server on a Unix socket.

    After `lose(word)`, the first answer with that word is not passed on: the connection is closed
    in its place. `lost` counts such answers.
    """

    def __init__(self, server: Path) -> None:
        self.lost = 0
        self._server = server
        self._word: bytes | None = None
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._open: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def port(self) -> int:
        port: int = self._listening.getsockname()[1]
        return port

    def lose(self, word: bytes = COMMITTED) -> None:
        self._word = word

    def cut(self) -> None:
        """Close all connections."""
        for each in self._open:
            _close(each)

    def close(self) -> None:
        _close(self._listening)
        self.cut()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listening.accept()
                server = socket.socket(socket.AF_UNIX)
                try:
                    server.connect(str(self._server))
                except OSError:  # the server is away
                    _close(client)
                    server.close()
                    continue
                self._open += [client, server]
                for source, target in ((client, server), (server, client)):
                    threading.Thread(
                        target=self._pass_on, args=(source, target), daemon=True
                    ).start()

    def _pass_on(self, source: socket.socket, target: socket.socket) -> None:
        is_answer = source.family == socket.AF_UNIX
        with suppress(OSError):
            while data := source.recv(65536):
                if is_answer and self._word is not None and self._word in data:
                    self._word = None
                    self.lost += 1
                    break
                target.sendall(data)
        _close(source)
        _close(target)


def _close(each: socket.socket) -> None:
    with suppress(OSError):
        each.shutdown(socket.SHUT_RDWR)
    each.close()


@contextmanager
def relay(server: Path) -> Iterator[Relay]:
    made = Relay(server)
    try:
        yield made
    finally:
        made.close()
