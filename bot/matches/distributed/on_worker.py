"""What a host has a Dask worker do. Workers import this module by its name: it needs to be there.

A worker's answers are JSON, and so is what it is asked: another version is told apart, not guessed.
"""

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from functools import partial
from typing import TYPE_CHECKING, Final

from distributed import WorkerPlugin, get_worker

from bot.errors import ConfigurationError
from bot.matches.distributed.cluster import (
    GameJob,
    HireReply,
    HireRequest,
    JobResult,
    own_versions,
)
from bot.matches.distributed.worker_games import END_S, Games, LoopThread, OwnEngines, WorkerGames
from bot.matches.local_games import LocalGames
from bot.time_source import SystemTime

if TYPE_CHECKING:
    from distributed import Worker

PREFIX: Final = "bluestone-"


class GamesPlugin(WorkerPlugin):
    """Lives as long as the worker's process, or until the host that hired it is done."""

    def __init__(
        self, engines: OwnEngines, open_games: Callable[[], AbstractAsyncContextManager[Games]]
    ) -> None:
        self._engines = engines
        self._open_games = open_games
        self._thread: LoopThread | None = None
        self._games: WorkerGames | None = None

    def setup(self, worker: "Worker") -> None:  # noqa: ARG002 (Dask's signature)
        self._thread = LoopThread()
        self._games = self._thread.submit(self._made()).result(END_S)

    async def _made(self) -> WorkerGames:
        """In the thread's own loop."""
        return WorkerGames(self._engines, self._open_games, SystemTime())

    def play(self, key: str, job: GameJob) -> str:
        """Called in one of the worker's threads, which waits. Ends by the job's own limit."""
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
    """Those of the scheduler that is asked, which is none of the workers."""
    return own_versions().model_dump_json()


async def hire(run: str, request: str, dask_worker: "Worker") -> str:
    """What this worker is and has, as an `HireReply`; it is ready for games of `run` afterwards."""
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
    """A game, as an `JobResult`."""
    worker = get_worker()
    if PREFIX + run not in worker.plugins:
        return JobResult(failure="it was started again", is_unhired=True).model_dump_json()
    return _plugin(run, worker).play(key, GameJob.model_validate_json(job))


def drop(run: str, key: str, dask_worker: "Worker") -> None:
    """End the game, if it goes on."""
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
