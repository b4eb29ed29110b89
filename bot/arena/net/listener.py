"""The listening socket, and every connection to it accepted by us.

The event loop's own server accepts hundreds at once before anybody can count them, and stops for
a second where it finds no descriptor. Here what has no room is closed before it costs anything.
"""

import asyncio
import errno
import os
import socket
from collections.abc import Callable
from contextlib import suppress
from typing import Final

import structlog

from bot.arena.net.quiet_log import QuietLog
from bot.arena.net.tcp_connections import TcpConnection, TcpConnections

ACCEPTED_AT_ONCE: Final = 64
"""Then others have their turn."""
PAUSE_S: Final = 0.2
EXHAUSTED: Final = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})

log = structlog.get_logger()

MakeProtocol = Callable[[TcpConnection], asyncio.Protocol]


class Listener:
    """Accepts connections from `start` to `close`."""

    def __init__(
        self,
        listening: socket.socket,
        book: TcpConnections,
        make_protocol: MakeProtocol,
        quiet_log: QuietLog,
    ) -> None:
        self._listening = listening
        self._book = book
        self._make_protocol = make_protocol
        self._quiet_log = quiet_log
        self._loop = asyncio.get_running_loop()
        self._opening: set[asyncio.Task[None]] = set()
        self._spare = _spare()
        self._again: asyncio.TimerHandle | None = None

    def start(self) -> None:
        self._loop.add_reader(self._listening, self._accept)

    async def close(self) -> None:
        if self._again is not None:
            self._again.cancel()
        self._loop.remove_reader(self._listening)
        self._listening.close()
        await asyncio.gather(*self._opening)
        if self._spare is not None:
            os.close(self._spare)

    def _accept(self) -> None:
        for _ in range(ACCEPTED_AT_ONCE):
            try:
                accepted, peer = self._listening.accept()
            except (BlockingIOError, InterruptedError, ConnectionAbortedError):
                return
            except OSError as error:
                self._failed(error)
                return
            self._take(accepted, str(peer[0]))

    def _take(self, accepted: socket.socket, peer: str) -> None:
        entry = self._book.admit(peer)
        if entry is None:
            accepted.close()
            return
        task = asyncio.create_task(self._open(accepted, entry))
        self._opening.add(task)
        task.add_done_callback(self._opening.discard)

    async def _open(self, accepted: socket.socket, entry: TcpConnection) -> None:
        try:
            accepted.setblocking(False)
            await self._loop.connect_accepted_socket(lambda: self._make_protocol(entry), accepted)
        except OSError:
            # It broke again before it was open.
            self._book.remove(entry)
            accepted.close()
        except Exception:
            log.exception("connection_not_opened")
            self._book.remove(entry)
            accepted.close()

    def _failed(self, error: OSError) -> None:
        """Without a descriptor nothing can be accepted, and so not even closed: one is kept."""
        self._quiet_log.note("accept_failed", "all", why=str(error))
        if error.errno in EXHAUSTED and self._spare is not None:
            os.close(self._spare)
            with suppress(OSError):
                self._listening.accept()[0].close()
            self._spare = _spare()
        else:
            self._loop.remove_reader(self._listening)
            self._again = self._loop.call_later(PAUSE_S, self._go_on)

    def _go_on(self) -> None:
        self._spare = self._spare or _spare()
        self.start()


def _spare() -> int | None:
    with suppress(OSError):
        return os.open(os.devnull, os.O_RDONLY)
    return None
