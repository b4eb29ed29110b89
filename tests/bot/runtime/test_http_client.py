"""HTTP requests to other programs: why one has no response, and when an address answers."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from bot.runtime.http_client import NoResponse, fetch, is_ok_within, open_session

Handle = Callable[[web.Request], Awaitable[web.StreamResponse]]


@asynccontextmanager
async def answering(handle: Handle) -> AsyncIterator[str]:
    app = web.Application()
    app.router.add_route("*", "/", handle)
    async with TestServer(app) as server:
        yield str(server.make_url("/"))


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("http://127.0.0.1:1/", r"cannot connect to 127\.0\.0\.1:1: "),
        ("http://bluestone.invalid/", r"the name does not resolve: bluestone\.invalid"),
        ("nonsense", "no answer: InvalidUrl"),
        ("http://", "no answer: InvalidUrl"),
    ],
)
async def test_an_address_where_nothing_answers_is_said_in_words(url: str, why: str) -> None:
    async with open_session() as session:
        with pytest.raises(NoResponse, match=why):
            await fetch(session, "GET", url, deadline_s=20.0, limit=1000)


async def test_an_address_is_asked_until_it_answers_with_200() -> None:
    statuses = iter([503, 404, 200])

    async def handle(_: web.Request) -> web.Response:
        return web.Response(status=next(statuses))

    async with answering(handle) as url:
        assert await is_ok_within(url, 60)
    assert not list(statuses)


async def test_an_address_that_does_not_answer_in_time_is_not_ok() -> None:
    assert not await is_ok_within("http://127.0.0.1:1/", 0.01)


async def test_a_program_that_has_ended_is_not_waited_for() -> None:
    asked: list[str] = []

    async def handle(request: web.Request) -> web.Response:
        asked.append(request.path)
        return web.Response(status=503)

    async with answering(handle) as url:
        assert not await is_ok_within(url, 60, lambda: len(asked) < 3)
    assert len(asked) == 3
