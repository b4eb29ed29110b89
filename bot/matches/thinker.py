"""The engine of one seat, with the time that its opponent takes where it is told to use that."""

from collections.abc import Callable

import engine
from bot.engines.pondering import Pondering
from bot.engines.process import EngineProcess, Reply
from bot.engines.questions import Budget
from bot.errors import EngineFailure
from bot.time_source import TimeSource


class Thinker:
    """Asked turn by turn; between them it ponders if its settings say so."""

    def __init__(self, process: EngineProcess, time: TimeSource) -> None:
        self._process = process
        self._time = time
        self._pondering: Pondering | None = None

    async def think(
        self, position: engine.Position, budget: Budget, on_go: Callable[[], None]
    ) -> Reply:
        """Its turn, within the budget, or that it resigns; `on_go` is called when its time counts.

        Raises EngineFailure, also for what went wrong before.
        """
        pondering = self._pondering
        if pondering is not None and pondering.is_about(position):
            self._pondering = None
            on_go()
            return await pondering.hit(budget)
        await self._stop()
        return await self._process.think(position, budget, on_go, may_resign=True)

    def ponder(self, position: engine.Position, reply: str | None, budget: Budget) -> None:
        """After its own turn: think on, about the position after the `reply` that it expects."""
        if not self._process.spec.ponder or reply is None or not position.is_legal(reply):
            return
        expected = position.play(reply)
        if not expected.over:
            self._pondering = Pondering(
                self._process, expected, budget.go, self._time, may_resign=True
            )

    async def end(self) -> None:
        """The game is over; an engine that does not stop is not alive afterwards."""
        try:
            await self._stop()
        except EngineFailure:
            await self._process.kill()

    async def _stop(self) -> None:
        pondering, self._pondering = self._pondering, None
        if pondering is None:
            return
        if (failure := await pondering.end()) is not None:
            raise failure
        await self._process.settle()
