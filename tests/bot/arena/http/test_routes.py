"""A route has one room that answers it, and a weight of its own."""

import pytest
from aiohttp import web
from aiohttp.test_utils import make_mocked_request

from bot.arena.http.routes import FILE, Routes
from bot.errors import ConfigurationError


async def nothing(_request: web.Request) -> web.Response:
    return web.Response()


def test_a_package_cannot_take_over_a_route() -> None:
    routes = Routes()
    routes.get("/healthz", nothing)
    routes.post("/healthz", nothing)
    with pytest.raises(ConfigurationError, match="two capabilities answer GET /healthz"):
        routes.get("/healthz", nothing)


async def test_routes_that_differ_by_a_pattern_have_their_own_weights() -> None:
    routes, app = Routes(), web.Application()
    routes.get("/{id}.{form:png}", nothing, 100)
    routes.get("/{id}.{form:txt}", nothing, 7, is_download=True)
    routes.add_to(app)
    found = {
        path: await app.router.resolve(make_mocked_request("GET", path))
        for path in ("/a.png", "/a.txt", "/a.gif")
    }
    assert [routes.weight(each) for each in found.values()] == [100, 7, FILE]
    assert [routes.is_download(each) for each in found.values()] == [False, True, False]
