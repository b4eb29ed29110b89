"""The functions that a host runs on Dask workers, which import this module by its name.

Requests and replies are JSON, so that a worker of another version is recognised and refused.
"""

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from functools import partial
from typing import TYPE_CHECKING, Final

from distributed import WorkerPlugin, get_worker

from bot.errors import ConfigurationError
from bot.guests.dask.cluster import GameJob, HireReply, HireRequest, JobResult, own_versions
from bot.guests.dask.worker_games import END_S, LoopThread, OwnEngines, WorkerGames, WorkerPlay
from bot.matches.local_games import LocalGames
from bot.time_source import SystemTime

if TYPE_CHECKING:
    from distributed import Worker

PREFIX: Final = "bluestone-"


class GamesPlugin(WorkerPlugin):
    """Plays the games of one host. It lives until the host or the worker's process ends."""

    def __init__(
        self, engines: OwnEngines, open_games: Callable[[], AbstractAsyncContextManager[WorkerPlay]]
    ) -> None:
        self._engines = engines
        self._open_games = open_games
        self._thread: LoopThread | None = None
        self._games: WorkerGames | None = None

    def setup(self, worker: "Worker") -> None:  # noqa: ARG002 (Dask's signature)
        self._thread = LoopThread()
        self._games = self._thread.submit(self._made()).result(END_S)

    async def _made(self) -> WorkerGames:
        """Made in the event loop of the thread, because it creates asyncio objects."""
        return WorkerGames(self._engines, self._open_games, SystemTime())

    def play(self, key: str, job: GameJob) -> str:
        """Play a game. The calling thread of the worker waits, at most for the limit of the job."""
        thread, games = self._both()
        return thread.submit(games.play(key, job)).result().model_dump_json()

    def drop(self, key: str) -> None:
        thread, games = self._both()
        thread.call(partial(games.drop, key))

    async def teardown(self, worker: "Worker") -> None:  # noqa: ARG002 (Dask's signature)
        thread, games = self._both()
        await asyncio.wait_for(asyncio.wrap_future(thread.submit(games.close())), END_S)
        thread.close()

    def _both(self) -> tuple[LoopThread, WorkerGames]:
        assert self._thread is not None
        assert self._games is not None
        return self._thread, self._games


def versions() -> str:
    """The versions on the scheduler's machine, as JSON."""
    return own_versions().model_dump_json()


async def hire(run: str, request: str, dask_worker: "Worker") -> str:
    """Prepare this worker for games of `run`. Returns a `HireReply` as JSON."""
    own = own_versions()
    try:
        engines = OwnEngines.of_environment()
    except ConfigurationError as error:
        return HireReply(versions=own, problem=str(error)).model_dump_json()
    if PREFIX + run not in dask_worker.plugins:
        plugin = GamesPlugin(engines, partial(LocalGames.open, SystemTime()))
        await dask_worker.plugin_add(plugin=plugin, name=PREFIX + run, catch_errors=False)
    lacks = engines.lacking(HireRequest.model_validate_json(request).engines)
    return HireReply(versions=own, lacks=lacks).model_dump_json()


def play(run: str, key: str, job: str) -> str:
    """Play a game. Returns a `JobResult` as JSON."""
    worker = get_worker()
    if PREFIX + run not in worker.plugins:
        return JobResult(failure="it was restarted", is_unhired=True).model_dump_json()
    return _plugin(run, worker).play(key, GameJob.model_validate_json(job))


def drop(run: str, key: str, dask_worker: "Worker") -> None:
    """End the game, if it is running."""
    if PREFIX + run in dask_worker.plugins:
        _plugin(run, dask_worker).drop(key)


async def dismiss(run: str, dask_worker: "Worker") -> None:
    """End all games and engines of `run`."""
    if PREFIX + run in dask_worker.plugins:
        await dask_worker.plugin_remove(name=PREFIX + run)


def _plugin(run: str, worker: "Worker") -> GamesPlugin:
    plugin = worker.plugins[PREFIX + run]
    assert isinstance(plugin, GamesPlugin)
    return plugin
