"""The HTTP side of the htttx server: routes, tokens, origins, sizes and errors.

Errors are `{"error": sentence, "code": word}` with status 400, 401, 403, 404, 405, 408, 409, 413 or
503. Everything from a client is bounded before it is parsed.
"""

import asyncio
import itertools
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Final

import structlog
from aiohttp import WSCloseCode, WSMsgType, web
from prometheus_client import CollectorRegistry
from pydantic import ValidationError

from bot import __version__
from bot.guests.hexo import htttx_messages as wire
from bot.guests.hexo.server.asking import AskedEngine, NoTurn, start_of
from bot.guests.hexo.server.games import SocketGame
from bot.guests.hexo.server.metrics import HtttxMetrics, htttx_metrics
from bot.guests.hexo.server.settings import HtttxSettings
from bot.json_values import first_problem
from bot.runtime.listening import address_of, bound
from bot.runtime.metrics import metrics_handler
from bot.time_source import TimeSource

BODY_S: Final = 10.0
PING_S: Final = 30.0
END_S: Final = 2.0
RETRY_AFTER_S: Final = 1
TURN: Final = f"/{wire.STATELESS_ROOT}/turn"
GAME: Final = f"/{wire.WEBSOCKET_ROOT}/game"

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

log = structlog.get_logger()


def capabilities(settings: HtttxSettings) -> wire.Capabilities:
    """What the server offers."""
    return wire.Capabilities(
        meta=wire.Meta(
            name=settings.name,
            description="The engine of Bluestone, a bot for two-stone board games.",
            authors=("the Bluestone authors",),
            version=__version__,
            tags=("mcts", "python"),
        ),
        stateless=wire.Stateless(
            versions=wire.StatelessVersions(v1_alpha=wire.StatelessVersion(move_time_limit=True))
        ),
        basic_websocket=wire.BasicWebSocket(
            versions=wire.WebSocketVersions(
                v1_alpha=wire.WebSocketVersion(
                    move_time_limit=True,
                    move_skips=True,
                    dual_sided=True,
                    resettable_state=True,
                    interruptible=True,
                    request_id=True,
                )
            )
        ),
    )


class HtttxServer:
    """The routes. `asked` gives the turns."""

    def __init__(
        self,
        settings: HtttxSettings,
        asked: AskedEngine,
        time: TimeSource,
        registry: CollectorRegistry,
    ) -> None:
        self._settings = settings
        self._engine = asked
        self._time = time
        self._registry = registry
        self._open: set[web.WebSocketResponse] = set()
        self._reserved = 0
        self._numbers = itertools.count(1)
        self._run = secrets.token_hex(3)
        self.metrics: HtttxMetrics = htttx_metrics(registry, lambda: float(self._reserved))

    def app(self) -> web.Application:
        app = web.Application(client_max_size=wire.MAX_BODY_BYTES, middlewares=[self._answered])
        app.router.add_get(f"/{wire.CAPABILITIES}", self._capabilities)
        app.router.add_post(TURN, self._turn)
        app.router.add_get(GAME, self._game)
        app.router.add_get("/healthz", self._health)
        app.router.add_get("/metrics", metrics_handler(self._registry))
        app.on_shutdown.append(self._hang_up)
        return app

    # ---- every request -------------------------------------------------------------------------

    @web.middleware
    async def _answered(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Check origin and token, answer preflights, and write every error as JSON."""
        api = {TURN: "stateless", GAME: "basic_websocket"}.get(request.path)
        try:
            self._admit(request)
            if request.method == "OPTIONS":
                response: web.StreamResponse = web.Response(status=204)
            else:
                response = await handler(request)
        except NoTurn as refused:
            response = self._refusal(request, refused, api)
        except web.HTTPRequestEntityTooLarge:
            message = f"The request is longer than {wire.MAX_BODY_BYTES} bytes."
            response = self._refusal(request, NoTurn(413, "too_large", message), api)
        except web.HTTPException as error:
            code = {404: "not_found", 405: "method"}.get(error.status, "bad_request")
            why = NoTurn(error.status, code, f"{error.reason}.")
            response = self._refusal(request, why, api)
        if not response.prepared:
            self._allow_origin(request, response)
        return response

    def _admit(self, request: web.Request) -> None:
        """Raises Refused."""
        if not self._settings.is_welcome(request.headers.get("Origin")):
            message = "Pages of this origin may not ask; see --allow-origin."
            raise NoTurn(403, "origin", message)
        if request.method == "OPTIONS" or request.path in (f"/{wire.CAPABILITIES}", "/healthz"):
            return
        if not self._settings.admits(request.headers.get("Authorization")):
            raise NoTurn(401, "no_token", "A valid bearer token is required.")

    def _refusal(self, request: web.Request, refused: NoTurn, api: str | None) -> web.Response:
        headers = {}
        if refused.status == 401:
            headers["WWW-Authenticate"] = "Bearer"
        if refused.status == 503:
            headers["Retry-After"] = str(RETRY_AFTER_S)
        if api is not None:
            self.metrics.requests.inc(api, refused.code)
        log.info(
            "htttx_refused",
            path=request.path[:100],
            status=refused.status,
            code=refused.code,
            why=refused.message,
        )
        answer = wire.ErrorAnswer(error=refused.message, code=refused.code)
        text = answer.model_dump_json()
        return web.Response(
            status=refused.status, text=text, content_type="application/json", headers=headers
        )

    def _allow_origin(self, request: web.Request, response: web.StreamResponse) -> None:
        origin = request.headers.get("Origin")
        if origin is None or not self._settings.is_welcome(origin):
            return
        response.headers["Access-Control-Allow-Origin"] = origin
        response.headers["Vary"] = "Origin"
        response.headers["Access-Control-Allow-Headers"] = "Authorization, Content-Type"
        response.headers["Access-Control-Allow-Methods"] = "GET, POST"

    # ---- routes --------------------------------------------------------------------------------

    async def _capabilities(self, _: web.Request) -> web.Response:
        return _json(capabilities(self._settings))

    async def _health(self, _: web.Request) -> web.Response:
        return web.json_response({"ok": True})

    async def _turn(self, request: web.Request) -> web.Response:
        arrived = self._time.monotonic()
        asked = await self._turn_request(request)
        board = asked.board
        position = await asyncio.to_thread(start_of, board.cells, board.to_move)
        option = await self._engine.turn(position, asked.time_limit, arrived)
        self._count("stateless", "answered", arrived)
        return _json(wire.TurnAnswer(move=option, request_id=asked.request_id))

    async def _turn_request(self, request: web.Request) -> wire.TurnRequest:
        try:
            async with asyncio.timeout(BODY_S):
                body = await request.read()
        except TimeoutError:
            raise NoTurn(408, "too_slow", f"The request took longer than {BODY_S:g} s.") from None
        try:
            return wire.TurnRequest.model_validate_json(body)
        except ValidationError as error:
            raise NoTurn(400, "bad_request", first_problem(error)[:300]) from None

    async def _game(self, request: web.Request) -> web.WebSocketResponse:
        if self._reserved >= self._settings.games:
            raise NoTurn(503, "busy", f"{self._settings.games} games are open; try again later.")
        self._reserved += 1
        socket = web.WebSocketResponse(
            heartbeat=PING_S,
            max_msg_size=wire.MAX_BODY_BYTES,
            receive_timeout=self._settings.idle_s,
            timeout=END_S,
            compress=False,
        )
        try:
            await socket.prepare(request)
            self._open.add(socket)
            await self._play(socket)
        finally:
            self._open.discard(socket)
            self._reserved -= 1
        return socket

    async def _play(self, socket: web.WebSocketResponse) -> None:
        game_id = f"{self._run}-{next(self._numbers)}"
        log.info("htttx_game_opened", game=game_id, games=len(self._open))
        game = SocketGame(
            _Connection(socket),
            self._engine,
            game_id,
            self._time,
            partial(self._count, "basic_websocket"),
        )
        await game.run()
        await socket.close()
        log.info("htttx_game_closed", game=game_id, code=socket.close_code)

    def _count(self, api: str, outcome: str, arrived: float | None) -> None:
        """Count an outcome, and the time since the arrival of a request that is answered."""
        self.metrics.requests.inc(api, outcome)
        if arrived is not None:
            self.metrics.seconds.observe(self._time.monotonic() - arrived)

    async def _hang_up(self, _: web.Application) -> None:
        closing = [
            socket.close(code=WSCloseCode.GOING_AWAY, message=b"the server stops")
            for socket in list(self._open)
        ]
        await asyncio.gather(*closing, return_exceptions=True)


class _Connection:
    """A WebSocket of aiohttp."""

    def __init__(self, socket: web.WebSocketResponse) -> None:
        self._socket = socket

    async def texts(self) -> AsyncIterator[str]:
        while True:
            try:
                message = await self._socket.receive()
            except TimeoutError:
                return  # the client was silent for too long
            if message.type is WSMsgType.BINARY:
                raise NoTurn(400, "bad_packet", "Packets are texts.")
            if message.type is not WSMsgType.TEXT:
                return
            yield message.data

    async def send(self, text: str) -> None:
        await self._socket.send_str(text)

    async def close(self, code: int, reason: str) -> None:
        await self._socket.close(code=code, message=reason.encode())


def _json(answer: wire.Capabilities | wire.TurnAnswer) -> web.Response:
    fields = answer.json_fields()
    if not fields.get("considerations", True):
        del fields["considerations"]
    return web.json_response(fields)


@asynccontextmanager
async def serving(server: HtttxServer, settings: HtttxSettings) -> AsyncIterator[str]:
    """Serve until the end of the block; yields the address. Raises HostError."""
    listening = bound(settings.host, settings.port)
    runner = web.AppRunner(
        server.app(),
        access_log=None,
        shutdown_timeout=END_S,
        auto_decompress=False,  # a small body may expand to gigabytes
        handler_cancellation=True,  # nobody waits for the turn of a client that has gone
    )
    await runner.setup()
    try:
        await web.SockSite(runner, listening).start()
        address = f"{address_of(listening)}/"
        log.info("htttx_listening", address=address, needs_login=bool(settings.tokens))
        yield address
    finally:
        await runner.cleanup()
