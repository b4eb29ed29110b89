"""A Dask scheduler as a `Cluster`. Imports `distributed`, an optional dependency."""

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
from bot.guests.dask import on_worker
from bot.guests.dask.cluster import (
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
"""The status of a worker that has enough memory and is not about to end."""


class DaskCluster:
    """A connection to a Dask scheduler.

    `run` separates the games of this run of a host from those of other hosts on the same workers.
    """

    def __init__(self, client: Client, address: str, run: str) -> None:
        self._client = client
        self._address = address
        self._run = run
        self._hired: set[str] = set()

    @classmethod
    async def connect(cls, address: str, run: str, versions: Versions, within_s: float) -> Self:
        """Connect within `within_s` seconds. `versions` are those of this machine.

        Raises SchedulerLost if no scheduler answers, and ConfigurationError if its versions differ.
        """
        # This program reports lost connections itself.
        logging.getLogger("distributed").setLevel(logging.CRITICAL)
        client = Client(address, asynchronous=True, set_as_default=False, timeout=within_s)
        try:
            with warnings.catch_warnings():
                # `hire` compares the versions of workers and refuses with a message.
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
            raise WorkerUnfit(_error_words(reply))
        try:
            hired = HireReply.model_validate_json(reply)
        except ValidationError:
            raise WorkerUnfit("another version of Bluestone with other messages") from None
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
            return self._failed(error)
        except CancelledError:
            raise SchedulerLost(f"the scheduler at {self._address} is lost") from None
        except ValidationError as error:
            return JobResult(failure=f"its answer is invalid: {error}"[:500])
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
        """The value that the function returns on that worker, or the error that it raises."""
        work = self._client.run(function, *args, workers=[address], on_error="return")
        return (await self._asked(work)).get(address)

    async def _asked(self, work: Awaitable[T]) -> T:
        try:
            return await work
        except (OSError, TimeoutError) as error:  # CommClosedError is an OSError
            raise SchedulerLost(f"the scheduler at {self._address} is lost") from error

    def _failed(self, error: BaseException) -> JobResult:
        if isinstance(error, (CancelledError, asyncio.CancelledError)):
            raise SchedulerLost(f"the scheduler at {self._address} is lost")
        if type(error).__name__ == "KilledWorker":
            raise WorkerLost("it ended during the game")
        return JobResult(failure=_error_words(error))


async def _check(client: Client, address: str, versions: Versions) -> None:
    """Compare the versions of the scheduler: tasks pass through it, and it must know their classes.

    Raises SchedulerLost and ConfigurationError.
    """
    try:
        answer = await client.run_on_scheduler(on_worker.versions)
        different = versions.differences(Versions.model_validate_json(answer))
    except (OSError, TimeoutError) as error:
        raise SchedulerLost(f"no scheduler answers at {address}") from error
    except Exception as error:  # Dask raises any error that the scheduler raised
        log.warning("scheduler_not_checked", address=address, exc_info=True)
        raise _refusal(address, _error_words(error)) from error
    if different is not None:
        raise _refusal(address, different)


def _refusal(address: str, why: str) -> ConfigurationError:
    problem = f"the scheduler at {address} is refused: {why}"
    return ConfigurationError(f"{problem}. Start it from the same installation as here")


def _error_words(error: object) -> str:
    """An error of another machine, in one line."""
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
