"""A player of the arena over a real socket, who remembers everything that he was told."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, TypeVar
from urllib.parse import urlsplit

import aiohttp
import socketio
from pydantic import BaseModel

from bot import wire

DEADLINE_S = 20.0
"""A generous bound on a machine that is busy; only a failing test waits so long."""

Message = TypeVar("Message", bound=BaseModel)


class CutOff(Exception):
    """The connection ended before the arena's welcome."""


class ArenaClient:
    """Calls events and waits for what the server says; every event is parsed as it comes.

    `source` is the address of this machine from which it comes, such as 127.0.0.2; `http` opens
    another kind of session.
    """

    def __init__(
        self,
        source: str = "127.0.0.1",
        http: Callable[[], aiohttp.ClientSession] | None = None,
    ) -> None:
        self._socket = socketio.AsyncClient(
            reconnection=False,
            handle_sigint=False,
            http_session=http or (lambda: _http_from(source)),
        )
        self._changed = asyncio.Condition()
        self.events: list[tuple[str, Any]] = []
        self.is_connected = False
        for event, model in wire.SERVER_EVENTS.items():
            self._socket.on(event, self._recorder(event, model))
        self.refusal: dict[str, Any] = {}
        """What the server said when it did not let us in."""
        self._socket.on("disconnect", self._on_disconnect)
        self._socket.on("connect_error", self._on_refused)

    def _recorder(self, event: str, model: type[BaseModel]) -> Callable[[Any], Any]:
        async def record(data: Any) -> None:
            async with self._changed:
                self.events.append((event, model.model_validate(data)))
                self._changed.notify_all()

        return record

    async def _on_disconnect(self, *_reason: object) -> None:
        async with self._changed:
            self.is_connected = False
            self._changed.notify_all()

    async def _on_refused(self, error: dict[str, Any]) -> None:
        self.refusal = error

    async def connect(self, url: str, auth: object) -> wire.Welcome:
        """Come in, or come back; what was told before is forgotten, as the protocol wants it.

        Raises CutOff if the arena ends the connection before it welcomes.
        """
        self.events.clear()
        self.is_connected = True
        await self._socket.connect(
            url,
            auth=auth,
            transports=["websocket"],
            socketio_path=f"{urlsplit(url).path.rstrip('/')}/socket.io",
            wait_timeout=int(DEADLINE_S),
        )
        async with asyncio.timeout(DEADLINE_S), self._changed:
            await self._changed.wait_for(
                lambda: bool(self.all_of(wire.Welcome)) or not self.is_connected
            )
        welcomes = self.all_of(wire.Welcome)
        if not welcomes:
            raise CutOff
        return welcomes[-1]

    async def close(self) -> None:
        await self._socket.disconnect()

    async def ask_raw(self, event: str, *data: Any) -> dict[str, Any]:
        """The acknowledgement of an event, whatever it carries."""
        answer = await self._socket.call(event, tuple(data), timeout=DEADLINE_S)
        assert isinstance(answer, dict), answer
        return answer

    async def ask(self, event: str, **fields: Any) -> dict[str, Any]:
        return await self.ask_raw(event, {"v": wire.VERSION, **fields})

    async def tell_raw(self, event: str, data: Any) -> None:
        """Send without asking for an acknowledgement."""
        await self._socket.emit(event, data)

    async def do(self, event: str, **fields: Any) -> Any:
        """What a request that must succeed was answered, parsed."""
        answer = await self.ask(event, **fields)
        assert answer["ok"], answer
        _, model = wire.CLIENT_EVENTS[event]
        return model.model_validate(answer)

    async def refused(self, event: str, **fields: Any) -> str:
        """The code with which a request is refused."""
        answer = wire.Refusal.model_validate(await self.ask(event, **fields))
        assert answer.message
        return answer.code

    def all_of(self, model: type[Message]) -> list[Message]:
        """Every event of that kind so far."""
        return [message for _, message in self.events if isinstance(message, model)]

    async def wait_for(
        self, model: type[Message], condition: Callable[[Message], bool] = lambda _: True
    ) -> Message:
        """The latest event of a kind that fulfils a condition, now or when it comes."""

        def found() -> Message | None:
            return next((m for m in reversed(self.all_of(model)) if condition(m)), None)

        async with asyncio.timeout(DEADLINE_S), self._changed:
            await self._changed.wait_for(lambda: found() is not None)
        message = found()
        assert message is not None
        return message

    async def game(
        self, game_id: str, condition: Callable[[wire.GameState], bool] = lambda _: True
    ) -> wire.GameState:
        """The latest state of a game that fulfils a condition."""
        return await self.wait_for(
            wire.GameState, lambda state: state.game_id == game_id and condition(state)
        )

    async def wait_until_disconnected(self) -> None:
        async with asyncio.timeout(DEADLINE_S), self._changed:
            await self._changed.wait_for(lambda: not self.is_connected)


def _http_from(source: str) -> aiohttp.ClientSession:
    return aiohttp.ClientSession(connector=aiohttp.TCPConnector(local_addr=(source, 0)))


@asynccontextmanager
async def connected(url: str, source: str = "127.0.0.1", **auth: Any) -> AsyncIterator[ArenaClient]:
    """A connection to the arena at `url`, welcomed and closed afterwards."""
    client = ArenaClient(source)
    try:
        await client.connect(url, {"v": wire.VERSION, **auth})
        yield client
    finally:
        await client.close()
