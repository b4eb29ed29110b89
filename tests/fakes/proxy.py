"""A reverse proxy of a few lines, that says what proxies say: for whom it asks, and by what."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import aiohttp
from aiohttp import web

PASSED_ON = {"host", "origin", "upgrade", "x-forwarded-for"}


@asynccontextmanager
async def proxy(upstream: str) -> AsyncIterator[str]:
    """The proxy's address; it claims that it was asked by TLS. `upstream` may be unix:PATH."""
    file = upstream.removeprefix("unix:")
    connector = None if file == upstream else aiohttp.UnixConnector(file)
    base = upstream if connector is None else "http://localhost"
    async with aiohttp.ClientSession(base, connector=connector) as client:

        async def handle(request: web.Request) -> web.StreamResponse:
            headers = _headers(request)
            if "Upgrade" in request.headers:
                return await _bridge(request, client, headers)
            async with client.get(request.path_qs, headers=headers) as answer:
                kind = answer.content_type
                return web.Response(
                    status=answer.status, body=await answer.read(), content_type=kind
                )

        app = web.Application()
        app.router.add_get("/{path:.*}", handle)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=1)
        await runner.setup()
        try:
            await web.TCPSite(runner, "127.0.0.1", 0).start()
            yield f"http://127.0.0.1:{runner.addresses[0][1]}"
        finally:
            await runner.cleanup()


def _headers(request: web.Request) -> dict[str, str]:
    headers = {name: text for name, text in request.headers.items() if name.lower() in PASSED_ON}
    headers.pop("Upgrade", None)
    before = headers.get("X-Forwarded-For")
    client = str(request.remote)
    return {
        **headers,
        "X-Forwarded-For": client if before is None else f"{before}, {client}",
        "X-Forwarded-Proto": "https",
        "X-Forwarded-Host": request.host,
    }


async def _bridge(
    request: web.Request, client: aiohttp.ClientSession, headers: dict[str, str]
) -> web.StreamResponse:
    try:
        ours = await client.ws_connect(request.path_qs, headers=headers)
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
