"""Downloads over real sockets: who reads slowly stops nobody else behind the same address."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress

import aiohttp
from aiohttp import web
from aiohttp.test_utils import TestServer

from bot.arena.http.addresses import Proxies
from bot.arena.http.downloads import streamed
from bot.arena.http.routes import Routes
from bot.arena.http.throttle import RUNNING_AT_ONCE, Throttle
from bot.arena.settings import ConnectionLimits
from bot.time_source import SystemTime
from tests.fakes.waiting import eventually

PARTS = 60
PART = b"x" * 1_000_000


class Site:
    def __init__(self) -> None:
        self.sent = 0

    async def parts(self) -> AsyncIterator[bytes]:
        for _ in range(PARTS):
            self.sent += 1
            yield PART

    async def download(self, request: web.Request) -> web.StreamResponse:
        return await streamed(request, self.parts(), "application/jsonl")


async def healthy(_request: web.Request) -> web.StreamResponse:
    return web.Response()


async def test_slow_downloads_stop_nobody_else() -> None:
    site, routes = Site(), Routes()
    throttle = Throttle(ConnectionLimits(), Proxies([]), SystemTime(), routes)
    app = web.Application(middlewares=[throttle.limited])
    routes.get("/api/records.{form}", site.download, is_download=True)
    routes.get("/healthz", healthy)
    routes.add_to(app)
    async with TestServer(app) as server:
        writers = []
        for _ in range(RUNNING_AT_ONCE + 1):
            _, writer = await asyncio.open_connection(server.host, server.port, limit=1024)
            writer.write(b"GET /api/records.jsonl HTTP/1.1\r\nHost: localhost\r\n\r\n")
            writers.append(writer)
        await eventually(lambda: site.sent >= RUNNING_AT_ONCE + 1)
        async with (
            aiohttp.ClientSession() as session,
            session.get(server.make_url("/healthz")) as a,
        ):
            assert a.status == 200
        assert site.sent < PARTS  # what nobody reads is not made
        for writer in writers:
            writer.transport.abort()
            with suppress(OSError):
                await writer.wait_closed()
