# mypy: untyped-calls-exclude="socketio,engineio"
"""Where connections ask to become sockets: refused here with a status, a code and a sentence."""

import asyncio
from typing import Final

import orjson
import socketio
from aiohttp import web

from bot.arena.net.addresses import Caller, Proxies
from bot.arena.net.origins import Origins
from bot.arena.net.quiet_log import QuietLog
from bot.arena.net.sockets import NotAdmitted, Sockets
from bot.arena.net.tcp import became_socket

PATH: Final = "/socket.io/"
SHOWN_ORIGIN: Final = 100
ONLY_WEBSOCKET: Final = (
    "This server speaks WebSocket only: choose the transport `websocket` in your client's options."
)
FOREIGN_PAGE: Final = "Pages from there may not connect to this server."


class Entrance:
    """The one address of Socket.IO."""

    def __init__(
        self,
        server: socketio.AsyncServer,
        sockets: Sockets,
        proxies: Proxies,
        origins: Origins,
        quiet_log: QuietLog,
    ) -> None:
        self._server = server
        self._sockets = sockets
        self._proxies = proxies
        self._origins = origins
        self._quiet_log = quiet_log

    def add_to(self, app: web.Application) -> None:
        app.router.add_route("*", PATH, self._enter)

    async def _enter(self, request: web.Request) -> web.StreamResponse:
        """The whole life of a socket, or a refusal."""
        caller = self._proxies.caller(request)
        try:
            _check_is_websocket(request)
            self._check_origin(request, caller)
            transport = _open_transport(request)
            with self._sockets.opened(request.protocol, caller.address, transport):
                became_socket(request)
                response: web.StreamResponse = await self._server.handle_request(request)
                return response
        except NotAdmitted as refused:
            return _refusal(refused)

    def _check_origin(self, request: web.Request, caller: Caller) -> None:
        origin = request.headers.get("Origin")
        setting = self._origins.setting_against(origin, caller)
        if setting is not None:
            self._quiet_log.note(
                "origin_refused",
                caller.address,
                origin=str(origin)[:SHOWN_ORIGIN],
                host=caller.host[:SHOWN_ORIGIN],
                setting=setting,
            )
            raise NotAdmitted(403, "origin", FOREIGN_PAGE)


def _open_transport(request: web.Request) -> asyncio.Transport:
    if request.transport is None:
        raise NotAdmitted(400, "gone", "Whoever asked has gone.")
    return request.transport


def _refusal(refused: NotAdmitted) -> web.Response:
    response = web.Response(
        status=refused.status,
        body=orjson.dumps({"code": refused.code, "message": refused.message}),
        content_type="application/json",
        headers={"Cache-Control": "no-store"},
    )
    response.force_close()
    return response


def _check_is_websocket(request: web.Request) -> None:
    if request.query.get("transport") != "websocket" or not _is_handshake(request):
        raise NotAdmitted(400, "websocket_only", ONLY_WEBSOCKET)


def _is_handshake(request: web.Request) -> bool:
    """Engine.IO would note a socket before it finds out that there cannot be one."""
    try:
        return web.WebSocketResponse().can_prepare(request).ok
    except ValueError:  # a key with letters that are not ASCII
        return False
