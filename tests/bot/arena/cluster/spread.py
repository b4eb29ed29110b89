"""Three processes in the place of one, for tests that know nothing of several."""

import asyncio
import random
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, suppress
from itertools import cycle

from bot.arena.server import running_arena
from bot.arena.settings import ArenaSettings, ClusterSettings
from bot.runtime.tasks import OwnedTasks
from bot.time_source import TimeSource
from tests.bot.arena.cluster.three import QUICK

COUNT = 3
CHUNK = 65536

RunningArena = Callable[..., AbstractAsyncContextManager[str]]


class Relay:
    """A port that passes each connection on to the next of several others."""

    def __init__(self, targets: Sequence[tuple[str, int]]) -> None:
        self._targets = cycle(targets)
        self._tasks = OwnedTasks("relay_failed", expected=OSError)
        self._server: asyncio.Server | None = None

    async def open(self, host: str, port: int) -> int:
        """Listen; returns the port."""
        self._server = await asyncio.start_server(self._begin, host, port)
        number: int = self._server.sockets[0].getsockname()[1]
        return number

    async def close(self) -> None:
        if self._server is not None:
            self._server.close()
        await self._tasks.cancel()

    def _begin(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._tasks.start(self._serve(reader, writer))

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # From the client's own address: limits count it.
        source = writer.get_extra_info("peername")[0]
        host, port = next(self._targets)
        onward = await asyncio.open_connection(host, port, local_addr=(source, 0))
        try:
            await asyncio.gather(_copy(reader, onward[1]), _copy(onward[0], writer))
        finally:
            for each in (writer, onward[1]):
                each.transport.abort()


async def _copy(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while data := await source.read(CHUNK):
            target.write(data)
            await target.drain()
    target.close()


def spread_over(database: str) -> RunningArena:
    """A `running_arena` that starts three processes on this database, behind one address."""

    @asynccontextmanager
    async def running(
        settings: ArenaSettings, time: TimeSource | None = None, rng: random.Random | None = None
    ) -> AsyncIterator[str]:
        assert time is None, "several processes need real time"
        async with AsyncExitStack() as stack:
            targets = []
            for number in range(COUNT):
                part = settings.model_copy(
                    update={
                        "port": 0,
                        "data": settings.data / f"process-{number}",
                        "database": database,
                        "cluster": ClusterSettings.model_validate(QUICK),
                    }
                )
                address = await stack.enter_async_context(running_arena(part, rng=rng))
                targets.append((settings.host, int(address.rpartition(":")[2])))
            relay = Relay(targets)
            port = await relay.open(settings.host, settings.port)
            stack.push_async_callback(relay.close)
            yield f"http://{settings.host}:{port}"

    return running
