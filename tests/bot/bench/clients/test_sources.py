"""Addresses of this machine, so that many clients do not look like one."""

import sys

import aiohttp
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from bot.bench.clients.sources import CONNECTIONS_AN_ADDRESS, AddressBook, open_sources

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere only 127.0.0.1 is local")


@LINUX
def test_an_address_is_handed_out_once() -> None:
    book = AddressBook("http://127.0.0.1:8765")
    many = book.take(300)
    assert len(set(many)) == 300
    assert {"127.0.0.1", "127.0.0.250", "127.0.1.1"} < set(many)
    assert not set(many) & set(book.take_for(CONNECTIONS_AN_ADDRESS + 1))
    assert len(book.take_for(CONNECTIONS_AN_ADDRESS + 1)) == 2


def test_to_another_machine_the_system_chooses() -> None:
    assert AddressBook("http://arena.example.org").take(3) == [None]


@LINUX
async def test_connections_come_from_their_address() -> None:
    async def who(request: web.Request) -> web.Response:
        return web.Response(text=request.remote)

    app = web.Application()
    app.router.add_get("/", who)
    async with TestServer(app) as server, open_sources() as sources:
        sessions = sources.sessions(["127.0.0.7", "127.0.0.8"], 3)
        said = [await _text(session, str(server.make_url("/"))) for session in sessions]
    assert said == ["127.0.0.7", "127.0.0.8", "127.0.0.7"]


async def _text(session: aiohttp.ClientSession, url: str) -> str:
    async with session.get(url) as answer:
        return await answer.text()
