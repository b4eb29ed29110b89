"""The websocket of a game, as its seat uses it, and over HTTP."""

import asyncio
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import Protocol

import aiohttp

from bot.errors import PeerError
from bot.guests.hexo_arena.api import USER_AGENT, Api, retry_after_s
from bot.guests.hexo_arena.messages import MAX_LINE, EngineSession


class Socket(Protocol):
    """The part of a websocket that is used here."""

    async def send(self, text: str) -> None: ...

    async def receive(self) -> str:
        """Return the next packet. Raises SocketClosed."""

    async def close(self) -> None: ...


class SocketClosed(Exception):
    """The connection is closed; `code` is its websocket code, None if it broke."""

    def __init__(self, why: str, code: int | None = None) -> None:
        super().__init__(why)
        self.code = code


class CannotDial(Exception):
    """No connection came about. `is_unknown` says that the game or the token is unknown."""

    def __init__(self, why: str, *, is_unknown: bool = False, retry_after_s: float = 0.0) -> None:
        super().__init__(why)
        self.is_unknown = is_unknown
        self.retry_after_s = retry_after_s


Dial = Callable[[EngineSession], Awaitable[Socket]]
"""Connect to a game. Raises CannotDial, also after a deadline of its own."""


class WebSocket:
    """A `Socket` of aiohttp."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket

    async def send(self, text: str) -> None:
        try:
            await self._socket.send_str(text)
        except (aiohttp.ClientError, OSError) as error:
            raise SocketClosed(f"cannot send: {error}") from error

    async def receive(self) -> str:
        message = await self._socket.receive()
        if message.type == aiohttp.WSMsgType.TEXT:
            return str(message.data)
        if message.type == aiohttp.WSMsgType.BINARY:
            raise SocketClosed("a binary frame")
        code, reason = self._socket.close_code, str(message.extra or "")[:200]
        if message.type == aiohttp.WSMsgType.ERROR:
            raise SocketClosed(f"broken: {message.data}", None)
        raise SocketClosed(f"closed with {code}{f': {reason}' if reason else ''}", code)

    async def close(self) -> None:
        await self._socket.close()


def dial_refusal(error: Exception) -> CannotDial:
    """Return why a websocket did not come about."""
    if isinstance(error, aiohttp.WSServerHandshakeError):
        wait_s = retry_after_s(error.headers or {}) or 0.0
        is_unknown = error.status in {HTTPStatus.NOT_FOUND, HTTPStatus.UNAUTHORIZED}
        return CannotDial(f"HTTP {error.status}", is_unknown=is_unknown, retry_after_s=wait_s)
    return CannotDial(str(error) or type(error).__name__)


async def dial(api: Api, session: EngineSession) -> Socket:
    """Connect to a game. Raises CannotDial."""
    try:
        url = api.address(session.socket_url)
        async with asyncio.timeout(api.options.answer_s):
            socket = await api.session.ws_connect(
                url,
                params={"token": session.token},
                headers=USER_AGENT,
                max_msg_size=MAX_LINE,
            )
    except PeerError as error:
        raise CannotDial(error.message) from error
    except TimeoutError as error:
        raise CannotDial(f"no answer within {api.options.answer_s:g} s") from error
    except (aiohttp.ClientError, OSError) as error:
        raise dial_refusal(error) from error
    return WebSocket(socket)
