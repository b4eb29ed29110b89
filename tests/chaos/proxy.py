"""A network between two ends that can cut connections at any byte.

`python -m tests.chaos.proxy LISTEN TO ...` forwards from each port to the next one, as a process
that can be killed and stopped.
"""

import asyncio
import random
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Final

CHUNK: Final = 65_536


@dataclass
class _Line:
    """One connection of two sockets. `left` bytes may pass before the cut; None is unlimited."""

    client: asyncio.StreamWriter
    server: asyncio.StreamWriter
    left: int | None = None

    def cut(self) -> None:
        for writer in (self.client, self.server):
            writer.transport.abort()


@dataclass
class Proxy:
    """Listens on `address`, and forwards to `port` of this machine; made by `forwarding`.

    What the server sends waits for `delay_s` seconds.
    """

    rng: random.Random
    port: int = 0
    address: str = ""
    cuts: int = 0
    delay_s: float = 0.0
    _mean_bytes: float | None = None
    _lines: list[_Line] = field(default_factory=list)

    def harm(self, mean_bytes: float) -> None:
        """Cut each present and future connection after about this many bytes from now."""
        self._mean_bytes = mean_bytes
        for line in self._lines:
            line.left = self._lot()

    def heal(self) -> None:
        self._mean_bytes = None
        for line in self._lines:
            line.left = None

    def _lot(self) -> int | None:
        return None if self._mean_bytes is None else int(self.rng.expovariate(1 / self._mean_bytes))

    async def serve(self, reader: asyncio.StreamReader, client: asyncio.StreamWriter) -> None:
        try:
            back, server = await asyncio.open_connection("127.0.0.1", self.port)
        except OSError:
            client.transport.abort()
            return
        line = _Line(client, server, self._lot())
        self._lines.append(line)
        pumps = {
            asyncio.create_task(self._pump(line, reader, server)),
            asyncio.create_task(self._pump(line, back, client)),
        }
        try:
            await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._lines.remove(line)
            for pump in pumps:
                pump.cancel()
            line.cut()

    async def _pump(
        self, line: _Line, source: asyncio.StreamReader, target: asyncio.StreamWriter
    ) -> None:
        try:
            while data := await source.read(CHUNK):
                if target is line.client and self.delay_s:
                    await asyncio.sleep(self.delay_s)
                if line.left is not None and line.left < len(data):
                    self.cuts += 1
                    target.write(data[: line.left])
                    return
                if line.left is not None:
                    line.left -= len(data)
                target.write(data)
                await target.drain()
        except OSError:
            return

    def close(self) -> None:
        for line in self._lines:
            line.cut()


@asynccontextmanager
async def forwarding(rng: random.Random) -> AsyncIterator[Proxy]:
    """A proxy on a free port of this machine."""
    proxy = Proxy(rng)
    server = await asyncio.start_server(proxy.serve, "127.0.0.1", 0)
    proxy.address = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        yield proxy
    finally:
        server.close()
        proxy.close()
        await asyncio.sleep(0)  # the connections' own tasks see that


async def _forward(ports: list[int]) -> None:
    rng = random.Random(0)
    for listen, to in zip(ports[::2], ports[1::2], strict=True):
        await asyncio.start_server(Proxy(rng, to).serve, "127.0.0.1", listen)
    print("forwarding", flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(_forward([int(port) for port in sys.argv[1:]]))
