"""The routes of the server: each room adds its own, with what a request costs.

HTTP counts in tenths: an ordinary request for data weighs `REQUEST`, a file of the page `FILE`.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Final, NamedTuple

from aiohttp import web
from aiohttp.typedefs import Handler
from aiohttp.web_urldispatcher import UrlMappingMatchInfo

from bot.errors import ConfigurationError

FILE: Final = 1
"""The weight of a file of the page, of a handshake and of an unknown address."""
REQUEST: Final = 10
"""The weight of an ordinary request for data."""

SOCKET_PATH: Final = "/socket.io/"
"""Where WebSockets are opened."""

Values = Mapping[str, str]
"""The variable parts of an address."""
Weight = int | Callable[[Values], int]


class _Cost(NamedTuple):
    weight: Weight
    is_download: bool


class Routes:
    """The routes of all rooms, and what a request for each of them costs.

    A route with many forms must come after those with one: the first that matches answers.
    """

    def __init__(self) -> None:
        self._router = web.UrlDispatcher()
        self._costs: dict[web.AbstractResource, _Cost] = {}
        self._known: set[tuple[str, str]] = set()

    def __iter__(self) -> Iterator[str]:
        """The routes as the router writes them."""
        return iter({each.canonical for each in self._costs})

    def get(
        self, path: str, handler: Handler, weight: Weight = REQUEST, *, is_download: bool = False
    ) -> None:
        """Answer GET and HEAD. A download is sent while it is made."""
        self._add("GET", path, handler, _Cost(weight, is_download))

    def post(
        self, path: str, handler: Handler, weight: Weight = REQUEST, *, is_download: bool = False
    ) -> None:
        """Answer POST."""
        self._add("POST", path, handler, _Cost(weight, is_download))

    def any(self, path: str, handler: Handler, weight: Weight) -> None:
        """Answer requests with any method."""
        self._add("*", path, handler, _Cost(weight, is_download=False))

    def weight(self, found: UrlMappingMatchInfo) -> int:
        """Return the weight of a request by what the router has found for it."""
        cost = self._cost(found)
        if cost is None:
            return FILE
        return cost.weight if isinstance(cost.weight, int) else cost.weight(found)

    def is_download(self, found: UrlMappingMatchInfo) -> bool:
        """Return whether the answer to a request is sent while it is made."""
        cost = self._cost(found)
        return cost is not None and cost.is_download

    def add_to(self, app: web.Application) -> None:
        """Let an application answer all routes."""
        for resource in self._router.resources():
            app.router.register_resource(resource)

    def _add(self, method: str, path: str, handler: Handler, cost: _Cost) -> None:
        """Raises ConfigurationError if another room answers the same."""
        if (method, path) in self._known:
            raise ConfigurationError(f"two capabilities answer {method} {path}")
        self._known.add((method, path))
        if method == "GET":
            added = self._router.add_get(path, handler)
        else:
            added = self._router.add_route(method, path, handler)
        assert added.resource is not None
        self._costs[added.resource] = cost

    def _cost(self, found: UrlMappingMatchInfo) -> _Cost | None:
        resource = found.route.resource
        return None if resource is None else self._costs[resource]
