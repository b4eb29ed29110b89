"""The connections to a server of the htttx bot API: HTTP requests, and one WebSocket at a time."""

import asyncio
import os
from collections.abc import Mapping
from typing import Final
from urllib.parse import urljoin, urlsplit

import aiohttp
import orjson
from pydantic import ValidationError

from bot.engines.channel import LineWatcher
from bot.engines.spec import EngineSpec
from bot.errors import EngineDied, EngineFailure, EngineProtocolError, EngineStartError
from bot.guests.hexo import htttx_messages as wire
from bot.runtime.http_client import NoResponse, fetch, open_session
from bot.runtime.names import cleaned

LONGEST_S: Final = 86_400.0
"""The deadline of a request. The process has shorter ones."""


class HtttxLink:
    """The address of a server, and the connections to it."""

    def __init__(self, spec: EngineSpec) -> None:
        assert spec.url is not None
        self.name = spec.name
        self.line_watcher: LineWatcher | None = None
        base = spec.url.removesuffix(wire.CAPABILITIES)
        self._base = base if base.endswith("/") else f"{base}/"
        self._socket: aiohttp.ClientWebSocketResponse | None = None
        self._failure: EngineFailure | None = None
        self._over = asyncio.Event()
        self._headers = _authorization(spec, os.environ)
        self._session = open_session()

    @property
    def alive(self) -> bool:
        return self._failure is None

    @property
    def hint(self) -> str:
        return ""

    async def kill(self) -> None:
        """Close all connections."""
        self.fail(EngineDied(self.name, "was left"))
        await self.hang_up()
        await self._session.close()

    async def ended(self) -> None:
        await self._over.wait()

    def fail(self, error: EngineFailure) -> None:
        self._failure = self._failure or error
        self._over.set()

    # ---- requests ------------------------------------------------------------------------------

    def address(self, root: str, name: str) -> str:
        """The address of a route. Raises EngineProtocolError if it is on another server."""
        found = urljoin(self._base, f"{root.rstrip('/')}/{name}")
        if urlsplit(found)[:2] != urlsplit(self._base)[:2]:
            raise EngineProtocolError(self.name, f"names a root on another server: {root[:100]!r}")
        return found

    async def get(self, name: str) -> bytes:
        return await self._request("GET", urljoin(self._base, name), None)

    async def post(self, url: str, fields: Mapping[str, object]) -> bytes:
        return await self._request("POST", url, orjson.dumps(fields))

    async def _request(self, method: str, url: str, body: bytes | None) -> bytes:
        if self._failure is not None:
            raise self._failure
        self._watch(">", f"{method} {urlsplit(url).path} {(body or b'').decode()}".rstrip())
        headers = {**self._headers, "Content-Type": "application/json"}
        try:
            response = await fetch(
                self._session,
                method,
                url,
                deadline_s=LONGEST_S,
                limit=wire.MAX_BODY_BYTES,
                body=body,
                headers=headers,
            )
        except NoResponse as error:
            raise EngineDied(self.name, f"its server: {error.message}") from error
        self._watch("<", f"{response.status} {response.body.decode(errors='replace')}")
        if response.status != 200:
            raise EngineProtocolError(self.name, _refusal(response.status, response.body))
        return response.body

    # ---- the WebSocket -------------------------------------------------------------------------

    @property
    def is_connected(self) -> bool:
        return self._socket is not None and not self._socket.closed

    async def connect(self, url: str) -> None:
        """Open the WebSocket again. Raises EngineDied."""
        await self.hang_up()
        if self._failure is not None:
            raise self._failure
        try:
            self._socket = await self._session.ws_connect(
                url,
                headers=self._headers,
                max_msg_size=wire.MAX_BODY_BYTES,
                timeout=aiohttp.ClientWSTimeout(ws_close=1.0),
            )
        except (aiohttp.ClientError, OSError, ValueError) as error:
            raise EngineDied(self.name, f"its WebSocket does not open: {error}") from error

    async def hang_up(self) -> None:
        socket, self._socket = self._socket, None
        if socket is not None:
            await socket.close()

    async def send(self, packet: Mapping[str, object]) -> None:
        assert self._socket is not None
        text = orjson.dumps(packet).decode()
        self._watch(">", text)
        try:
            await self._socket.send_str(text)
        except (aiohttp.ClientError, OSError) as error:
            raise EngineDied(self.name, f"its WebSocket broke: {error}") from error

    async def receive(self) -> bytes:
        assert self._socket is not None
        message = await self._socket.receive()
        if message.type is not aiohttp.WSMsgType.TEXT:
            reason = cleaned(str(message.extra or ""), 150)
            why = f"code {self._socket.close_code} {reason}".rstrip()
            raise EngineDied(self.name, f"its WebSocket ended with {why}")
        self._watch("<", message.data)
        return str(message.data).encode()

    def _watch(self, direction: str, line: str) -> None:
        if self.line_watcher is not None:
            self.line_watcher(direction, line)


def _authorization(spec: EngineSpec, environ: Mapping[str, str]) -> dict[str, str]:
    """Raises EngineStartError if the variable of the token is not set."""
    if spec.token_env is None:
        return {}
    if not (token := environ.get(spec.token_env, "").strip()):
        raise EngineStartError(spec.name, f"the variable {spec.token_env} has no token")
    return {"Authorization": f"Bearer {token}"}


def _refusal(status: int, body: bytes) -> str:
    try:
        why = wire.ErrorAnswer.model_validate_json(body)
    except ValidationError:
        return f"its server answers {status}"
    return cleaned(f"its server answers {status} {why.code}: {why.error}", 300)
