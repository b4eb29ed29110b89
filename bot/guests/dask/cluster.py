"""The interface of a scheduler with workers, and its messages; `dask_cluster.py` implements it."""

import hashlib
import sys
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Protocol

from pydantic import Field

import bot
import engine
from bot.engines.spec import EngineSpec
from bot.errors import BluestoneError
from bot.matches.task import GameReport, GameTask
from bot.tournaments.model import FrozenModel


class Versions(FrozenModel):
    """The versions of the software on a machine, which must be the same everywhere.

    `sources` is a hash of all Python files of this package, so that a changed file is noticed.
    `python` has the major and the minor version, which Dask needs to be equal.
    """

    bluestone: str
    sources: str
    python: str
    distributed: str

    def differences(self, other: "Versions") -> str | None:
        """The first difference to another machine, as a phrase; None if all versions are equal."""
        if self.bluestone != other.bluestone:
            return f"Bluestone {other.bluestone} there, {self.bluestone} here"
        if self.sources != other.sources:
            return f"other sources of Bluestone {other.bluestone} than here"
        if self.python != other.python:
            return f"Python {other.python} there, {self.python} here"
        if self.distributed != other.distributed:
            return f"distributed {other.distributed} there, {self.distributed} here"
        return None


def own_versions() -> Versions:
    """The versions on this machine. Reads all sources, which takes some hundredths of a second."""
    return Versions(
        bluestone=bot.__version__,
        sources=_source_hash(Path(bot.__file__).parent, Path(engine.__file__).parent),
        python="{}.{}".format(*sys.version_info),
        distributed=version("distributed"),
    )


def _source_hash(*folders: Path) -> str:
    digest = hashlib.sha256()
    for folder in folders:
        for path in sorted(_sources(folder)):
            digest.update(f"{path.relative_to(folder.parent).as_posix()}\0".encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _sources(folder: Path) -> Iterator[Path]:
    return folder.rglob("*.py")


class GameJob(FrozenModel):
    """A game for a worker. The worker ends it after `limit_s` seconds."""

    task: GameTask
    limit_s: float = Field(gt=0)


class JobResult(FrozenModel):
    """The result of a job. Without a report, the game must be played elsewhere.

    `lacks` then has the engines that do not start on the worker, or `failure` says what went wrong.
    """

    report: GameReport | None = None
    lacks: dict[str, str] = Field(default_factory=dict)
    """Why each of these engines cannot start, by name."""
    failure: str | None = None
    is_unhired: bool = False
    """The process is new and must be hired first: it replaced one that had ended."""


class HireRequest(FrozenModel):
    """The request to a worker to prepare for games with these engines."""

    engines: tuple[EngineSpec, ...]


class HireReply(FrozenModel):
    """The reply of a worker.

    `lacks` has the engines that it cannot start, by name, with the reasons. `problem` says why it
    cannot play at all.
    """

    versions: Versions
    lacks: dict[str, str] = Field(default_factory=dict)
    problem: str | None = None


class SchedulerLost(BluestoneError):
    """The scheduler does not answer, and the state of its jobs is unknown."""


class WorkerLost(BluestoneError):
    """A worker has ended, or does not answer."""


class WorkerUnfit(BluestoneError):
    """A worker cannot be used; the text says why."""


@dataclass(frozen=True)
class WorkerFacts:
    """A worker as the scheduler describes it.

    The worker can play `slots` games at once. `heard_at` is a moment of the scheduler's clock, so
    it can only be compared with other such moments. `takes_games` is false while the worker has too
    little memory, or is about to end.
    """

    address: str
    name: str
    slots: int
    heard_at: float
    takes_games: bool = True


class DaskWorkers(Protocol):
    """A connection to a scheduler with workers. Every call but `close` may raise SchedulerLost."""

    async def workers(self) -> list[WorkerFacts]:
        """The workers that are connected to the scheduler now."""

    async def hire(self, address: str, request: HireRequest) -> HireReply:
        """Prepare a worker for games. Raises WorkerLost and WorkerUnfit."""

    async def play(self, address: str, key: str, job: GameJob) -> JobResult:
        """Play a game on a worker; `key` identifies it for `drop`.

        Raises WorkerLost if the cluster notices the loss. Otherwise the call waits without a limit,
        so the caller needs a timeout.
        """

    async def drop(self, address: str, key: str) -> None:
        """End a game whose result is not needed any more. Errors do not matter."""

    async def close(self) -> None:
        """Release the hired workers and disconnect. Never fails."""


Connect = Callable[[], Awaitable[DaskWorkers]]
"""Connects to the scheduler. Raises SchedulerLost if none answers, and ConfigurationError if it
cannot be used."""
