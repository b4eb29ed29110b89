"""The WebSocket handshake: which requests are accepted."""

import asyncio
from collections.abc import Iterable
from typing import Final
from urllib.parse import urlsplit

import orjson
from aiohttp import web

from bot.arena.edge.open_sockets import NotAdmitted, Sockets
from bot.arena.edge.socket_server import SocketServer
from bot.arena.edge.tcp import became_socket
from bot.arena.http.addresses import HttpCaller, Proxies, parsed_address
from bot.arena.http.routes import FILE, SOCKET_PATH, Routes
from bot.runtime.throttled_log import ThrottledLog

DEFAULT_PORTS: Final = {"http": 80, "https": 443}


class Origins:
    """Decides which pages may connect: the arena's own, and those of listed sites.

    It is not enough that the page's origin equals the request's Host. The owner of any domain can
    let it point to this machine (DNS rebinding), so the name must also be one of the arena's.
    """

    def __init__(self, allowed: Iterable[str], hosts: Iterable[str]) -> None:
        self._allowed = {origin.lower() for origin in allowed}
        self._hosts = {_plain(host) for host in hosts} | {"localhost"}

    def setting_against(self, origin: str | None, caller: HttpCaller) -> str | None:
        """The setting that would admit a page of that origin; None if it may connect."""
        if origin is None or origin.lower() in self._allowed:
            return None
        theirs = _place(origin)
        ours = _place(f"{caller.scheme}://{caller.host}")
        if theirs is None or ours is None:
            return "allowed_origins"
        if theirs == ours:
            return None if self._is_ours(ours[1]) else "hosts"
        is_behind_tls = theirs[1] == ours[1] and theirs[0] != ours[0]
        if is_behind_tls or caller.is_forwarded_by_stranger:
            return "trusted_proxies"
        return "allowed_origins"

    def is_own(self, origin: str, caller: HttpCaller) -> bool:
        """Return whether a page of that origin is the arena's own, under one of its names."""
        theirs, ours = _place(origin), _place(f"{caller.scheme}://{caller.host}")
        return theirs is not None and theirs == ours and self._is_ours(theirs[1])

    def _is_ours(self, name: str) -> bool:
        return name in self._hosts or parsed_address(name) is not None


def _place(origin: str) -> tuple[str, str, int] | None:
    """Scheme, host and port of an origin; None if it is not an address of a page."""
    try:
        parts = urlsplit(origin)
        port = parts.port or DEFAULT_PORTS[parts.scheme]
    except (ValueError, KeyError):
        return None
    return parts.scheme, _plain(parts.hostname or ""), port


def host_name(host: str) -> str:
    """The name in a Host header, without the port."""
    place = _place(f"http://{host}")
    return "" if place is None else place[1]


def _plain(name: str) -> str:
    return name.lower().rstrip(".")


ENGINE_IO: Final = "4"
"""The revision of Engine.IO; that of Socket.IO follows from it."""
SHOWN_ORIGIN: Final = 100
ONLY_WEBSOCKET: Final = (
    "This server speaks WebSocket only: choose the transport `websocket` in your client's options."
)
OTHER_VERSION: Final = "This server speaks Engine.IO 4 and Socket.IO 5: use a newer client library."
FOREIGN_PAGE: Final = "Pages of this origin may not connect to this server."


class Handshake:
    """The route of Socket.IO: checks each request before it becomes a connection.

    Browsers hide the answer to a refused WebSocket handshake from the page. The page therefore asks
    for the reason with a plain request, which is refused for the same reasons in the same words.
    """

    def __init__(
        self,
        server: SocketServer,
        sockets: Sockets,
        proxies: Proxies,
        origins: Origins,
        throttled_log: ThrottledLog,
    ) -> None:
        self._server = server
        self._sockets = sockets
        self._proxies = proxies
        self._origins = origins
        self._throttled_log = throttled_log

    def add_to(self, routes: Routes) -> None:
        routes.any(SOCKET_PATH, self._enter, FILE)

    async def _enter(self, request: web.Request) -> web.StreamResponse:
        """Serve a WebSocket until it ends, or refuse the handshake."""
        caller = self._proxies.caller(request)
        try:
            self._check_origin(request, caller)
            if not _is_websocket(request):
                raise self._sockets.refusal_of(caller.address) or NotAdmitted(
                    400, "websocket_only", ONLY_WEBSOCKET
                )
            _check_version(request)
            with self._sockets.opened(caller.address, _open_transport(request)) as admitted:
                became_socket(request, caller.address)
                return await self._server.serve(request, admitted)
        except NotAdmitted as refused:
            return _refusal(refused)

    def _check_origin(self, request: web.Request, caller: HttpCaller) -> None:
        origin = request.headers.get("Origin")
        setting = self._origins.setting_against(origin, caller)
        if setting is not None:
            self._throttled_log.note(
                "origin_refused",
                caller.address,
                origin=str(origin)[:SHOWN_ORIGIN],
                host=caller.host[:SHOWN_ORIGIN],
                setting=setting,
            )
            raise NotAdmitted(403, "origin", FOREIGN_PAGE)


def _check_version(request: web.Request) -> None:
    if request.query.get("EIO") != ENGINE_IO:
        raise NotAdmitted(400, "wrong_version", OTHER_VERSION)


def _open_transport(request: web.Request) -> asyncio.Transport:
    if request.transport is None:
        raise NotAdmitted(400, "gone", "The client has disconnected.")
    return request.transport


def _refusal(refused: NotAdmitted) -> web.Response:
    response = web.Response(
        status=refused.status,
        body=orjson.dumps({"code": refused.code, "message": refused.message}),
        content_type="application/json",
        headers={"Cache-Control": "no-store"},
    )
    response.force_close()
    return response


def _is_websocket(request: web.Request) -> bool:
    """Return whether the request is a WebSocket handshake, and not an upgrade of a session."""
    if request.method != "GET" or request.query.get("transport") != "websocket":
        return False
    if "sid" in request.query:
        return False
    try:
        return web.WebSocketResponse().can_prepare(request).ok
    except ValueError:  # a key with characters outside ASCII
        return False
