# mypy: untyped-calls-exclude="socketio,engineio"
"""The arena on the network: an address, Socket.IO, the HTTP side, and a clean end."""

import asyncio
import errno
import gc
import logging
import math
import random
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Final

import structlog
from aiohttp import web

from bot import wire
from bot.arena.addresses import Proxies
from bot.arena.door import Door
from bot.arena.entrance import Entrance
from bot.arena.gateway import Gateway
from bot.arena.http_api import HttpApi
from bot.arena.origins import Origins
from bot.arena.outbox import Outbox
from bot.arena.packets import ArenaPacket
from bot.arena.pages import add_pages, careful_headers
from bot.arena.quiet_log import QuietLog
from bot.arena.services import Services, open_services
from bot.arena.settings import ArenaSettings
from bot.arena.sweeper import Sweeper
from bot.arena.transport import SocketServer
from bot.errors import HostError
from bot.time_source import SystemTime, TimeSource

TRANSPORT_BYTES: Final = 4 * wire.MAX_MESSAGE_BYTES
"""A longer message ends its connection; between the protocol's limit and this it is refused."""
BACKLOG: Final = 512
SHUTDOWN_S: Final = 0.5

log = structlog.get_logger()


async def serve(settings: ArenaSettings, stop: asyncio.Event, ready: Callable[[str], None]) -> None:
    """Run the arena until `stop` is set; `ready` gets its address once people can play.

    Raises HostError if the port or the data folder cannot be used.
    """
    async with running_arena(settings) as address:
        ready(address)
        await stop.wait()
        log.info("arena_stopping")


@asynccontextmanager
async def running_arena(
    settings: ArenaSettings, time: TimeSource | None = None, rng: random.Random | None = None
) -> AsyncIterator[str]:
    """The arena for as long as it is needed, as the address that it answers on."""
    time = time or SystemTime()
    async with AsyncExitStack() as stack:
        sweeper = Sweeper(time)
        stack.push_async_callback(sweeper.close)
        quiet_log = QuietLog(time, sweeper.wake)
        sweeper.add(quiet_log.sweep)
        stack.callback(quiet_log.sweep, math.inf)
        proxies = Proxies(settings.trusted_proxies)
        listener = stack.enter_context(_bound(settings.host, settings.port))
        sockets = _socket_server(settings)
        outbox = Outbox(sockets)
        services = await stack.enter_async_context(
            open_services(settings, outbox, time, rng or random.SystemRandom())
        )
        entrance = Entrance(sockets, proxies, _origins(settings), quiet_log)
        runner = web.AppRunner(
            _application(settings, entrance, services),
            access_log=None,
            shutdown_timeout=SHUTDOWN_S,
        )
        stack.push_async_callback(runner.cleanup)
        await runner.setup()
        door = Door(
            services.accounts,
            services.games,
            services.lobby,
            services.presence,
            settings.connections,
            time,
        )
        gateway = Gateway(
            sockets,
            outbox,
            door,
            services.games,
            services.lobby,
            services.presence,
            proxies,
            services.clock,
        )
        stack.push_async_callback(gateway.close)
        stack.callback(services.store.hurry)
        await web.SockSite(runner, listener, backlog=BACKLOG).start()
        # What is here now, compilers among it, stays: the collector need not look at it for ever.
        gc.collect()
        gc.freeze()
        stack.callback(gc.unfreeze)
        address = _address(listener)
        log.info("arena_ready", address=address, data=str(settings.data))
        yield address


def _application(
    settings: ArenaSettings, entrance: Entrance, services: Services
) -> web.Application:
    def facts() -> dict[str, int]:
        return {
            "games": services.games.count,
            "connections": services.presence.connection_count,
        }

    app = web.Application(middlewares=[careful_headers])
    entrance.add_to(app)
    HttpApi(services.store, settings.offered, settings.clocks, facts).add_to(app)
    add_pages(app)
    return app


def _socket_server(settings: ArenaSettings) -> SocketServer:
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
        ping_interval=settings.connections.ping_interval_s,
        ping_timeout=settings.connections.ping_timeout_s,
        cors_allowed_origins=[],  # the entrance looks after that
    )


def _origins(settings: ArenaSettings) -> Origins:
    machine = socket.gethostname()
    names = [settings.host, machine, f"{machine}.local", *settings.hosts]
    return Origins(settings.allowed_origins, names)


def _bound(host: str, port: int) -> socket.socket:
    """A listening socket; HostError says why there is none."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except OSError as error:
        raise HostError(f"host {host!r}: no such address on this machine ({error})") from error
    listener = socket.socket(family, kind, protocol)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            message = f"port {port} on {host} is in use; stop what uses it, or choose another port"
            raise HostError(message) from error
        raise HostError(f"cannot listen on {host} port {port}: {error.strerror}") from error
    listener.setblocking(False)
    return listener


def _address(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
