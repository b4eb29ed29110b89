"""A scheduler with workers, as a host of games needs it; `dask_cluster.py` has the real one."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol

from bot.errors import BluestoneError
from bot.matches.distributed.messages import Answer, Job, Outcome, Question


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

    async def hire(self, address: str, question: Question) -> Answer:
        """Raises WorkerLost and WorkerUnfit."""

    async def play(self, address: str, key: str, job: Job) -> Outcome:
        """Raises WorkerLost where the cluster knows; else it waits as long as it is let."""

    async def drop(self, address: str, key: str) -> None:
        """End a game that nobody waits for; errors do not matter."""

    async def close(self) -> None:
        """Dismiss the workers that are there. Never fails."""


Connect = Callable[[], Awaitable[Cluster]]
"""Raises SchedulerLost where there is no scheduler, ConfigurationError for one that cannot do."""
