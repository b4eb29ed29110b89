"""The WebSocket handshake: which requests become sockets, and how many sockets may be open."""

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

from bot.arena.net.addresses import Caller, Proxies, parsed_address
from bot.arena.net.sweeper import Sweeper
from bot.arena.net.tcp import became_socket
from bot.arena.net.throttled_log import ThrottledLog
from bot.arena.settings import ConnectionLimits

DEFAULT_PORTS: Final = {"http": 80, "https": 443}


class Origins:
    """Pages of our own, under names that are ours, and those of sites that are listed.

    That the request's Host is the page's own is not enough: whoever owns a name can let it point
    to this machine, and then a page of theirs under that name would be taken for one of ours.
    """

    def __init__(self, allowed: Iterable[str], hosts: Iterable[str]) -> None:
        self._allowed = {origin.lower() for origin in allowed}
        self._hosts = {_plain(host) for host in hosts} | {"localhost"}

    def setting_against(self, origin: str | None, caller: Caller) -> str | None:
        """The setting that keeps a page of that origin out; None if it may connect."""
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

    def _is_ours(self, name: str) -> bool:
        return name in self._hosts or parsed_address(name) is not None


def _place(origin: str) -> tuple[str, str, int] | None:
    """Scheme, name and port; None for what is no address of a page."""
    try:
        parts = urlsplit(origin)
        port = parts.port or DEFAULT_PORTS[parts.scheme]
    except (ValueError, KeyError):
        return None
    return parts.scheme, _plain(parts.hostname or ""), port


def _plain(name: str) -> str:
    return name.lower().rstrip(".")


HARDLY_ANY: Final = 2
"""A connection, and one that broke and is not noticed yet; who has fewer than that is new."""
REFUSALS_SHOWN: Final = 5
"""So many refused logins of an address a minute make a line each."""

SERVER_IS_FULL: Final = "The server has no room for more connections."
ONLY_NEWCOMERS: Final = "The server has room only for those who are not connected yet."
TOO_MANY_OF_ADDRESS: Final = "There are too many connections from this address."


class NotAdmitted(Exception):
    """A request for a socket that is refused, with an HTTP status, a code and a sentence."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message


@dataclass(eq=False)
class OpenSocket:
    """One WebSocket; `since`: from when on nobody is logged in over it.

    `connection` is Socket.IO's name for it while somebody is, `is_asking` while credentials are
    looked up.
    """

    address: str
    transport: asyncio.Transport
    since: float
    connection: str | None = None
    is_asking: bool = False

    @property
    def is_broken(self) -> bool:
        """Whether nothing can be sent any more."""
        return self.transport.is_closing()


class Sockets:
    """Counts sockets before they are accepted, and closes those that do not log in.

    A share of the room is kept for addresses and players who have hardly any connection yet, so
    that those who have many cannot take it all.
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
    def address_count(self) -> int:
        return len(self._of_address)

    @contextmanager
    def opened(
        self, key: object, address: str, transport: asyncio.Transport
    ) -> Iterator[OpenSocket]:
        """A socket for as long as it lasts, found by `key`; NotAdmitted if there is no room."""
        self._check_room(address)
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
        """Whether what room there is is kept for who has fewer connections than that."""
        return self.count >= self._most_for_all and held >= HARDLY_ANY

    def _check_room(self, address: str) -> None:
        held = self._of_address[address]
        if self.count >= self._most:
            refusal = NotAdmitted(503, "too_many", SERVER_IS_FULL)
        elif held >= self._limits.sockets_per_address:
            refusal = NotAdmitted(429, "too_many", TOO_MANY_OF_ADDRESS)
        elif self.is_closed_to(held):
            refusal = NotAdmitted(503, "too_many", ONLY_NEWCOMERS)
        else:
            return
        self._throttled_log.note("socket_refused", address, why=refusal.message, sockets=self.count)
        raise refusal

    def logged_in(self, socket: OpenSocket, connection: str) -> None:
        socket.connection = connection

    def login_refused(self, socket: OpenSocket, code: str) -> None:
        """Credentials that came over a socket are refused; strangers do not fill the log."""
        self._throttled_log.note("login_refused", socket.address, lines=REFUSALS_SHOWN, code=code)

    def logged_out(self, socket: OpenSocket) -> None:
        """Nobody is logged in any more; the socket may be used to log in again."""
        socket.connection = None
        socket.since = self._sweeper.now()
        self._sweeper.wake()

    def sweep(self, now: float) -> bool:
        """Close whoever has not asked to log in for too long; whether anybody still may."""
        silent = [each for each in self._open.values() if each.connection is None]
        for socket in silent:
            if now - socket.since >= self._limits.login_s and not socket.is_asking:
                self._throttled_log.note("socket_without_login", socket.address)
                socket.transport.abort()
                socket.since = math.inf
        # One that is closed is gone when the task that reads it has ended, which nobody times.
        return any(each.since < math.inf for each in silent)


PATH: Final = "/socket.io/"
SHOWN_ORIGIN: Final = 100
ONLY_WEBSOCKET: Final = (
    "This server speaks WebSocket only: choose the transport `websocket` in your client's options."
)
FOREIGN_PAGE: Final = "Pages from there may not connect to this server."


class Handshake:
    """The one address of Socket.IO."""

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

    def add_to(self, app: web.Application) -> None:
        app.router.add_route("*", PATH, self._enter)

    async def _enter(self, request: web.Request) -> web.StreamResponse:
        """The whole life of a socket, or a refusal."""
        caller = self._proxies.caller(request)
        try:
            _check_is_websocket(request)
            self._check_origin(request, caller)
            transport = _open_transport(request)
            with self._sockets.opened(request.protocol, caller.address, transport):
                became_socket(request)
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
        raise NotAdmitted(400, "gone", "Whoever asked has gone.")
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


def _check_is_websocket(request: web.Request) -> None:
    if request.query.get("transport") != "websocket" or not _is_handshake(request):
        raise NotAdmitted(400, "websocket_only", ONLY_WEBSOCKET)


def _is_handshake(request: web.Request) -> bool:
    """Engine.IO would note a socket before it finds out that there cannot be one."""
    try:
        return web.WebSocketResponse().can_prepare(request).ok
    except ValueError:  # a key with letters that are not ASCII
        return False
