"""Socket.IO over our own Engine.IO: events in tasks of their own, answers as frames.

Protocol: https://socket.io/docs/v4/socket-io-protocol/ (revision 5).
"""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any, Final

import socketio
from socketio import packet

from bot import wire
from bot.arena.net.engine_io import (
    MESSAGE,
    EngineServer,
    Pace,
    Socket,
    text_frame,
)
from bot.arena.net.packets import ArenaPacket
from bot.arena.settings import ConnectionLimits

TRANSPORT_BYTES: Final = 4 * wire.MAX_MESSAGE_BYTES
"""A longer message ends its connection; between the protocol's limit and this it is refused."""
NAMESPACE: Final = "/"

Acknowledge = Callable[[str], None]
"""Sends the answer to an event, as JSON."""
OnEvent = Callable[[str, Any, Acknowledge | None], Coroutine[Any, Any, None]]
"""Handles an event; called with the connection, and how to answer if an answer is awaited."""


class SocketServer(socketio.AsyncServer):
    """python-socketio's server over `EngineServer`.

    `on_event` is called for each event of a connection, in a task of its own, with what the packet
    class made of it. The library's way there asks for handlers by name, which we have no use for.
    """

    on_event: OnEvent

    def __init__(self, **options: Any) -> None:  # noqa: ANN401  (the library's own)
        super().__init__(**options)
        self._handling: set[asyncio.Task[None]] = set()

    async def _handle_event(
        self,
        eio_sid: str,
        namespace: str | None,
        id: int | None,  # noqa: A002  (the library's name)
        data: list[Any],
    ) -> None:
        connection = self.manager.sid_from_eio_sid(eio_sid, namespace or NAMESPACE)
        if connection is None or not self.manager.is_connected(connection, NAMESPACE):
            return
        acknowledge = None if id is None else partial(self._acknowledge, eio_sid, id)
        task = asyncio.create_task(self.on_event(connection, data[1], acknowledge))
        self._handling.add(task)
        task.add_done_callback(self._handling.discard)

    def _acknowledge(self, eio_sid: str, number: int, answer: str) -> None:
        socket = self.eio.sockets.get(eio_sid)
        if socket is not None:
            socket.put(text_frame(f"{MESSAGE}{packet.ACK}{number}[{answer}]".encode()))

    def _engineio_server_class(self) -> type[EngineServer]:
        return EngineServer

    def set_pace(self, connection: str, pace: Pace) -> None:
        """How fast a connection's frames are read from now on."""
        socket = self.socket_of(connection)
        if socket is not None:
            socket.budget.set(pace)

    def socket_of(self, connection: str, namespace: str = NAMESPACE) -> Socket | None:
        """The socket under a connection; None if it is gone."""
        sid = self.manager.eio_sid_from_sid(connection, namespace)
        sockets: dict[str, Socket] = self.eio.sockets
        return sockets.get(sid)


def socket_server(limits: ConnectionLimits) -> SocketServer:
    """A server for WebSocket and our packets alone."""
    # Below ERROR the library logs whole packets, and so tokens.
    logger = logging.getLogger("bot.arena.socketio")
    logger.setLevel(logging.ERROR)
    # Below ERROR this one says of every handshake which subprotocols a client wished for.
    logging.getLogger("aiohttp.websocket").setLevel(logging.ERROR)
    return SocketServer(
        async_mode="aiohttp",
        transports=["websocket"],
        monitor_clients=False,
        serializer=ArenaPacket,
        logger=logger,
        engineio_logger=logger,
        max_http_buffer_size=TRANSPORT_BYTES,
        ping_interval=limits.ping_interval_s,
        ping_timeout=limits.ping_timeout_s,
        cors_allowed_origins=[],  # the entrance looks after that
    )
