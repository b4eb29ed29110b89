"""Games on this machine, as a host wants them played."""

import asyncio
import random
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Self

from bot.engines.spec import EngineSpec
from bot.errors import EngineStartError
from bot.matches.adjudication import Judge
from bot.matches.clocks import Lateness
from bot.matches.engine_cache import EngineCache
from bot.matches.host import Play
from bot.matches.protocol_log import logged_protocol
from bot.matches.referee import Officials, play_game
from bot.matches.settings import LocalSettings
from bot.matches.task import GameReport, GameTask
from bot.time_source import TimeSource


class LocalGames:
    """`play` is what a host calls; engines run on from one game to the next."""

    def __init__(
        self, shelf: EngineCache, officials: Officials, time: TimeSource, log: Path | None
    ) -> None:
        self._shelf = shelf
        self._officials = officials
        self._time = time
        self._log = log

    @classmethod
    @asynccontextmanager
    async def open(cls, time: TimeSource, log: Path | None = None) -> AsyncIterator[Self]:
        """Ends all engines at the end. The protocol of each game is logged in the folder `log`."""
        shelf, judge, lateness = EngineCache(time), Judge(time), Lateness(time)
        watching = asyncio.create_task(lateness.watch())
        try:
            yield cls(shelf, Officials(judge, lateness), time, log)
        finally:
            watching.cancel()
            await asyncio.gather(watching, return_exceptions=True)
            await shelf.close()
            await judge.close()

    async def check(self, specs: Sequence[EngineSpec], games: int = 1) -> None:
        """Start the engines for so many games at once, each at least once.

        Raises ConfigurationError, with all that do not start.
        """
        await self._shelf.check(specs, games)

    async def play(self, task: GameTask) -> GameReport:
        """Void where an engine that did start before the first game does not start now."""
        try:
            async with self._shelf.lent(task.engines) as loan:
                with logged_protocol(self._log, task, loan.processes, self._time):
                    report = await play_game(task, loan.processes, self._time, self._officials)
                loan.kept = report.void is None
                return report
        except EngineStartError as error:
            return GameReport(game=task.number, void=str(error)[:500])


Note = Callable[[str], None]
OpenedVenue = AbstractAsyncContextManager[tuple[Play, int]]
Venue = Callable[[LocalSettings, TimeSource, Note], OpenedVenue]
"""Gives what plays games, and how many are to be begun at once; says what a person should know.
May raise ConfigurationError when it is entered.
"""


@asynccontextmanager
async def this_machine(
    settings: LocalSettings,
    time: TimeSource,
    note: Note,  # noqa: ARG001 (it is other venues that have something to say)
    log: Path | None = None,
) -> AsyncIterator[tuple[Play, int]]:
    """The protocol of each game is logged in the folder `log`, if there is one."""
    async with LocalGames.open(time, log) as games:
        await games.check([player.spec for player in settings.players], settings.concurrency)
        _load_kernels(settings)
        yield games.play, settings.concurrency


def _load_kernels(settings: LocalSettings) -> None:
    """Those by which the host plays turns: while it loads them, it hears nothing."""
    for setup in settings.setups:
        position = setup.chosen().start()
        position.play(position.random_turn(random.Random(0)))
