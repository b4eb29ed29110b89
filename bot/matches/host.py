"""Plays a tournament to its end: asks what is due, has games played, and writes down what comes."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from bot.errors import HostError
from bot.matches.ledger import Ledger
from bot.matches.task import GameReport, GameTask
from bot.tournaments.director import Director
from bot.tournaments.events import Event
from bot.tournaments.model import ScheduledGame
from bot.tournaments.state import Tournament

Play = Callable[[GameTask], Awaitable[GameReport]]
"""Has a game played somewhere. What it raises ends the tournament's run: games end with reports."""
Watch = Callable[[Tournament, Event], None]
"""Is called with each event that was written down and applied."""

NOTHING_TO_DO: Final = "no game is left to play, and yet the tournament is not over"


class Host:
    """Has `concurrency` games played at once; whatever was written down before goes on."""

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

    async def run(self) -> None:
        """Until the tournament has ended. When cancelled, running games are dropped: a later run
        plays them again.

        Raises HostError if something cannot be written, or if the tournament cannot go on.
        """
        try:
            while await self._direct():
                self._begin_games()
                if not self._running:
                    raise HostError(NOTHING_TO_DO)
                await asyncio.wait(self._running.values(), return_when=asyncio.FIRST_COMPLETED)
                await self._take_reports()
        finally:
            await self._drop(set(self._running))

    async def _direct(self) -> bool:
        """Whether there is more to play, after what was due."""
        while events := self._director.due(self._tournament, self._free_players()):
            for event in events:
                await self._write(event)
        wanted = {game.number for game in self._tournament.waiting()}
        await self._drop(set(self._running) - wanted)
        return self._tournament.ended is None

    def _free_players(self) -> list[str]:
        busy = {name for game in self._tournament.waiting() for name in game.seats}
        return [name for name in self._tournament.players if name not in busy]

    def _begin_games(self) -> None:
        for game in self._tournament.waiting():
            if len(self._running) >= self._concurrency:
                return
            if game.number not in self._running:
                self._running[game.number] = asyncio.create_task(self._report(game))

    async def _report(self, game: ScheduledGame) -> GameReport:
        return await self._play(self._task_of(game))

    async def _take_reports(self) -> None:
        for number, task in sorted(self._running.items()):
            if task.done():
                del self._running[number]
                await self._write(task.result().event())

    async def _write(self, event: Event) -> None:
        if await self._ledger.add(event):
            self._watch(self._tournament, event)

    async def _drop(self, numbers: set[int]) -> None:
        tasks = [self._running.pop(number) for number in numbers]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
