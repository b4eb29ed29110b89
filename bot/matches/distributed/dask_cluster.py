"""A Dask scheduler as a `Cluster`. Imports `distributed`, which need not be installed."""

import asyncio
import logging
import warnings
from collections.abc import Awaitable, Callable
from concurrent.futures import CancelledError
from contextlib import suppress
from typing import Any, Final, Self, TypeVar

import structlog
from distributed import Client
from distributed.versions import VersionMismatchWarning
from pydantic import ValidationError

from bot.errors import BluestoneError, ConfigurationError
from bot.matches.distributed import on_worker
from bot.matches.distributed.cluster import (
    GameJob,
    HireReply,
    HireRequest,
    JobResult,
    SchedulerLost,
    Versions,
    WorkerFacts,
    WorkerLost,
    WorkerUnfit,
)

log = structlog.get_logger()
T = TypeVar("T")
CLOSE_S: Final = 10.0
DROP_S: Final = 10.0
RUNNING: Final = "running"
"""What a worker's status is unless it is short of memory or about to end."""


class DaskCluster:
    """`run` tells the games of this run of a host from those of others on the same workers."""

    def __init__(self, client: Client, address: str, run: str) -> None:
        self._client = client
        self._address = address
        self._run = run
        self._hired: set[str] = set()

    @classmethod
    async def connect(cls, address: str, run: str, versions: Versions, within_s: float) -> Self:
        """`versions` are our own. Raises SchedulerLost, and ConfigurationError for other ones."""
        logging.getLogger("distributed").setLevel(logging.CRITICAL)  # we say ourselves what is lost
        client = Client(address, asynchronous=True, set_as_default=False, timeout=within_s)
        try:
            with warnings.catch_warnings():
                # Workers are asked by us, and refused with a sentence.
                warnings.simplefilter("ignore", VersionMismatchWarning)
                await client
        except (OSError, TimeoutError, ValueError) as error:
            with suppress(OSError, TimeoutError):
                await client.close(timeout=1)
            raise SchedulerLost(f"no scheduler answers at {address}") from error
        try:
            await _check(client, address, versions)
        except BluestoneError:
            await client.close()
            raise
        return cls(client, address, run)

    async def workers(self) -> list[WorkerFacts]:
        assert self._client.scheduler is not None
        identity = await self._asked(self._client.scheduler.identity())
        return [_facts(address, each) for address, each in identity["workers"].items()]

    async def hire(self, address: str, request: HireRequest) -> HireReply:
        text = request.model_dump_json()
        reply = await self._run_on(address, on_worker.hire, self._run, text)
        if isinstance(reply, (OSError, TimeoutError)):
            raise WorkerLost(f"cannot be reached: {reply}")
        if not isinstance(reply, str):
            raise WorkerUnfit(_told(reply))
        try:
            hired = HireReply.model_validate_json(reply)
        except ValidationError:
            raise WorkerUnfit("another version of Bluestone, which answers otherwise") from None
        self._hired.add(address)
        return hired

    async def play(self, address: str, key: str, job: GameJob) -> JobResult:
        future = self._client.submit(
            on_worker.play,
            self._run,
            key,
            job.model_dump_json(),
            key=f"{self._run}-{key}",
            workers=[address],
            allow_other_workers=False,
            pure=False,
        )
        try:
            error = await future.exception()
            if error is None:
                return JobResult.model_validate_json(await future)
            return self._spoilt(error)
        except CancelledError:
            raise SchedulerLost(f"the scheduler at {self._address} is lost") from None
        except ValidationError as error:
            return JobResult(failure=f"an answer that is none: {error}"[:500])
        finally:
            future.release()

    async def drop(self, address: str, key: str) -> None:
        with suppress(TimeoutError):
            await asyncio.wait_for(self._run_on(address, on_worker.drop, self._run, key), DROP_S)

    async def close(self) -> None:
        with suppress(SchedulerLost, TimeoutError):
            await asyncio.wait_for(self._dismiss(), CLOSE_S)
        with suppress(OSError, TimeoutError):
            await self._client.close(timeout=CLOSE_S)

    async def _dismiss(self) -> None:
        there = {each.address for each in await self.workers()} & self._hired
        await asyncio.gather(
            *(self._run_on(address, on_worker.dismiss, self._run) for address in there)
        )

    async def _run_on(self, address: str, function: Callable[..., object], *args: str) -> object:
        """What the function returns on that worker, or the error that it ended with."""
        work = self._client.run(function, *args, workers=[address], on_error="return")
        return (await self._asked(work)).get(address)

    async def _asked(self, work: Awaitable[T]) -> T:
        try:
            return await work
        except (OSError, TimeoutError) as error:  # CommClosedError is an OSError
            raise SchedulerLost(f"the scheduler at {self._address} is lost") from error

    def _spoilt(self, error: BaseException) -> JobResult:
        if isinstance(error, (CancelledError, asyncio.CancelledError)):
            raise SchedulerLost(f"the scheduler at {self._address} is lost")
        if type(error).__name__ == "KilledWorker":
            raise WorkerLost("it ended in the middle")
        return JobResult(failure=_told(error))


async def _check(client: Client, address: str, versions: Versions) -> None:
    """Tasks go through the scheduler, which has to know what they are made of.

    Raises SchedulerLost and ConfigurationError.
    """
    try:
        answer = await client.run_on_scheduler(on_worker.versions)
        different = versions.differences(Versions.model_validate_json(answer))
    except (OSError, TimeoutError) as error:
        raise SchedulerLost(f"no scheduler answers at {address}") from error
    except Exception as error:  # Dask raises what came from there, of any kind
        log.warning("scheduler_not_checked", address=address, exc_info=True)
        raise _refusal(address, _told(error)) from error
    if different is not None:
        raise _refusal(address, different)


def _refusal(address: str, why: str) -> ConfigurationError:
    problem = f"the scheduler at {address} is refused: {why}"
    return ConfigurationError(f"{problem}. Start it with what is installed here")


def _told(error: object) -> str:
    """What went wrong elsewhere, in one line."""
    text = repr(error)
    if any(word in text for word in ("ModuleNotFoundError", "ImportError", "AttributeError")):
        return "it has no Bluestone, or another version of it"
    return f"it fails: {' '.join(text.split())}"[:500]


def _facts(address: str, identity: dict[str, Any]) -> WorkerFacts:
    return WorkerFacts(
        address=address,
        name=str(identity["name"]),
        slots=int(identity["nthreads"]),
        heard_at=float(identity["last_seen"]),
        takes_games=identity["status"] == RUNNING,
    )
