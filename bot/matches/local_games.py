"""Plays games on this machine, for a host."""

import asyncio
import random
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Self

from bot.engines.spec import EngineSpec
from bot.errors import EngineStartError
from bot.matches.adjudication import ResultJudge
from bot.matches.clocks import Lateness
from bot.matches.engine_cache import EngineCache
from bot.matches.host import Play
from bot.matches.protocol_log import logged_protocol
from bot.matches.referee import Officials, play_game
from bot.matches.settings import LocalSettings
from bot.matches.task import GameReport, GameTask
from bot.time_source import TimeSource


class LocalGames:
    """Plays games for a host. Engines keep running from one game to the next."""

    def __init__(
        self, cache: EngineCache, officials: Officials, time: TimeSource, log: Path | None
    ) -> None:
        self._cache = cache
        self._officials = officials
        self._time = time
        self._log = log

    @classmethod
    @asynccontextmanager
    async def open(cls, time: TimeSource, log: Path | None = None) -> AsyncIterator[Self]:
        """Ends all engines at the end of the block.

        `log` is a folder for the protocol of each game.
        """
        cache, judge, lateness = EngineCache(time), ResultJudge(time), Lateness(time)
        watching = asyncio.create_task(lateness.watch())
        try:
            yield cls(cache, Officials(judge, lateness), time, log)
        finally:
            watching.cancel()
            await asyncio.gather(watching, return_exceptions=True)
            await cache.close()
            await judge.close()

    async def check(self, specs: Sequence[EngineSpec], games: int = 1) -> None:
        """Start the engines for `games` games at once, each at least once.

        Raises ConfigurationError with every engine that does not start.
        """
        await self._cache.check(specs, games)

    async def play(self, task: GameTask) -> GameReport:
        """Play a game. It is void if an engine that started before does not start now."""
        try:
            async with self._cache.lent(task.engines) as loan:
                with logged_protocol(self._log, task, loan.processes, self._time):
                    report = await play_game(task, loan.processes, self._time, self._officials)
                loan.kept = report.void is None and not task.conduct.restart
                return report
        except EngineStartError as error:
            return GameReport(game=task.number, void=str(error)[:500])


Note = Callable[[str], None]
"""Shows a message to the user."""
OpenedVenue = AbstractAsyncContextManager[tuple[Play, int]]
Venue = Callable[[LocalSettings, TimeSource, Note], OpenedVenue]
"""Opens a place where games are played. The block gets the function that plays a game, and the
number of games to begin at once. May raise ConfigurationError when it is entered.
"""


@asynccontextmanager
async def this_machine(
    settings: LocalSettings,
    time: TimeSource,
    note: Note,  # noqa: ARG001 (only other venues have messages)
    log: Path | None = None,
) -> AsyncIterator[tuple[Play, int]]:
    """The venue on this machine. `log` is a folder for the protocol of each game."""
    async with LocalGames.open(time, log) as games:
        await games.check([player.spec for player in settings.players], settings.concurrency)
        _load_kernels(settings)
        yield games.play, settings.concurrency


def _load_kernels(settings: LocalSettings) -> None:
    """Load the rules before the first game: while they load, the host cannot read from engines."""
    for setup in settings.setups:
        position = setup.chosen().start()
        position.play(position.random_turn(random.Random(0)))
