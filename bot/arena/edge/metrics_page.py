"""GET /metrics: for Prometheus on this machine and in listed networks, and for no other client."""

import ipaddress
from collections.abc import Iterable
from typing import Final

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

from bot.arena.edge.broadcast import Outbox
from bot.arena.edge.open_sockets import Sockets
from bot.arena.edge.socket_server import SocketServer
from bot.arena.edge.tcp import TcpConnections
from bot.arena.http.addresses import Proxies
from bot.arena.http.documents import problem
from bot.arena.http.routes import Routes
from bot.arena.metrics import ArenaMetrics
from bot.runtime.metrics import Reading, metrics_handler

PATH: Final = "/metrics"
PREFIX: Final = "bluestone_arena_"
NOT_FOR_YOU: Final = (
    "Metrics are for this machine and for the networks in the setting metrics_networks."
)


class MetricsPage:
    """The route, and who may read it.

    Anyone on the Internet can reach the route through a proxy on this machine. So the loopback
    counts only for a connection without the headers of a proxy.
    """

    def __init__(self, metrics: ArenaMetrics, proxies: Proxies, networks: Iterable[str]) -> None:
        self._show = metrics_handler(metrics.registry)
        self._proxies = proxies
        self._networks = [ipaddress.ip_network(network) for network in networks]

    def add_to(self, routes: Routes) -> None:
        """Add the route; before that of the pages, which answers any path."""
        routes.get(PATH, self._answer)

    def admits(self, request: web.BaseRequest) -> bool:
        """Return whether this is a request for the metrics by a client who may read them."""
        if request.path != PATH:
            return False
        client = self._proxies.client(request)
        if client is None:
            return False
        is_direct = not self._proxies.is_forwarded(request)
        return (is_direct and client.is_loopback) or any(client in each for each in self._networks)

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        if not self.admits(request):
            return problem(403, "not_admitted", NOT_FOR_YOU)
        return await self._show(request)


def counting(metrics: ArenaMetrics) -> Middleware:
    """A middleware that counts responses by status."""

    @web.middleware
    async def count(request: web.Request, handler: Handler) -> web.StreamResponse:
        try:
            response = await handler(request)
        except web.HTTPException as error:
            metrics.http_responses.inc(str(error.status))
            raise
        metrics.http_responses.inc(str(response.status))
        return response

    return count


def network_readings(
    connections: TcpConnections, sockets: Sockets, outbox: Outbox, server: SocketServer
) -> list[Reading]:
    """Connections, crowds, and clients that were cut because they did not read."""
    return [
        Reading(f"{PREFIX}tcp_connections", "TCP connections.", lambda: connections.count),
        Reading(
            f"{PREFIX}tcp_connections_opened_total",
            "TCP connections that were accepted.",
            lambda: connections.opened,
            kind="counter",
        ),
        Reading(f"{PREFIX}sockets", "WebSockets, with and without a login.", lambda: sockets.count),
        Reading(f"{PREFIX}sockets_limit", "The most WebSockets.", lambda: sockets.most),
        Reading(
            f"{PREFIX}addresses",
            "Addresses with WebSockets, as the limits count them.",
            lambda: sockets.address_count,
        ),
        Reading(
            f"{PREFIX}followers",
            "Connections that follow a game or tournament, once for each that they follow.",
            outbox.followers_by_kind,
            ("of",),
        ),
        Reading(
            f"{PREFIX}slow_consumers_total",
            "Connections that were cut because the client did not read.",
            lambda: {**server.cut, "address": connections.unread.cut},
            ("cause",),
            kind="counter",
        ),
    ]
