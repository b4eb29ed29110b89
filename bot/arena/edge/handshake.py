"""The WebSocket handshake: which requests are accepted, and how many may be open."""

import asyncio
import math
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

import orjson
import socketio
from aiohttp import web

from bot.arena.edge.tcp import became_socket
from bot.arena.http.addresses import Caller, Proxies, parsed_address
from bot.arena.http.routes import FILE, SOCKET_PATH, Routes
from bot.arena.settings import ConnectionLimits
from bot.runtime.sweeper import Sweeper
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

    def setting_against(self, origin: str | None, caller: Caller) -> str | None:
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

    def is_own(self, origin: str, caller: Caller) -> bool:
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


HARDLY_ANY: Final = 2
"""Clients with fewer connections are newcomers: one may be broken without being noticed yet."""
REFUSALS_SHOWN: Final = 5
"""This many refused logins of one address per minute are logged one by one."""

SERVER_IS_FULL: Final = "The server has no room for more connections."
ONLY_NEWCOMERS: Final = "The server has room only for clients that are not connected yet."
TOO_MANY_OF_ADDRESS: Final = "There are too many connections from this address."


class NotAdmitted(Exception):
    """A refused handshake, with an HTTP status, a code and a sentence."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message


@dataclass(eq=False)
class OpenSocket:
    """One WebSocket.

    `connection` is Socket.IO's id while a player is logged in. `since` says since when none is.
    `is_asking` is true while credentials are looked up.
    """

    address: str
    transport: asyncio.Transport
    since: float
    connection: str | None = None
    is_asking: bool = False

    @property
    def is_broken(self) -> bool:
        """Whether the transport is closing."""
        return self.transport.is_closing()


class Sockets:
    """Counts WebSockets before they are accepted, and closes those that do not log in.

    A share of the room is kept for newcomers, so that addresses and players with many connections
    cannot take all of it.
    """

    def __init__(
        self,
        limits: ConnectionLimits,
        most: int,
        throttled_log: ThrottledLog,
        sweeper: Sweeper,
    ) -> None:
        self._limits = limits
        self._most = most
        self._most_for_all = most - int(most * limits.newcomers_share)
        self._throttled_log = throttled_log
        self._sweeper = sweeper
        self._open: dict[object, OpenSocket] = {}
        self._of_address: Counter[str] = Counter()
        sweeper.add(self.sweep)

    @property
    def count(self) -> int:
        return len(self._open)

    @property
    def most(self) -> int:
        """How many may be open at once."""
        return self._most

    @property
    def address_count(self) -> int:
        return len(self._of_address)

    @contextmanager
    def opened(
        self, key: object, address: str, transport: asyncio.Transport
    ) -> Iterator[OpenSocket]:
        """Count a socket while it is open; `find` finds it by `key`.

        Raises NotAdmitted if there is no room.
        """
        refusal = self.refusal_of(address)
        if refusal is not None:
            self._throttled_log.note(
                "socket_refused", address, why=refusal.message, sockets=self.count
            )
            raise refusal
        socket = self._open[key] = OpenSocket(address, transport, self._sweeper.now())
        self._of_address[address] += 1
        self._sweeper.wake()
        try:
            yield socket
        finally:
            del self._open[key]
            self._of_address[address] -= 1
            if not self._of_address[address]:
                del self._of_address[address]

    def find(self, key: object) -> OpenSocket | None:
        return self._open.get(key)

    def is_closed_to(self, held: int) -> bool:
        """Return whether the remaining room is kept for clients with fewer connections
        than `held`.
        """
        return self.count >= self._most_for_all and held >= HARDLY_ANY

    def refusal_of(self, address: str) -> NotAdmitted | None:
        """Why the address may not open a socket now; None if it may."""
        held = self._of_address[address]
        if self.count >= self._most:
            return NotAdmitted(503, "too_many", SERVER_IS_FULL)
        if held >= self._limits.sockets_per_address:
            return NotAdmitted(429, "too_many", TOO_MANY_OF_ADDRESS)
        if self.is_closed_to(held):
            return NotAdmitted(503, "too_many", ONLY_NEWCOMERS)
        return None

    def logged_in(self, socket: OpenSocket, connection: str) -> None:
        socket.connection = connection

    def login_refused(self, socket: OpenSocket, code: str) -> None:
        """Log that credentials were refused, throttled per address."""
        self._throttled_log.note("login_refused", socket.address, lines=REFUSALS_SHOWN, code=code)

    def logged_out(self, socket: OpenSocket) -> None:
        """Note that no player is logged in any more; the client may log in again."""
        socket.connection = None
        socket.since = self._sweeper.now()
        self._sweeper.wake()

    def sweep(self, now: float) -> bool:
        """Close sockets without a login for too long; returns whether others may become due."""
        silent = [each for each in self._open.values() if each.connection is None]
        for socket in silent:
            if now - socket.since >= self._limits.login_s and not socket.is_asking:
                self._throttled_log.note("socket_without_login", socket.address)
                socket.transport.abort()
                socket.since = math.inf
        # An aborted socket is removed when the task that reads it ends.
        return any(each.since < math.inf for each in silent)


SHOWN_ORIGIN: Final = 100
ONLY_WEBSOCKET: Final = (
    "This server speaks WebSocket only: choose the transport `websocket` in your client's options."
)
FOREIGN_PAGE: Final = "Pages of this origin may not connect to this server."


class Handshake:
    """The route of Socket.IO: checks each request before the library sees it.

    Browsers hide the answer to a refused WebSocket handshake from the page. The page therefore asks
    for the reason with a plain request, which is refused for the same reasons in the same words.
    """

    def __init__(
        self,
        server: socketio.AsyncServer,
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
            transport = _open_transport(request)
            with self._sockets.opened(request.protocol, caller.address, transport):
                became_socket(request, caller.address)
                response: web.StreamResponse = await self._server.handle_request(request)
                return response
        except NotAdmitted as refused:
            return _refusal(refused)

    def _check_origin(self, request: web.Request, caller: Caller) -> None:
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
    """Return whether the request is a WebSocket handshake; Engine.IO would check that too late."""
    if request.query.get("transport") != "websocket":
        return False
    try:
        return web.WebSocketResponse().can_prepare(request).ok
    except ValueError:  # a key with characters outside ASCII
        return False
