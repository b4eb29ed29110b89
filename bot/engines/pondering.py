"""Thinking on the opponent's time: an engine searches the position that it expects next."""

import asyncio
from dataclasses import replace

import engine
from bot.engines.conversation import EngineReply
from bot.engines.process import EngineProcess
from bot.engines.questions import Budget
from bot.errors import EngineFailure, EngineTimeout
from bot.runtime.tasks import result_of, within
from bot.time_source import TimeSource


class Pondering:
    """A search of `expected` in progress, until `hit` or `end`.

    `go` has the engine's limits. They are known in advance, because its own clock is stopped. The
    process can take no other question before `end`, followed by `settle`.
    """

    def __init__(
        self,
        process: EngineProcess,
        expected: engine.Position,
        go: str,
        time: TimeSource,
        *,
        may_resign: bool = False,
    ) -> None:
        self._name = process.spec.name
        self._expected = expected
        self._time = time
        self._began = time.monotonic()
        self._hit: asyncio.Future[Budget] = asyncio.get_running_loop().create_future()
        search = process.ponder(expected, go, self._hit, may_resign=may_resign)
        self.task = asyncio.create_task(search)
        """Finished before `hit` only by an EngineFailure."""

    @property
    def ms(self) -> int:
        """The time since its start, in milliseconds."""
        return round((self._time.monotonic() - self._began) * 1000)

    def is_about(self, position: engine.Position) -> bool:
        """Return whether the search is about that position, in any order of the last
        turn's stones.
        """
        expected = self._expected
        if expected.game is not position.game or len(expected.turns) != len(position.turns):
            return False
        if expected.turns[:-1] != position.turns[:-1]:
            return False
        return engine.stones_of(expected.turns[-1]) == engine.stones_of(position.turns[-1])

    async def hit(self, budget: Budget) -> EngineReply:
        """Return the answer within the budget's hard deadline, because the position has been
        reached.

        Raises EngineFailure. When cancelled, the search continues until `settle`.
        """
        self._hit.set_result(stopped_in_time(budget))
        try:
            return await within(self._time, budget.hard_ms / 1000, result_of(self.task))
        except TimeoutError:
            message = f"no answer to `ponderhit` within {budget.hard_ms} ms"
            raise EngineTimeout(self._name, message) from None

    async def end(self) -> EngineFailure | None:
        """Stop waiting for the search, because it is useless.

        Return its failure, if it had failed.
        """
        self.task.cancel()
        await asyncio.wait({self.task})
        return failure_of(self.task)


def failure_of(task: "asyncio.Task[EngineReply]") -> EngineFailure | None:
    """Return the failure of a finished search, if any. Raise errors that are not the engine's."""
    error = None if task.cancelled() else task.exception()
    if error is None or isinstance(error, EngineFailure):
        return error
    raise error


def stopped_in_time(budget: Budget) -> Budget:
    """Return the budget of a turn whose engine has earlier limits, so that the host must stop it.

    Less time may be left than those limits allow. An engine that plans with its own clock ends by
    itself, because that clock has not changed.
    """
    if budget.stop_ms is None and budget.go.startswith("movetime"):
        return replace(budget, stop_ms=budget.think_ms)
    return budget
