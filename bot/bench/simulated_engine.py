"""An engine without a process: it thinks for as long as it may, of nothing, in simulated time."""

import io
import random
from collections.abc import Awaitable, Callable, Mapping

import engine
from bot.engines.channel import LineChannel
from bot.engines.conversation import Reply
from bot.engines.process import SETUP_MS, EngineProcess
from bot.engines.protocol import BestMove, Info
from bot.engines.questions import Budget
from bot.engines.spec import EngineSpec
from bot.time_source import TimeSource


class SimulatedEngine(EngineProcess):
    """Its turns are legal ones at random. It never fails, and does not see what it plays."""

    def __init__(self, spec: EngineSpec, time: TimeSource, rng: random.Random) -> None:
        super().__init__(spec, LineChannel(spec, io.BytesIO(), io.BytesIO()), time)
        self._rng = rng

    async def set_up(
        self,
        game: engine.Game,
        options: Mapping[str, str] | None = None,
        within_ms: float = SETUP_MS,
    ) -> None:
        pass

    async def exclude(self, turns: frozenset[str], within_ms: float = SETUP_MS) -> None:
        del within_ms
        self._excluded = turns

    async def think(
        self,
        position: engine.Position,
        budget: Budget,
        on_go: Callable[[], None] | None = None,
        *,
        may_resign: bool = False,
    ) -> Reply:
        del may_resign
        if on_go is not None:
            on_go()
        await self._time.sleep(budget.think_ms / 1000)
        return Reply(BestMove(self._turn(position)), Info(nodes=1), budget.think_ms)

    async def kill(self) -> None:
        pass

    async def close(self) -> None:
        pass

    def _turn(self, position: engine.Position) -> str:
        excluded = set(map(engine.stones_of, self._excluded))
        while engine.stones_of(turn := position.random_turn(self._rng)) in excluded:
            pass
        return turn


def simulated(rng: random.Random) -> Callable[[EngineSpec, TimeSource], Awaitable[EngineProcess]]:
    """How a pool starts such engines."""

    async def start(spec: EngineSpec, time: TimeSource) -> EngineProcess:
        return SimulatedEngine(spec, time, rng)

    return start
