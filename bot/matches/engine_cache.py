"""Keeps engines running from game to game: a start costs a second, another game almost nothing."""

import asyncio
import os
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final

from bot.engines.process import EngineProcess
from bot.engines.spec import EngineSpec
from bot.errors import ConfigurationError, EngineStartError
from bot.runtime.settings import did_you_mean
from bot.time_source import TimeSource

MOST_IDLE: Final = 24


@dataclass
class Loan:
    """Two running engines, one per seat. Set `kept` to return them to the cache afterwards."""

    processes: tuple[EngineProcess, EngineProcess]
    kept: bool = False


class EngineCache:
    """Holds up to `most_idle` idle engines. The one that was used last is at the end."""

    def __init__(self, time: TimeSource, most_idle: int = MOST_IDLE) -> None:
        self._time = time
        self._most_idle = most_idle
        self._idle: list[EngineProcess] = []

    async def check(self, specs: Sequence[EngineSpec], games: int = 1) -> None:
        """Start each engine at least once, and often enough for `games` games at once.

        All engines start before the first game, because a start takes processor time from engines
        whose clocks run. Raises ConfigurationError with every engine that does not start or lacks
        an option.
        """
        at_once = asyncio.Semaphore(os.cpu_count() or 1)
        wanted = [spec for _ in range(self._copies(len(specs), games)) for spec in specs]
        problems = await asyncio.gather(*(self._problem(spec, at_once) for spec in wanted))
        if found := list(dict.fromkeys(problem for problem in problems if problem is not None)):
            raise ConfigurationError(found)

    def _copies(self, specs: int, games: int) -> int:
        """The number of processes per engine, for two seats in each game."""
        needed = min(games, -(-2 * games // max(1, specs)))
        return max(1, min(needed, self._most_idle // max(1, specs)))

    async def _problem(self, spec: EngineSpec, at_once: asyncio.Semaphore) -> str | None:
        async with at_once:
            try:
                process = await EngineProcess.start(spec, self._time)
            except EngineStartError as error:
                return f"{error.engine}: {error.message}"
            await self._put_back(process)
        return _lacking(process)

    @asynccontextmanager
    async def lent(self, specs: tuple[EngineSpec, EngineSpec]) -> AsyncIterator[Loan]:
        """Two engines for one game, from the cache or new. Raises EngineStartError."""
        one = await self._taken(specs[0])
        try:
            two = await self._taken(specs[1])
        except BaseException:
            await one.kill()
            raise
        loan = Loan((one, two))
        try:
            yield loan
        finally:
            end = self._put_back if loan.kept else EngineProcess.kill
            await asyncio.gather(*(end(process) for process in loan.processes))

    async def close(self) -> None:
        idle, self._idle = self._idle, []
        await asyncio.gather(*(process.close() for process in idle))

    async def _taken(self, spec: EngineSpec) -> EngineProcess:
        """A running engine from the cache, otherwise a new one."""
        while (place := self._place_of(spec)) is not None:
            process = self._idle.pop(place)
            if process.alive:
                return process
            await process.kill()
        return await EngineProcess.start(spec, self._time)

    def _place_of(self, spec: EngineSpec) -> int | None:
        places = reversed(range(len(self._idle)))
        return next((place for place in places if self._idle[place].spec == spec), None)

    async def _put_back(self, process: EngineProcess) -> None:
        if not process.alive:
            await process.kill()
            return
        self._idle.append(process)
        if len(self._idle) > self._most_idle:
            await self._idle.pop(0).close()


def _lacking(process: EngineProcess) -> str | None:
    """The first option of the settings that the engine does not have; None if it has them all.

    An error is better than games without the option, because the tournament's host relies on it.
    """
    known = [option.name for option in process.options.values()]
    lacking = [name for name in process.spec.options if name.lower() not in process.options]
    if not lacking:
        return None
    name = lacking[0]
    return f"{process.spec.name}: has no option {name!r}{did_you_mean(name, known)}"
