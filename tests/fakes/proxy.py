"""A reverse proxy of a few lines, that says what proxies say: for whom it asks, and by what."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import aiohttp
from aiohttp import web

PASSED_ON = {
    *("host", "origin", "upgrade", "x-forwarded-for"),
    *("accept-language", "authorization", "content-type", "cookie", "if-none-match"),
}
ENDS_HERE = {"connection", "content-encoding", "content-length", "date", "server"}
"""Headers of an answer that are not for the client."""


@dataclass
class Below:
    """The only path that leads to the arena, which a proxy may remove; what else was asked for."""

    path: str = ""
    is_removed: bool = False
    outside: list[str] = field(default_factory=list)

    def upstream_path(self, request: web.Request) -> str | None:
        """The path for the arena; None if the request is not for it."""
        if not request.path_qs.startswith(self.path):
            self.outside.append(request.path_qs)
            return None
        rest = request.path_qs.removeprefix(self.path)
        is_whole = not self.is_removed or not rest.startswith("/")
        return request.path_qs if is_whole else rest


@asynccontextmanager
async def proxy(
    upstream: str, below: Below | None = None, scheme: str = "https"
) -> AsyncIterator[str]:
    """The proxy's address; it claims that it was asked by TLS. `upstream` may be unix:PATH."""
    file, way = upstream.removeprefix("unix:"), below or Below()
    connector = None if file == upstream else aiohttp.UnixConnector(file)
    base = upstream if connector is None else "http://localhost"
    async with aiohttp.ClientSession(
        base, connector=connector, cookie_jar=aiohttp.DummyCookieJar()
    ) as client:

        async def handle(request: web.Request) -> web.StreamResponse:
            path, headers = way.upstream_path(request), _headers(request, scheme)
            if path is None:
                raise web.HTTPNotFound(text="The arena is elsewhere.")
            if "Upgrade" in request.headers:
                return await _bridge(path, request, client, headers)
            body = await request.read() or None
            async with client.request(
                request.method, path, headers=headers, data=body, allow_redirects=False
            ) as answer:
                return web.Response(
                    status=answer.status, body=await answer.read(), headers=_passed_back(answer)
                )

        app = web.Application()
        app.router.add_route("*", "/{path:.*}", handle)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=1)
        await runner.setup()
        try:
            await web.TCPSite(runner, "127.0.0.1", 0).start()
            yield f"http://127.0.0.1:{runner.addresses[0][1]}"
        finally:
            await runner.cleanup()


def _headers(request: web.Request, scheme: str) -> dict[str, str]:
    headers = {name: text for name, text in request.headers.items() if name.lower() in PASSED_ON}
    headers.pop("Upgrade", None)
    before = headers.get("X-Forwarded-For")
    client = str(request.remote)
    return {
        **headers,
        "X-Forwarded-For": client if before is None else f"{before}, {client}",
        "X-Forwarded-Proto": scheme,
        "X-Forwarded-Host": request.host,
    }


def _passed_back(answer: aiohttp.ClientResponse) -> dict[str, str]:
    return {name: text for name, text in answer.headers.items() if name.lower() not in ENDS_HERE}


async def _bridge(
    path: str, request: web.Request, client: aiohttp.ClientSession, headers: dict[str, str]
) -> web.StreamResponse:
    try:
        ours = await client.ws_connect(path, headers=headers)
    except aiohttp.WSServerHandshakeError as error:
        return web.Response(status=error.status, text="{}", content_type="application/json")
    theirs = web.WebSocketResponse()
    await theirs.prepare(request)
    async with asyncio.TaskGroup() as group:
        group.create_task(_copy(theirs, ours))
        group.create_task(_copy(ours, theirs))
    return theirs


AnyWebSocket = web.WebSocketResponse | aiohttp.ClientWebSocketResponse


async def _copy(source: AnyWebSocket, target: AnyWebSocket) -> None:
    async for message in source:
        await target.send_str(message.data)
    await target.close()
