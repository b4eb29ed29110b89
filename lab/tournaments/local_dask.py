"""A Dask scheduler and workers as processes of this machine, which can be killed and restarted."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Self

import orjson

import bot
from bot.errors import HostError
from bot.runtime.children import PYTHON_M, ChildProcess

START_S = 60.0
END_S = 15.0
ORPHAN_S = 60
"""Seconds after which a worker without a scheduler ends by itself."""


class LocalDask:
    """`address` is the scheduler's. Each worker has one slot."""

    def __init__(self, folder: Path, scheduler: ChildProcess, address: str) -> None:
        self.address = address
        self.workers: list[ChildProcess] = []
        self._folder = folder
        self._scheduler = scheduler
        self._started = 0

    @classmethod
    @asynccontextmanager
    async def running(cls, workers: int) -> AsyncIterator[Self]:
        """Run them until the end of the block; the workers join during it. Raises HostError."""
        with TemporaryDirectory(prefix="bluestone-dask-") as name:
            folder = Path(name)
            file = folder / "scheduler.json"
            arguments = ("--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(file))
            scheduler = await _program(folder, "scheduler", *arguments)
            dask = None
            try:
                dask = cls(folder, scheduler, await _address(scheduler, file))
                for _ in range(workers):
                    await dask.start_worker()
                yield dask
            finally:
                processes = [*(dask.workers if dask else ()), scheduler]
                await asyncio.gather(*(process.end(END_S) for process in processes))

    async def start_worker(self) -> None:
        self._started += 1
        name = f"worker-{self._started}"
        arguments = ("--nthreads", "1", "--no-nanny", "--name", name)
        orphan = ("--death-timeout", str(ORPHAN_S), "--local-directory", str(self._folder))
        worker = await _program(self._folder, "worker", self.address, *arguments, *orphan)
        self.workers.append(worker)

    async def kill_worker(self, place: int) -> None:
        """Kill a worker at once, as if its machine failed."""
        worker = self.workers.pop(place)
        worker.kill()
        await worker.wait()


async def _program(folder: Path, role: str, *arguments: str) -> ChildProcess:
    path = os.pathsep.join(filter(None, [str(Path(bot.__file__).parents[1]), *_python_path()]))
    command = [*PYTHON_M, f"distributed.cli.dask_{role}", *arguments, "--no-dashboard"]
    return await ChildProcess.start_logged(command, folder / f"{role}.log", {"PYTHONPATH": path})


def _python_path() -> list[str]:
    return os.environ.get("PYTHONPATH", "").split(os.pathsep)


async def _address(scheduler: ChildProcess, file: Path) -> str:
    """Return the scheduler's address. Raises HostError if it does not start within a minute."""
    try:
        async with asyncio.timeout(START_S):
            while scheduler.status is None:
                if (address := await asyncio.to_thread(_written_address, file)) is not None:
                    return address
                await asyncio.sleep(0.05)
    except TimeoutError:
        await scheduler.end(END_S)
        raise HostError(f"the Dask scheduler did not start within {START_S:.0f} s") from None
    raise HostError(f"the Dask scheduler ended at once, with {scheduler.status}")


def _written_address(file: Path) -> str | None:
    """Return the address; None until the scheduler has written all of it."""
    try:
        return str(orjson.loads(file.read_bytes())["address"])
    except (FileNotFoundError, orjson.JSONDecodeError):
        return None
