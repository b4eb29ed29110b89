"""A Dask scheduler and workers as processes of this machine, to be killed and started again."""

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
"""A worker whose scheduler is gone for so long ends by itself."""


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
        """Until the end of the block; the workers come while it runs. Raises HostError."""
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
        """At once, as when its machine fails."""
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
    """Raises HostError if it does not start in a minute."""
    try:
        async with asyncio.timeout(START_S):
            while scheduler.status is None:
                if (address := await asyncio.to_thread(_written_address, file)) is not None:
                    return address
                await asyncio.sleep(0.05)
    except TimeoutError:
        await scheduler.end(END_S)
        raise HostError(f"the Dask scheduler did not start in {START_S:.0f} s") from None
    raise HostError(f"the Dask scheduler ended at once, with {scheduler.status}")


def _written_address(file: Path) -> str | None:
    """None while the scheduler has not written all of it."""
    try:
        return str(orjson.loads(file.read_bytes())["address"])
    except (FileNotFoundError, orjson.JSONDecodeError):
        return None
