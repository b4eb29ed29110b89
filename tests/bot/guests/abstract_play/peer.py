"""The platform's HTTP side for tests: real sockets, and answers that a test has prepared."""

import asyncio
import json
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web
from aiohttp.test_utils import TestServer

Reply = Callable[[web.Request], Awaitable[web.StreamResponse]]


@dataclass(frozen=True)
class Seen:
    """A call that arrived, whatever became of it."""

    path: str
    body: bytes
    headers: Mapping[str, str]

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class Peer:
    """Replies by path, in the order in which a test gave them; tokens are given by themselves."""

    url: str = ""
    seen: list[Seen] = field(default_factory=list)
    replies: dict[str, deque[Reply]] = field(default_factory=dict)
    stopped: asyncio.Event = field(default_factory=asyncio.Event)
    tokens: int = 0

    def will(self, path: str, *replies: Reply) -> None:
        self.replies.setdefault(path, deque()).extend(replies)

    def calls(self, path: str) -> list[Seen]:
        return [each for each in self.seen if each.path == path]

    async def serve(self, request: web.Request) -> web.StreamResponse:
        headers = {name.lower(): value for name, value in request.headers.items()}
        self.seen.append(Seen(request.path, await request.read(), headers))
        waiting = self.replies.get(request.path)
        if waiting:
            return await waiting.popleft()(request)
        if request.path == "/token":
            self.tokens += 1
            given = {"access_token": f"token-{self.tokens}", "expires_in": 3600}
            return web.json_response(given)
        return web.Response(status=418, text="the test did not expect that")

    async def never(self, request: web.Request) -> web.StreamResponse:
        """Say nothing for as long as the test lasts."""
        del request
        await self.stopped.wait()
        return web.Response()


@asynccontextmanager
async def running_peer() -> AsyncIterator[Peer]:
    peer = Peer()
    app = web.Application(client_max_size=2**26)
    app.router.add_route("*", "/{anything:.*}", peer.serve)
    async with TestServer(app) as server:
        peer.url = str(server.make_url("/")).rstrip("/")
        try:
            yield peer
        finally:
            peer.stopped.set()


def reply(status: int, body: bytes = b"", **headers: str) -> Reply:
    """`headers` have underscores for hyphens."""

    async def answer(request: web.Request) -> web.StreamResponse:
        del request
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return web.Response(status=status, body=body, headers=named)

    return answer


async def cut(request: web.Request) -> web.StreamResponse:
    """Take the call, and break the connection instead of answering."""
    assert request.transport is not None
    request.transport.abort()
    return web.Response()


def cut_within(beginning: bytes) -> Reply:
    """Break the connection in the middle of an answer."""

    async def answer(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Length": "1000"})
        await response.prepare(request)
        await response.write(beginning)
        assert request.transport is not None
        request.transport.abort()
        return response

    return answer


def endless(chunk: bytes, times: int) -> Reply:
    """An answer that does not say how long it is."""

    async def answer(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        response.enable_chunked_encoding()
        await response.prepare(request)
        for _ in range(times):
            await response.write(chunk)
        return response

    return answer
