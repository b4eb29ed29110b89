"""The arena on the network: its address, Socket.IO, HTTP, and an orderly shutdown."""

import asyncio
import gc
import math
import os
import random
import socket
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractContextManager, AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import structlog
from aiohttp import web

from bot import wire
from bot.arena.capability import Http
from bot.arena.edge.broadcast import Outbox
from bot.arena.edge.clients import Clients
from bot.arena.edge.descriptors import capacity, descriptor_limit, open_descriptors, raise_limit
from bot.arena.edge.gateway import Gateway, Welcomer
from bot.arena.edge.guest_keys import GuestKeys
from bot.arena.edge.handshake import Handshake, Origins
from bot.arena.edge.login import Authenticator, LoginAttempts
from bot.arena.edge.metrics_page import MetricsPage, counting, network_readings
from bot.arena.edge.open_sockets import Sockets
from bot.arena.edge.requests import Requests
from bot.arena.edge.socket_server import SocketServer
from bot.arena.edge.tcp import (
    HttpProtocol,
    Listener,
    TcpConnection,
    TcpConnections,
    http_logger,
    note_request,
)
from bot.arena.games.games_api import HttpApi
from bot.arena.games.spectators import Spectators
from bot.arena.http.addresses import Proxies
from bot.arena.http.base_path import below
from bot.arena.http.documents import DocumentCache
from bot.arena.http.routes import Routes
from bot.arena.http.security_headers import add_security_headers
from bot.arena.http.throttle import Throttle
from bot.arena.metrics import ArenaMetrics, arena_metrics
from bot.arena.services import Services
from bot.arena.settings import ArenaSettings
from bot.arena.startup import open_services
from bot.arena.store.data_folder import address_noted
from bot.arena.web.page_bundle import PageBundle
from bot.arena.web.pages import add_pages, bundled_page
from bot.arena.web.previews import Previews
from bot.arena.web.titles import Titles
from bot.errors import ProcessReplaced
from bot.runtime.free_memory import return_free_memory
from bot.runtime.listening import address_of, bound
from bot.runtime.metrics import Readings
from bot.runtime.service_manager import ServiceManager
from bot.runtime.sweeper import Sweeper
from bot.runtime.tasks import Overtaken, unless_overtaken
from bot.runtime.throttled_log import ThrottledLog
from bot.runtime.unix_sockets import socket_bound
from bot.time_source import SystemTime, TimeSource

SHUTDOWN_S: Final = 0.5
REPLACED_END_S: Final = 10.0
"""How long a process that others have replaced may take to end."""
COLLECT_AFTER: Final = (10_000, 20, 20)
"""Thresholds of the garbage collector: a turn makes hundreds of objects, and hardly any cycle."""
SWITCH_S: Final = 0.001
"""How long a thread may keep the interpreter from the event loop; Python's default is 5 ms."""

log = structlog.get_logger()


async def serve(
    settings: ArenaSettings,
    stop: asyncio.Event,
    ready: Callable[[str], None],
    manager: ServiceManager | None = None,
) -> None:
    """Run the arena until `stop` is set; `ready` gets its address once players can connect.

    `manager` is told the same, and how the arena is.

    Raises HostError if the port or the data folder cannot be used; ProcessReplaced.
    """
    raise_limit()
    is_open, ends = asyncio.Event(), asyncio.Event()
    at_last: asyncio.TimerHandle | None = None

    def replaced() -> None:
        nonlocal at_last
        if at_last is None:
            at_last = asyncio.get_running_loop().call_later(REPLACED_END_S, _end_at_once)
        ends.set()

    async def run() -> None:
        _tune_interpreter()
        async with running_arena(settings, manager=manager, on_replaced=replaced) as address:
            gc.freeze()  # objects of now stay until the end, so the collector need not visit them
            return_free_memory()
            is_open.set()
            ready(address)
            await unless_overtaken(stop.wait(), ends.wait())
            log.info("arena_stopping")

    running = asyncio.create_task(run())
    stopping = asyncio.create_task(stop.wait())
    try:
        await asyncio.wait({running, stopping}, return_when=asyncio.FIRST_COMPLETED)
        if not is_open.is_set():  # it may be waiting for the rules to be compiled
            running.cancel()
        with suppress(asyncio.CancelledError, Overtaken):
            await running
        if at_last is not None:
            raise ProcessReplaced("other processes have taken over the games of this one")
    finally:
        if at_last is not None:
            at_last.cancel()
        stopping.cancel()
        running.cancel()


def _end_at_once() -> None:
    """End a replaced process whose shutdown takes too long: nothing in it is needed any more."""
    log.error("replaced_process_hangs", seconds=REPLACED_END_S)
    os._exit(ProcessReplaced.exit_code)


@asynccontextmanager
async def running_arena(
    settings: ArenaSettings,
    time: TimeSource | None = None,
    rng: random.Random | None = None,
    manager: ServiceManager | None = None,
    on_replaced: Callable[[], None] = lambda: None,
) -> AsyncIterator[str]:
    """Run the arena within the `with` block; yields its address. Raises HostError as `serve`.

    `on_replaced` is called if other processes of the arena have taken over everything from this
    one, because it did not answer for too long; it should end.
    """
    time = time or SystemTime()
    async with AsyncExitStack() as stack:
        listening = stack.enter_context(_bound(settings))
        # First what takes long, so that no clock, bus or lease waits for it.
        bundle = await bundled_page(sources=settings.page_sources, base=settings.base_path)
        metrics = arena_metrics()
        sockets = SocketServer(settings.connections)
        outbox = Outbox(sockets)
        services = await stack.enter_async_context(
            open_services(settings, outbox, time, rng or random.SystemRandom(), metrics)
        )
        edge = await stack.enter_async_context(_open_edge(settings, time, metrics))
        readings = network_readings(edge.tcp_connections, edge.sockets, outbox, sockets)
        Readings(metrics.registry, readings)
        runner = web.AppRunner(
            _application(settings, sockets, services, edge, time, metrics, bundle),
            shutdown_timeout=SHUTDOWN_S,
        )
        stack.push_async_callback(runner.cleanup)
        await runner.setup()
        gateway = _gateway(settings, sockets, outbox, services, edge, time, metrics)
        stack.push_async_callback(_spectators(services, outbox).close)
        stack.push_async_callback(outbox.close)
        stack.push_async_callback(gateway.close)
        stack.callback(services.store.hurry)
        if services.cluster is not None:
            # The games go on in other processes while this one closes its connections.
            stack.push_async_callback(services.cluster.leave)
            services.cluster.on_replaced = on_replaced
            services.cluster.on_incomplete = gateway.welcome_again
        listener = _listener(settings, listening, runner, edge)
        stack.push_async_callback(listener.close)
        if services.cluster is not None:
            await services.cluster.join()
        listener.start()
        address, reached_at = settings.host, settings
        if settings.socket_file is None:
            address = address_of(listening)
            reached_at = settings.model_copy(update={"port": listening.getsockname()[1]})
        stack.enter_context(address_noted(settings.data, reached_at.usual_address))
        log.info("arena_ready", address=address, data=str(settings.data))
        manager = manager or ServiceManager()
        async with manager.serving(partial(_status, services), [services.database.pulse]):
            yield address


def _bound(settings: ArenaSettings) -> AbstractContextManager[socket.socket]:
    """Listen on the port or the Unix socket of the settings."""
    if settings.socket_file is not None:
        return socket_bound(settings.socket_file, int(settings.socket_mode, 8))
    return bound(settings.host, settings.port, reuse_port=settings.cluster.reuse_port)


def _tune_interpreter() -> None:
    """Set collector and threads of this process for a server.

    It collects garbage before the arena opens, so that no clock, bus or lease waits for that.
    """
    gc.collect()
    gc.set_threshold(*COLLECT_AFTER)
    sys.setswitchinterval(SWITCH_S)


async def _status(services: Services) -> str:
    """One line for the operator."""
    trouble = services.database.trouble
    alarm = "" if trouble is None else f"; ALARM: the database cannot be written: {trouble}"
    games = services.games.playing.count
    return f"{games} games, {services.presence.connection_count} connections{alarm}"


@dataclass(frozen=True)
class _Edge:
    """The limits of connections, before and after a login."""

    proxies: Proxies
    throttled_log: ThrottledLog
    tcp_connections: TcpConnections
    sockets: Sockets
    attempts: LoginAttempts


@asynccontextmanager
async def _open_edge(
    settings: ArenaSettings, time: TimeSource, metrics: ArenaMetrics
) -> AsyncIterator[_Edge]:
    limits = settings.connections
    room = capacity(limits.connections, descriptor_limit(), open_descriptors())
    sweeper = Sweeper(time)
    throttled_log = ThrottledLog(sweeper, metrics.edge_events.inc)
    proxies = Proxies(settings.trusted_proxies, on_socket=settings.socket_file is not None)
    book = TcpConnections(limits, room, proxies, throttled_log, sweeper)
    sockets = Sockets(limits, room.sockets, throttled_log, sweeper)
    try:
        yield _Edge(proxies, throttled_log, book, sockets, LoginAttempts(limits, time))
    finally:
        await sweeper.close()
        throttled_log.sweep(math.inf)


def _gateway(
    settings: ArenaSettings,
    server: SocketServer,
    outbox: Outbox,
    services: Services,
    edge: _Edge,
    time: TimeSource,
    metrics: ArenaMetrics,
) -> Gateway:
    """Make everything between WebSockets and services."""
    games, clock = services.games, services.clock
    authenticator = Authenticator(
        services.accounts,
        services.hosts,
        services.renamer,
        settings.connections,
        time,
        edge.attempts,
    )
    clients = Clients(services.presence, edge.sockets, settings.connections, time)
    welcomer = Welcomer(outbox, services.performer)
    services.presence.on_renamed += [clients.player_renamed, welcomer.player_renamed]
    server.on_event = Requests(
        clients, services.performer, lambda: games.is_paused, outbox, metrics, clock
    ).take
    return Gateway(
        server,
        edge.sockets,
        authenticator,
        clients,
        welcomer,
        games,
        metrics,
        services.moderation,
    )


def _spectators(services: Services, outbox: Outbox) -> Spectators:
    """Count the connections that follow each game."""
    games, cluster = services.games, services.cluster

    def names_in(game_id: str) -> tuple[str, ...]:
        names = None if cluster is None else cluster.names_in(game_id)
        return games.playing.names_in(game_id) if names is None else names

    def tell(counts: Mapping[str, int], is_all: bool) -> None:
        assert cluster is not None
        told = {"process": cluster.process_id, "counts": dict(counts), "is_all": is_all}
        cluster.events.tell_all("spectators", **told)

    def heard(told: dict[str, Any], _text: str) -> None:
        spectators.heard(told["process"], told["counts"], is_all=told["is_all"])

    spectators = Spectators(
        games,
        lambda game_id: outbox.spectators(game_id, names_in(game_id)),
        services.clock,
        None if cluster is None else tell,
    )
    outbox.on_followers = spectators.changed
    games.playing.on_start.append(lambda game: spectators.changed(game.game_id))
    if cluster is not None:
        cluster.events.on("spectators", heard)
    return spectators


def _application(
    settings: ArenaSettings,
    server: SocketServer,
    services: Services,
    edge: _Edge,
    time: TimeSource,
    metrics: ArenaMetrics,
    bundle: PageBundle | None,
) -> web.Application:
    def facts() -> dict[str, Any]:
        processes = {} if services.cluster is None else {"processes": services.cluster.shown()}
        planned = services.maintenance.planned
        return {
            **processes,
            **({} if planned is None else {"maintenance": wire.encode(planned)}),
            "games": services.games.playing.count,
            "connections": edge.tcp_connections.count,
            "sockets": edge.sockets.count,
            "addresses": edge.sockets.address_count,
            "logged_in": services.presence.connection_count,
            "cut_for_unread_output": edge.tcp_connections.unread.cut,
            "descriptors": {"open": open_descriptors(), "limit": descriptor_limit()},
        }

    page = MetricsPage(metrics, edge.proxies, settings.metrics_networks)
    routes = Routes()
    throttle = Throttle(settings.connections, edge.proxies, time, routes, page.admits)
    app = web.Application(middlewares=[counting(metrics), note_request, throttle.limited])
    add_security_headers(app)
    page.add_to(routes)
    origins = _origins(settings)
    Handshake(server, edge.sockets, edge.proxies, origins, edge.throttled_log).add_to(routes)
    people = services.accounts, services.moderation, services.renamer
    keys = GuestKeys(*people, edge.proxies, edge.attempts)
    documents = DocumentCache()
    previews = Previews(Titles(services.database), edge.proxies, settings.base_path)
    http = Http(routes, keys, documents, edge.proxies, origins, edge.attempts, previews)
    for part in services.parts:
        if part.add_routes is not None:
            part.add_routes(http)
    api = HttpApi(services.store, services.menu, facts, documents, edge.proxies)
    api.add_to(routes)
    add_pages(routes, previews, bundle, settings.base_path)
    routes.add_to(app)
    return app


def _listener(
    settings: ArenaSettings, listening: socket.socket, runner: web.AppRunner, edge: _Edge
) -> Listener:
    server, logger = runner.server, http_logger(edge.throttled_log)
    assert server is not None
    server.request_factory = below(settings.base_path, server.request_factory)

    def make_protocol(entry: TcpConnection) -> HttpProtocol:
        return HttpProtocol(
            server, edge.tcp_connections, entry, settings.connections.request_s, logger
        )

    return Listener(listening, edge.tcp_connections, make_protocol, edge.throttled_log)


def _origins(settings: ArenaSettings) -> Origins:
    machine = socket.gethostname()
    own = [] if settings.socket_file is not None else [settings.host]
    names = [*own, machine, f"{machine}.local", *settings.hosts]
    return Origins(settings.allowed_origins, names)
