"""Games on this machine, as a host wants them played."""

from bot.errors import EngineStartError
from bot.matches.engine_shelf import EngineShelf
from bot.matches.plain_referee import play_game
from bot.matches.task import GameReport, GameTask
from bot.time_source import TimeSource
from bot.tournaments.model import FAULTS


class LocalGames:
    """`play` is what a host calls; engines run on from one game to the next."""

    def __init__(self, shelf: EngineShelf, time: TimeSource) -> None:
        self._shelf = shelf
        self._time = time

    async def play(self, task: GameTask) -> GameReport:
        """Void where an engine that did start before the first game does not start now."""
        try:
            async with self._shelf.lent(task.engines) as loan:
                report = await play_game(task, loan.processes, self._time)
                loan.kept = report.result is not None and report.result.reason not in FAULTS
                return report
        except EngineStartError as error:
            return GameReport(game=task.number, void=str(error)[:500])
