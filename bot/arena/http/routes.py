"""The routes of the server: each room adds its own, with what a request costs.

HTTP counts in tenths: an ordinary request for data weighs `REQUEST`, a file of the page `FILE`.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Final, NamedTuple

from aiohttp import web
from aiohttp.typedefs import Handler

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


def picture_weight(values: Values) -> int:
    """Return the weight of a picture: a PNG takes a tenth of a second, a GIF seconds."""
    return {"png": 10, "gif": 200}.get(values["form"], 5) * REQUEST


class Routes:
    """The routes of all rooms, and what a request for each of them costs.

    A route with many forms must come after those with one: the first that matches answers.
    """

    def __init__(self) -> None:
        self._router = web.UrlDispatcher()
        self._costs: dict[str, _Cost] = {}

    def __iter__(self) -> Iterator[str]:
        """The routes as the router writes them."""
        return iter(self._costs)

    def get(
        self, path: str, handler: Handler, weight: Weight = REQUEST, *, is_download: bool = False
    ) -> None:
        """Answer GET and HEAD. A download is sent while it is made."""
        self._note(self._router.add_get(path, handler), weight, is_download=is_download)

    def post(
        self, path: str, handler: Handler, weight: Weight = REQUEST, *, is_download: bool = False
    ) -> None:
        """Answer POST."""
        self._note(self._router.add_post(path, handler), weight, is_download=is_download)

    def any(self, path: str, handler: Handler, weight: Weight) -> None:
        """Answer requests with any method."""
        self._note(self._router.add_route("*", path, handler), weight, is_download=False)

    def weight(self, route: str | None, values: Values) -> int:
        """Return the weight of a request for a route; of an unknown address if it is None."""
        if route is None:
            return FILE
        weight = self._costs[route].weight
        return weight if isinstance(weight, int) else weight(values)

    def is_download(self, route: str | None) -> bool:
        """Return whether the answers of the route are sent while they are made."""
        return route is not None and self._costs[route].is_download

    def add_to(self, app: web.Application) -> None:
        """Let an application answer all routes."""
        for resource in self._router.resources():
            app.router.register_resource(resource)

    def _note(self, added: web.AbstractRoute, weight: Weight, *, is_download: bool) -> None:
        assert added.resource is not None
        self._costs[added.resource.canonical] = _Cost(weight, is_download)
