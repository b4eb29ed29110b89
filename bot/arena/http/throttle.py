"""Limits of plain HTTP per address: a token bucket, and two running requests at a time.

`bot.arena.http.costs` has the weight of each route. A request has no place while its client reads a
part of a download, so that a slow download stops nobody else behind the same address.

Handshakes of WebSockets have a bucket of their own and take none of the two places: when a crowd
behind one address reconnects again and again, its pages still load, and when it has used up its
requests, its players can still reconnect. Open WebSockets are limited in `handshake` and `clients`.
"""

import asyncio
import math
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Final

from aiohttp import web
from aiohttp.typedefs import Handler

from bot.arena.http.addresses import Proxies
from bot.arena.http.documents import problem
from bot.arena.http.routes import REQUEST, SOCKET_PATH, Routes
from bot.arena.refusals import RATE_LIMITED
from bot.arena.settings import ConnectionLimits
from bot.runtime.fair_places import FairPlaces
from bot.runtime.rate_limit import AddressBuckets
from bot.runtime.workers import working_for
from bot.time_source import TimeSource

RUNNING_AT_ONCE: Final = 2
"""Further requests wait: a page may send several at the same moment."""
DOWNLOADS_AT_ONCE: Final = 6
"""The downloads of one address; a part of each, about a megabyte, is in memory."""
ALL_DOWNLOADS: Final = 60
HELD_S: Final = 1.0
"""A request without a token waits this long and tries once more, which slows floods."""
RUN_S: Final = 30.0
"""A request waits at most this long for its turn."""
TOO_MANY: Final = "Too many requests from this address."


class _Place:
    """The place of a running request. Downloads give it back while their clients read."""

    def __init__(self, places: FairPlaces, address: str) -> None:
        self._places = places
        self._address = address
        self._is_held = False

    async def take(self) -> None:
        await self._places.take(self._address)
        self._is_held = True

    def give_back(self) -> None:
        if self._is_held:
            self._is_held = False
            self._places.give_back(self._address)


_PLACE: Final = web.RequestKey("place", _Place)


@asynccontextmanager
async def while_client_reads(request: web.Request) -> AsyncIterator[None]:
    """Let other requests of the address run within the block."""
    place = request.get(_PLACE)
    if place is not None:
        place.give_back()
    yield
    if place is not None:
        await place.take()


class Throttle:
    """Delays, then refuses, requests of addresses that send too many.

    Requests for which `exempts` returns true are not limited.
    """

    def __init__(
        self,
        limits: ConnectionLimits,
        proxies: Proxies,
        time: TimeSource,
        routes: Routes,
        exempts: Callable[[web.BaseRequest], bool] = lambda _request: False,
    ) -> None:
        self._exempts = exempts
        self._routes = routes
        self._proxies = proxies
        self._time = time
        rate = limits.requests_per_s * REQUEST, limits.requests_burst * REQUEST
        self._requests, self._handshakes = (AddressBuckets(*rate, time) for _ in range(2))
        self._running = FairPlaces(of_each=RUNNING_AT_ONCE)
        self._downloads = FairPlaces(ALL_DOWNLOADS, DOWNLOADS_AT_ONCE)

    @web.middleware
    async def limited(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Answer with 429 and `Retry-After` if the address has no token for the request."""
        found = request.match_info
        weight = self._routes.weight(found)
        if self._exempts(request):
            return await handler(request)
        address = self._proxies.caller(request).address
        is_handshake = request.path.startswith(SOCKET_PATH)
        bucket = (self._handshakes if is_handshake else self._requests).of(address)
        if not bucket.take(weight):
            await self._time.sleep(HELD_S)
            if not bucket.take(weight):
                return _refusal(bucket.wait_for(weight))
        if is_handshake:  # a WebSocket has its own limits, and runs for hours
            return await handler(request)
        try:
            if self._routes.is_download(found):
                return await self._download(address, request, handler)
            return await self._run(address, request, handler)
        except _NoPlace:
            return _refusal(HELD_S)

    async def _download(
        self, address: str, request: web.Request, handler: Handler
    ) -> web.StreamResponse:
        await _in_time(self._downloads.take(address))
        try:
            return await self._run(address, request, handler)
        finally:
            self._downloads.give_back(address)

    async def _run(
        self, address: str, request: web.Request, handler: Handler
    ) -> web.StreamResponse:
        """Answer the request when the address has a place for it."""
        place = request[_PLACE] = _Place(self._running, address)
        await _in_time(place.take())
        try:
            with working_for(address):
                return await handler(request)
        finally:
            place.give_back()


class _NoPlace(Exception):
    """The address had no place in time."""


async def _in_time(taken: Awaitable[None]) -> None:
    try:
        async with asyncio.timeout(RUN_S):
            await taken
    except TimeoutError:
        raise _NoPlace from None


def _refusal(wait_s: float) -> web.Response:
    response = problem(429, RATE_LIMITED, TOO_MANY)
    response.headers["Retry-After"] = str(max(1, math.ceil(wait_s)))
    return response
