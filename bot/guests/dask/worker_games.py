"""The games of one worker process, with engines that keep running between games."""

import asyncio
import os
import re
import shutil
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, Final, Protocol, Self, TypeVar

from bot.engines.spec import EngineSpec
from bot.errors import BluestoneError, ConfigurationError, EngineStartError
from bot.guests.dask.cluster import GameJob, JobResult
from bot.matches.engine_names import engines_in
from bot.matches.task import GameReport, GameTask
from bot.runtime.settings import validated
from bot.runtime.tasks import within
from bot.time_source import TimeSource
from engine.players.installed import known_engines

ENGINES_VARIABLE: Final = "BLUESTONE_ENGINES"
"""The name of a TOML file with tables `[engines.NAME]`, as for `bluestone match --engines`."""
_PLAYER: Final = re.compile(r"([\w.\-]+)(:\S*)?( \(\d+\))?")
"""The name of a player of a match begins with that of its engine, such as `mine:Level=3 (2)`."""


class OwnEngines:
    """The engines of this machine. Their file overrides the program of an engine.

    Options of the game override options of the file.
    """

    def __init__(self, by_name: Mapping[str, EngineSpec]) -> None:
        self._by_name = dict(by_name)

    @classmethod
    def of_environment(cls, environment: Mapping[str, str] = os.environ) -> Self:
        """The engines of the file in `BLUESTONE_ENGINES`; none without the variable.

        Raises ConfigurationError if the file cannot be read or is wrong.
        """
        path = environment.get(ENGINES_VARIABLE)
        tables = engines_in(Path(path) if path else None)
        return cls({name: _spec(name, table, str(path)) for name, table in tables.items()})

    def of(self, wanted: EngineSpec) -> EngineSpec:
        """The engine to start for a player, under the player's name."""
        own = self._by_name.get(wanted.name)
        if own is None and (match := _PLAYER.fullmatch(wanted.name)):
            own = self._by_name.get(match[1])
        if own is None:
            return wanted
        options = {**own.options, **wanted.options}
        return own.model_copy(update={"name": wanted.name, "options": options})

    def lacking(self, wanted: Iterable[EngineSpec]) -> dict[str, str]:
        """The engines whose program is missing here, by name, with the reasons. Starts nothing."""
        reasons = ((each.name, _missing(self.of(each))) for each in wanted)
        return {name: why for name, why in reasons if why is not None}


def _spec(name: str, table: Mapping[str, Any], source: str) -> EngineSpec:
    fields = {key: value for key, value in table.items() if key != "processes"}
    place = f"{source}: engines.{name}"
    return validated(EngineSpec, {**fields, "name": name}, lambda _: place)


def _missing(spec: EngineSpec) -> str | None:
    if spec.url is not None:
        return None
    if spec.command is None:
        known = spec.builtin in known_engines()
        return None if known else f"there is no built-in engine {spec.builtin!r}"
    if spec.directory is not None and not Path(spec.directory).is_dir():
        return f"there is no folder {str(spec.directory)!r}"
    program = spec.command[0]
    if "/" in program and spec.directory is not None:
        program = str(Path(spec.directory) / program)
    path = spec.environment().get("PATH")
    return None if shutil.which(program, path=path) else f"there is no program {program!r}"


T = TypeVar("T")
IDLE_S: Final = 300.0
"""After this many seconds without a game the engines are ended, because the host may be gone."""
END_S: Final = 20.0


class WorkerPlay(Protocol):
    """Plays games on this machine; `LocalGames` is the implementation."""

    async def check(self, specs: Sequence[EngineSpec]) -> None: ...
    async def play(self, task: GameTask) -> GameReport: ...


OpenGames = Callable[[], AbstractAsyncContextManager[WorkerPlay]]


class WorkerGames:
    """Plays one game for each caller. It must be used in one event loop."""

    def __init__(self, engines: OwnEngines, open_games: OpenGames, time: TimeSource) -> None:
        self._engines = engines
        self._open_games = open_games
        self._time = time
        self._games: WorkerPlay | None = None
        self._exit = AsyncExitStack()
        self._opening = asyncio.Lock()
        self._sound: set[str] = set()
        self._running: dict[str, asyncio.Task[JobResult]] = {}
        self._idle: asyncio.Task[None] | None = None

    async def play(self, key: str, job: GameJob) -> JobResult:
        """Play a game. It fails after the limit of the job, or if `drop` is called with its key."""
        async with self._busy():
            task = asyncio.create_task(within(self._time, job.limit_s, self._played(job.task)))
            self._running[key] = task
            try:
                return await task
            except TimeoutError:
                return JobResult(failure=f"the game took longer than {job.limit_s:.0f} s")
            except asyncio.CancelledError:
                if (this := asyncio.current_task()) is not None and this.cancelling():
                    raise
                return JobResult(failure="the game was dropped")
            finally:
                task.cancel()
                del self._running[key]

    def drop(self, key: str) -> None:
        if (task := self._running.get(key)) is not None:
            task.cancel()

    async def close(self) -> None:
        """Ends running games, and all engines."""
        tasks = list(self._running.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._cancel_end()
        await self._end_engines()

    async def _played(self, task: GameTask) -> JobResult:
        one, two = (self._engines.of(spec) for spec in task.engines)
        try:
            games = await self._opened()
            if lacks := await self._lacking(games, (one, two)):
                return JobResult(lacks=lacks)
            report = await games.play(task.model_copy(update={"engines": (one, two)}))
        except (BluestoneError, OSError) as error:
            return JobResult(failure=f"{type(error).__name__}: {error}"[:500])
        return JobResult(report=report)

    async def _lacking(self, games: WorkerPlay, specs: Sequence[EngineSpec]) -> dict[str, str]:
        """Start the engines that are new here. Returns those that do not start, and why."""
        lacks = {}
        for spec in specs:
            key = spec.model_dump_json()
            if key in self._sound:
                continue
            try:
                await games.check([spec])
                self._sound.add(key)
            except (ConfigurationError, EngineStartError) as error:
                lacks[spec.name] = str(error)[:500]
        return lacks

    async def _opened(self) -> WorkerPlay:
        async with self._opening:
            if self._games is None:
                self._games = await self._exit.enter_async_context(self._open_games())
            return self._games

    @asynccontextmanager
    async def _busy(self) -> AsyncIterator[None]:
        self._cancel_end()
        try:
            yield
        finally:
            if not self._running:
                self._cancel_end()
                self._idle = asyncio.create_task(self._end_engines_after(IDLE_S))

    def _cancel_end(self) -> None:
        """Cancel the end of idle engines."""
        if self._idle is not None:
            self._idle.cancel()
            self._idle = None

    async def _end_engines_after(self, seconds: float) -> None:
        await self._time.sleep(seconds)
        await self._end_engines()

    async def _end_engines(self) -> None:
        """End all engines. The next game starts new ones."""
        async with self._opening:
            self._games = None
            await self._exit.aclose()


class LoopThread:
    """An event loop in its own thread: other work in the worker's loop would delay clocks."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="bluestone-games", daemon=True)
        self._thread.start()

    def submit(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def call(self, function: Callable[[], object]) -> None:
        self._loop.call_soon_threadsafe(function)

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(END_S)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_forever()
        finally:
            self._loop.close()
