"""Limits of plain HTTP per address: a token bucket, and two running requests at a time.

Handshakes of WebSockets have a bucket of their own and take none of the two places: when a crowd
behind one address reconnects again and again, its pages still load, and when it has used up its
requests, its players can still reconnect. Open WebSockets are limited in `handshake` and `clients`.
"""

import asyncio
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Final

from aiohttp import web
from aiohttp.typedefs import Handler

from bot.arena.model.refusals import RATE_LIMITED
from bot.arena.net.addresses import Proxies
from bot.arena.net.documents import problem
from bot.arena.net.handshake import PATH
from bot.arena.net.rate_limit import AddressBuckets
from bot.arena.settings import ConnectionLimits
from bot.time_source import TimeSource

RUNNING_AT_ONCE: Final = 2
"""Further requests wait: a page may send several at the same moment."""
REQUEST_WEIGHT: Final = 10
"""The tokens of a request under /api; a file of the page or a handshake costs one token."""
TOURNAMENT_WEIGHT: Final = 5 * REQUEST_WEIGHT
DRAWING: Final = "/api/position.svg"
DRAWING_WEIGHT: Final = 5 * REQUEST_WEIGHT
"""Playing the turns of any position, and drawing it, takes up to half a second."""
HEAVY: Final = {".png": 10, ".gif": 200, ".sgf": 5, ".jsonl": 5}
"""How many requests such a file counts as: making a picture takes a tenth of a second."""
HELD_S: Final = 1.0
"""A request without a token waits this long and tries once more, which slows floods."""
RUN_S: Final = 30.0
"""A request waits at most this long for its turn."""
TOO_MANY: Final = "Too many requests from this address."


@dataclass(slots=True)
class _Address:
    """The places for running requests; `users` counts the requests that have or await one."""

    places: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(RUNNING_AT_ONCE))
    users: int = 0


class Throttle:
    """Delays, then refuses, requests of addresses that send too many.

    Requests for which `exempts` returns true are not limited.
    """

    def __init__(
        self,
        limits: ConnectionLimits,
        proxies: Proxies,
        time: TimeSource,
        exempts: Callable[[web.BaseRequest], bool] = lambda _request: False,
    ) -> None:
        self._exempts = exempts
        self._proxies = proxies
        self._time = time
        rate = limits.requests_per_s * REQUEST_WEIGHT, limits.requests_burst * REQUEST_WEIGHT
        self._requests, self._handshakes = (AddressBuckets(*rate, time) for _ in range(2))
        self._addresses: dict[str, _Address] = {}

    @web.middleware
    async def limited(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Answer with 429 and `Retry-After` if the address has no token for the request."""
        weight = _weight(request.path)
        if self._exempts(request):
            return await handler(request)
        address = self._proxies.caller(request).address
        is_handshake = request.path.startswith(PATH)
        bucket = (self._handshakes if is_handshake else self._requests).of(address)
        if not bucket.take(weight):
            await self._time.sleep(HELD_S)
            if not bucket.take(weight):
                return _refusal(bucket.wait_for(weight))
        if is_handshake:  # a WebSocket has its own limits, and runs for hours
            return await handler(request)
        return await self._run(address, request, handler)

    async def _run(
        self, address: str, request: web.Request, handler: Handler
    ) -> web.StreamResponse:
        """Answer the request when the address has a place for it."""
        waiting = self._addresses.setdefault(address, _Address())
        waiting.users += 1
        try:
            try:
                async with asyncio.timeout(RUN_S):
                    await waiting.places.acquire()
            except TimeoutError:
                return _refusal(HELD_S)
            try:
                return await handler(request)
            finally:
                waiting.places.release()
        finally:
            waiting.users -= 1
            if not waiting.users:
                del self._addresses[address]


def _weight(path: str) -> int:
    """The tokens for a request of this path."""
    if path.startswith("/api/tournaments/"):
        return TOURNAMENT_WEIGHT
    if path == DRAWING:
        return DRAWING_WEIGHT
    if path.startswith("/api/") and (ending := PurePosixPath(path).suffix) in HEAVY:
        return HEAVY[ending] * REQUEST_WEIGHT
    return REQUEST_WEIGHT if path.startswith("/api/") or path == "/healthz" else 1


def _refusal(wait_s: float) -> web.Response:
    response = problem(429, RATE_LIMITED, TOO_MANY)
    response.headers["Retry-After"] = str(max(1, math.ceil(wait_s)))
    return response
