"""Answers that are sent while they are made."""

from collections.abc import AsyncIterator
from contextlib import suppress

from aiohttp import web

from bot.arena.http.throttle import while_client_reads


async def streamed(
    request: web.Request, parts: AsyncIterator[bytes], content_type: str, name: str | None = None
) -> web.StreamResponse:
    """Send parts while they are made, as a download if `name` is that of a file.

    Raises what the first part raises; a later error cuts the answer off.
    """
    first = await anext(parts, b"")
    response = web.StreamResponse(headers={"Cache-Control": "no-store"})
    response.content_type = content_type
    if name is not None:
        response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    with suppress(ConnectionError):  # the client disconnected
        await response.prepare(request)
        await _write(request, response, first)
        async for some in parts:
            await _write(request, response, some)
        await response.write_eof()
    return response


async def _write(request: web.Request, response: web.StreamResponse, part: bytes) -> None:
    async with while_client_reads(request):
        await response.write(part)
