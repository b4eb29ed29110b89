"""The client's address behind trusted proxies, and its form for limits."""

import ipaddress
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from aiohttp import web

from bot.arena.settings import UNIX_PEER

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

IPV6_SUBSCRIBER: Final = 64
"""Bits of an IPv6 address that a subscriber cannot choose."""
FORWARDED: Final = (
    *("Forwarded", "Via", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto"),
    *("X-Forwarded-Port", "X-Forwarded-Server", "X-Real-IP", "CF-Connecting-IP", "True-Client-IP"),
)
"""Headers of which at least one is in a request that came through a proxy."""
SCHEMES: Final = {"http": "http", "https": "https", "ws": "http", "wss": "https"}
"""Values of X-Forwarded-Proto, and the scheme of the page's address for each."""


def parsed_address(text: str) -> Address | None:
    """An address as sockets and proxies write it, with or without port, zone and brackets."""
    text = text.strip()
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None:
        return address.ipv4_mapped
    return address


def counted_as(text: str) -> str:
    """Return the address by which limits count: an IPv4 address, or the /64 of an IPv6 address."""
    address = parsed_address(text)
    if isinstance(address, ipaddress.IPv6Address):
        return str(ipaddress.ip_network((address, IPV6_SUBSCRIBER), strict=False))
    return text if address is None else str(address)


@dataclass(frozen=True)
class HttpCaller:
    """The client of a request and the server's name in it, as the outermost trusted proxy saw them.

    `is_forwarded_by_stranger`: the request has X-Forwarded-For from a proxy that is not trusted.
    """

    address: str
    scheme: str
    host: str
    is_forwarded_by_stranger: bool = False


class Proxies:
    """The trusted proxies in front of the arena; X-Forwarded-... of all others is ignored.

    `on_socket`: the arena listens on a Unix socket. Its clients have no addresses, but may bind
    their end to a file whose name looks like one. So all of them are `UNIX_PEER`.
    """

    def __init__(self, trusted: Iterable[str], *, on_socket: bool = False) -> None:
        names = set(trusted)
        self._on_socket = on_socket
        self._trusts_socket = on_socket and UNIX_PEER in names
        self._networks = [ipaddress.ip_network(each) for each in names - {UNIX_PEER}]

    def trusts(self, text: str) -> bool:
        """Return whether a connection from that address comes from a trusted proxy."""
        if text == UNIX_PEER:
            return self._trusts_socket
        address = parsed_address(text)
        return address is not None and any(address in network for network in self._networks)

    def caller(self, request: web.BaseRequest) -> HttpCaller:
        """The client for limits and origins; `address` is as `counted_as` gives it."""
        peer, headers = self._peer(request), request.headers
        if not self.trusts(peer):
            is_forwarded = "X-Forwarded-For" in headers
            return HttpCaller(counted_as(peer), request.scheme, request.host, is_forwarded)
        scheme = _first(headers.get("X-Forwarded-Proto", "")).lower()
        return HttpCaller(
            counted_as(self._client(peer, headers.getall("X-Forwarded-For", []))),
            SCHEMES.get(scheme, request.scheme),
            _first(headers.get("X-Forwarded-Host", "")) or request.host,
        )

    def client(self, request: web.BaseRequest) -> Address | None:
        """The client's address in full; None if it is not known.

        It is not known if a proxy that is not trusted, or that names no client, has forwarded the
        request.
        """
        peer, lines = self._peer(request), request.headers.getall("X-Forwarded-For", [])
        if not self.is_forwarded(request):
            return parsed_address(peer)
        if not self.trusts(peer):
            return None
        client = self._client(peer, lines)
        return None if self.trusts(client) else parsed_address(client)

    def is_forwarded(self, request: web.BaseRequest) -> bool:
        """Return whether the request has a header that proxies add."""
        return any(name in request.headers for name in FORWARDED)

    def _peer(self, request: web.BaseRequest) -> str:
        return UNIX_PEER if self._on_socket else request.remote or ""

    def _client(self, peer: str, lines: Sequence[str]) -> str:
        """The last address that is not a trusted proxy; anyone can invent those before it."""
        hops = [hop for line in lines for hop in line.split(",")]
        nearest = peer
        while hops and self.trusts(nearest):
            hop = parsed_address(hops.pop())
            if hop is None:
                break
            nearest = str(hop)
        return nearest


def _first(text: str) -> str:
    return text.split(",")[0].strip()
