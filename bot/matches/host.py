"""The host plays a tournament: it asks the director, starts games, and writes events to the ledger.

An event takes the same time after thousands of games as after the first.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from heapq import heapify, heappop, heappush
from typing import Final

from bot.errors import HostError
from bot.matches.ledger import Ledger
from bot.matches.task import GameReport, GameTask
from bot.tournaments.director import Director
from bot.tournaments.events import Event, Paired, Stopped, Voided
from bot.tournaments.model import ScheduledGame
from bot.tournaments.state import Tournament

Play = Callable[[GameTask], Awaitable[GameReport]]
"""Plays one game. An exception ends the run of the tournament; a failed game returns a report."""
Watch = Callable[[Tournament, Event], None]
"""Called with each event after it was written and applied."""

NOTHING_TO_DO: Final = "no game is left to play, but the tournament is not over"


class Host:
    """Plays up to `concurrency` games at once, and continues what the ledger already has."""

    def __init__(
        self,
        ledger: Ledger,
        director: Director,
        task_of: Callable[[ScheduledGame], GameTask],
        play: Play,
        concurrency: int,
        watch: Watch,
    ) -> None:
        self._ledger = ledger
        self._tournament = ledger.tournament
        self._director = director
        self._task_of = task_of
        self._play = play
        self._concurrency = concurrency
        self._watch = watch
        self._running: dict[int, asyncio.Task[GameReport]] = {}
        self._over: asyncio.Queue[int] = asyncio.Queue()
        """The numbers of games whose task is done, or was dropped."""
        self._to_begin = list(self._tournament.left)
        """A heap of the numbers of games to begin, the lowest first."""
        heapify(self._to_begin)

    async def run(self) -> None:
        """Play until the tournament has ended. If cancelled, drop the running games.

        A later run plays dropped games again. Raises HostError if an event cannot be written, or if
        the tournament cannot continue.
        """
        try:
            while await self._direct():
                self._begin_games()
                if not self._running:
                    raise HostError(NOTHING_TO_DO)
                await self._take_reports()
        finally:
            await self._drop(list(self._running))

    async def _direct(self) -> bool:
        """Write all due events. Returns whether the tournament continues."""
        while events := self._director.due(self._tournament, self._free_players()):
            for event in events:
                await self._write(event)
        return self._tournament.ended is None

    def _free_players(self) -> list[str]:
        busy = self._tournament.busy()
        return [name for name in self._tournament.players if name not in busy]

    def _begin_games(self) -> None:
        while self._to_begin and len(self._running) < self._concurrency:
            if (game := self._tournament.left.get(heappop(self._to_begin))) is not None:
                self._begin(game)

    def _begin(self, game: ScheduledGame) -> None:
        task = self._running[game.number] = asyncio.create_task(self._report(game))
        task.add_done_callback(lambda _: self._over.put_nowait(game.number))

    async def _report(self, game: ScheduledGame) -> GameReport:
        return await self._play(self._task_of(game))

    async def _take_reports(self) -> None:
        """Wait for a game to end, then write the reports of all games that are over."""
        numbers = [await self._over.get()]
        while not self._over.empty():
            numbers.append(self._over.get_nowait())
        for number in sorted(numbers):
            if (task := self._running.pop(number, None)) is not None:
                await self._write(task.result().event())

    async def _write(self, event: Event) -> None:
        if not await self._ledger.add(event):
            return
        match event:
            case Paired(pairings=pairings):
                for pairing in pairings:
                    for game in pairing.games:
                        heappush(self._to_begin, game.number)
            case Voided(game=number):
                heappush(self._to_begin, number)
            case Stopped(pairing=number):
                games = self._tournament.pairings[number].games
                await self._drop(game.number for game in games)
            case _:
                pass
        self._watch(self._tournament, event)

    async def _drop(self, numbers: Iterable[int]) -> None:
        tasks = [task for each in numbers if (task := self._running.pop(each, None)) is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
