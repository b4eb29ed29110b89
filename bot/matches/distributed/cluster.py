"""A scheduler with workers, as a host of games needs it; `dask_cluster.py` has the real one."""

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
    """`sources` is a hash of all that is written in Python here; one that was changed is another.

    Dask wants the same `python`, without its last number, and the same `distributed` everywhere.
    """

    bluestone: str
    sources: str
    python: str
    distributed: str

    def differences(self, other: "Versions") -> str | None:
        """What the other one has otherwise, in words; None if it fits."""
        if self.bluestone != other.bluestone:
            return f"Bluestone {other.bluestone}, and here is {self.bluestone}"
        if self.sources != other.sources:
            return f"other sources of Bluestone {other.bluestone} than there are here"
        if self.python != other.python:
            return f"Python {other.python}, and here is {self.python}"
        if self.distributed != other.distributed:
            return f"distributed {other.distributed}, and here is {self.distributed}"
        return None


def own_versions() -> Versions:
    """Reads all sources, which takes some hundredths of a second."""
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
    """A game, and how long it may take altogether before the worker ends it."""

    task: GameTask
    limit_s: float = Field(gt=0)


class JobResult(FrozenModel):
    """What came of a job. Without a report the game was not the engines' to lose: it is played
    elsewhere, where `lacks` says that no engine of that name starts here, else `failure` why.
    """

    report: GameReport | None = None
    lacks: dict[str, str] = Field(default_factory=dict)
    """Why each of these engines cannot be started."""
    failure: str | None = None
    is_unhired: bool = False
    """This process was not asked before: it has come in the place of one that ended."""


class HireRequest(FrozenModel):
    """Which engines will be needed."""

    engines: tuple[EngineSpec, ...]


class HireReply(FrozenModel):
    """What a worker is, which engines it has not and why, and what is wrong with it altogether."""

    versions: Versions
    lacks: dict[str, str] = Field(default_factory=dict)
    problem: str | None = None


class SchedulerLost(BluestoneError):
    """The scheduler does not answer, and what it was to do is not known any more."""


class WorkerLost(BluestoneError):
    """A worker is not there any more, or does not answer."""


class WorkerUnfit(BluestoneError):
    """A worker cannot be used; the text says why."""


@dataclass(frozen=True)
class WorkerFacts:
    """What a scheduler says of a worker. `heard_at` is a moment of the scheduler's clock, and of
    use only by comparing it with others. It takes so many games at once as it has `slots`.
    """

    address: str
    name: str
    slots: int
    heard_at: float
    takes_games: bool = True


class Cluster(Protocol):
    """Every call may raise SchedulerLost."""

    async def workers(self) -> list[WorkerFacts]: ...

    async def hire(self, address: str, request: HireRequest) -> HireReply:
        """Raises WorkerLost and WorkerUnfit."""

    async def play(self, address: str, key: str, job: GameJob) -> JobResult:
        """Raises WorkerLost where the cluster knows; else it waits as long as it is let."""

    async def drop(self, address: str, key: str) -> None:
        """End a game that nobody waits for; errors do not matter."""

    async def close(self) -> None:
        """Dismiss the workers that are there. Never fails."""


Connect = Callable[[], Awaitable[Cluster]]
"""Raises SchedulerLost where there is no scheduler, ConfigurationError for one that cannot do."""
