"""How much plain HTTP one address gets."""

import asyncio
from functools import cache

import pytest
from aiohttp import web
from aiohttp.test_utils import make_mocked_request
from aiohttp.typedefs import Handler

from bot.arena.http.addresses import Proxies
from bot.arena.http.routes import FILE, REQUEST, SOCKET_PATH, Routes
from bot.arena.http.throttle import DOWNLOADS_AT_ONCE, RUNNING_AT_ONCE, Throttle, while_client_reads
from bot.arena.settings import ConnectionLimits
from tests.fakes.time import FakeTime

FILES_OF_A_PAGE = 130
"""With the scripts as they are, unbundled."""


def site_routes() -> tuple[Routes, web.UrlDispatcher]:
    """Routes of each kind, and the router that finds them."""
    routes, app = Routes(), web.Application()
    for path in ("/healthz", "/api/games", "/api/records", "/api/boards/{game}/{board}"):
        routes.get(path, nothing)
    routes.get("/api/tournaments/{id}", nothing, 5 * REQUEST)
    routes.get("/api/records.{form}", nothing, 5 * REQUEST, is_download=True)
    routes.any(SOCKET_PATH, nothing, FILE)
    routes.get("/{path:.*}", nothing, FILE)
    routes.add_to(app)
    return routes, app.router


async def nothing(_request: web.Request) -> web.StreamResponse:
    return web.Response()


@cache
def mocked(path: str, client: str) -> web.Request:
    return make_mocked_request("GET", path, headers={"X-Forwarded-For": client})


class Site:
    """A throttle behind the proxy 10.0.0.1, and handlers that run until they are let go."""

    def __init__(self, **limits: float) -> None:
        self.time = FakeTime()
        settings = ConnectionLimits.model_validate(limits)
        self.throttle = Throttle(settings, Proxies(["10.0.0.1"]), self.time, ROUTES)
        self.let_go = asyncio.Event()
        self.running = 0
        self.most = 0

    async def handler(self, _: web.Request) -> web.StreamResponse:
        self.running += 1
        self.most = max(self.most, self.running)
        await self.let_go.wait()
        self.running -= 1
        return web.Response()

    def get(
        self, path: str, client: str = "192.0.2.1", handler: Handler | None = None
    ) -> asyncio.Task[web.StreamResponse]:
        """Through the proxy, for that client."""
        request = mocked(path, client)
        return asyncio.create_task(self._answer(request.clone(remote="10.0.0.1"), handler))

    async def _answer(self, request: web.Request, handler: Handler | None) -> web.StreamResponse:
        found = await ROUTER.resolve(request)
        found.add_app(web.Application())
        request._match_info = found  # as the application does
        return await self.throttle.limited(request, handler or self.handler)


ROUTES, ROUTER = site_routes()


async def test_two_requests_of_an_address_run_at_a_time_and_the_others_wait() -> None:
    site = Site()
    asked = [site.get("/api/games") for _ in range(5)]
    other = site.get("/api/games", client="192.0.2.2")
    await site.time.settle()
    assert site.running == RUNNING_AT_ONCE + 1
    site.let_go.set()
    answers = await asyncio.gather(*asked, other)
    assert {each.status for each in answers} == {200}
    assert site.most == RUNNING_AT_ONCE + 1


async def test_an_address_without_a_token_is_refused_after_a_second_with_a_retry_time() -> None:
    site = Site(requests_per_s=0.25, requests_burst=2)
    site.let_go.set()
    for _ in range(2):
        assert (await site.get("/api/games")).status == 200
    late = site.get("/api/games")
    await site.time.settle()
    assert not late.done()
    await site.time.advance(1.0)
    refused = await late
    assert (refused.status, refused.headers["Retry-After"]) == (429, "3")
    assert isinstance(refused, web.Response)
    assert "rate_limited" in str(refused.text)
    assert (await site.get("/api/games", client="192.0.2.2")).status == 200
    await site.time.advance(3.0)
    assert (await site.get("/api/games")).status == 200


async def test_a_class_behind_one_address_gets_the_page_at_once() -> None:
    site = Site()
    site.let_go.set()
    for _ in range(30):
        for number in range(FILES_OF_A_PAGE):
            assert (await site.get(f"/js/{number}.js")).status == 200
        for path in ("/api/games", "/api/records", "/api/boards/bluestone/pent-6"):
            assert (await site.get(path)).status == 200


@pytest.mark.parametrize(("path", "most"), [("/api/games", 10), ("/api/tournaments/a", 2)])
async def test_a_tournament_counts_as_five_requests(path: str, most: int) -> None:
    site = Site(requests_per_s=0.001, requests_burst=10)
    site.let_go.set()
    for _ in range(most):
        assert (await site.get(path)).status == 200
    refused = site.get(path)
    await site.time.settle()
    await site.time.advance(1.0)
    assert (await refused).status == 429


async def test_websockets_take_no_place_of_other_requests() -> None:
    site = Site()
    opened = [site.get("/socket.io/?transport=websocket") for _ in range(200)]
    await site.time.settle()
    assert site.running == 200
    page = site.get("/")
    await site.time.settle()
    assert site.running == 201
    site.let_go.set()
    assert {each.status for each in await asyncio.gather(page, *opened)} == {200}


HANDSHAKE = "/socket.io/?transport=websocket"


async def used_up(path: str) -> Site:
    """A site on which one address has used up what it may ask for under that path."""
    site = Site(requests_per_s=0.001, requests_burst=5)
    site.let_go.set()
    for _ in range(50):
        assert (await site.get(path)).status == 200
    refused = site.get(path)
    await site.time.settle()
    await site.time.advance(1.0)
    assert (await refused).status == 429
    return site


@pytest.mark.parametrize("path", [HANDSHAKE, "/socket.io/", "/nothing"])
async def test_each_route_has_a_limit(path: str) -> None:
    await used_up(path)  # which asserts it


async def test_an_address_that_reconnects_without_end_still_gets_the_page() -> None:
    """As two thousand spectators behind a proxy that the settings do not name."""
    site = await used_up(HANDSHAKE)
    asked = [site.get(path) for path in ("/", "/js/main.js", "/api/games")]
    await site.time.settle()
    assert [each.done() and each.result().status for each in asked] == [200, 200, 200]


async def test_players_reconnect_when_their_address_has_used_up_its_requests() -> None:
    site = await used_up("/nothing")
    handshake = site.get(HANDSHAKE)
    await site.time.settle()
    assert handshake.done()
    assert (await handshake).status == 200


async def test_slow_downloads_block_nothing_else_behind_their_address() -> None:
    site = Site()
    reads = asyncio.Event()

    async def download(request: web.Request) -> web.StreamResponse:
        async with while_client_reads(request):
            await reads.wait()
        return web.Response()

    slow = [site.get("/api/records.jsonl", handler=download) for _ in range(3)]
    await site.time.settle()
    site.let_go.set()
    for path in ("/healthz", "/api/games", "/"):
        assert (await site.get(path)).status == 200
    assert not any(each.done() for each in slow)
    reads.set()
    assert {each.status for each in await asyncio.gather(*slow)} == {200}


async def test_an_address_has_a_limit_of_downloads_and_others_go_on() -> None:
    site = Site()
    began = []
    reads = asyncio.Event()

    async def download(request: web.Request) -> web.StreamResponse:
        began.append(request)
        async with while_client_reads(request):
            await reads.wait()
        return web.Response()

    path = "/api/records.sgf"
    asked = [site.get(path, handler=download) for _ in range(DOWNLOADS_AT_ONCE + 5)]
    await site.time.settle()
    assert len(began) == DOWNLOADS_AT_ONCE
    other = site.get(path, client="192.0.2.2", handler=download)
    await site.time.settle()
    assert len(began) == DOWNLOADS_AT_ONCE + 1
    reads.set()
    assert {each.status for each in await asyncio.gather(*asked, other)} == {200}


async def test_a_part_of_a_download_is_made_in_a_place_of_its_address() -> None:
    site = Site()
    made = []

    async def download(request: web.Request) -> web.StreamResponse:
        async with while_client_reads(request):
            pass
        made.append(request)
        return web.Response()

    running = [site.get("/api/games") for _ in range(RUNNING_AT_ONCE)]
    later = site.get("/api/records.sgf", handler=download)
    await site.time.settle()
    assert not made
    site.let_go.set()
    assert {each.status for each in await asyncio.gather(*running, later)} == {200}
    assert made
