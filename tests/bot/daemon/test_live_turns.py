"""Many live games on few engines: every turn is the engine's and in time; searches are shorter."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, cast

import pytest

import engine
from bot.daemon.chooser import Chooser, Considered, Due
from bot.daemon.journal import TurnJournal, WorkKey
from bot.daemon.scheduler import Scheduler
from bot.daemon.time_manager import LONGEST_LIVE_MS, TimePolicy
from bot.engines.conversation import EngineReply
from bot.engines.pool import EnginePool
from bot.engines.process import EngineProcess
from bot.engines.protocol import BestMove, InfoLine
from bot.engines.questions import Budget
from bot.errors import EngineDied
from bot.records.model import EngineSettings
from bot.time_controls import Fischer, PlayerClock, TimeControl, Untimed
from tests.bot.engines.fakes import fake
from tests.fakes.platform import SETUP, facts
from tests.fakes.time import FakeTime

FIVE_MINUTES = Fischer(initial_s=300, increment_s=5)
POLICY = TimePolicy(max_turn_s=8)
TURNS = ("3-0", "2-0,1-1")


@dataclass
class Searches:
    """The searches of all simulated engines: the seconds of each, in order."""

    time: FakeTime
    seconds: list[float] = field(default_factory=list)
    dies: bool = False


class SimulatedEngine:
    """An engine process that thinks as long as it may, in simulated time."""

    settings = EngineSettings(name="Simulated")
    alive = True

    def __init__(self, searches: Searches) -> None:
        self._searches = searches

    async def think(
        self, position: engine.Position, budget: Budget, on_go: Callable[[], None]
    ) -> EngineReply:
        on_go()
        if self._searches.dies:
            raise EngineDied("simulated", "died")
        seconds = (budget.stop_ms or budget.think_ms) / 1000
        self._searches.seconds.append(seconds)
        await self._searches.time.sleep(seconds)
        return EngineReply(
            BestMove(next(position.legal_turns())), InfoLine(), round(1000 * seconds)
        )

    async def configure(self, *_: object, **__: object) -> None: ...

    async def set_up(self, *_: object, **__: object) -> None: ...

    async def exclude(self, *_: object, **__: object) -> None: ...

    async def settle(self) -> None: ...

    async def kill(self) -> None: ...

    async def close(self) -> None: ...


class Notebook:
    """A journal that keeps nothing, so that no turn waits for a disk in real time."""

    async def think(self, _: WorkKey) -> None: ...

    async def wait(self, _: WorkKey) -> None: ...


class Hall:
    """A bot, and how long each game waited for its turn."""

    def __init__(self) -> None:
        self.time = FakeTime()
        self.searches = Searches(self.time)
        self.finished: list[str] = []
        self.ended: dict[str, float] = {}
        self.waited: dict[str, list[int]] = {}
        """How many searches came before the game's own: each number that was told."""

    async def play(
        self, clocks: dict[str, float | TimeControl], processes: int = 1, *, shared: bool = False
    ) -> dict[str, Considered]:
        """Let turns of all games arrive at once, by the seconds on their clocks.

        If it is `shared`, the pool of engines has another user.
        """

        async def start(*_: object) -> EngineProcess:
            return cast("EngineProcess", SimulatedEngine(self.searches))

        spec = fake()
        async with EnginePool(spec, processes, self.time, start=cast("Any", start)) as pool:
            user = pool.user("Champion", {})
            if shared:
                pool.user("Newcomer", {})
            scheduler = Scheduler(lambda: pool.share, self.time)
            chooser = Chooser(pool, scheduler, cast("TurnJournal", Notebook()), self.time, user)
            await self.time.settle()
            found = {
                name: asyncio.create_task(self._choose(chooser, name, clock))
                for name, clock in clocks.items()
            }
            for _ in range(4000):
                if all(task.done() for task in found.values()):
                    break
                await self.time.advance(1)
            return {name: task.result() for name, task in found.items()}

    async def _choose(self, chooser: Chooser, name: str, clock: float | TimeControl) -> Considered:
        control = FIVE_MINUTES if isinstance(clock, int | float) else clock
        setup = replace(SETUP, board="pent-6", control=control)
        position = engine.game(setup.game, setup.board, setup.rules).replay(TURNS)
        at = self.time.monotonic()
        standing = facts(*TURNS, setup=setup, arrived=at, game_id=name)
        if isinstance(clock, int | float):
            left = PlayerClock(main_ms=round(1000 * clock))
            standing = replace(standing, clocks=(left, left))
        due = Due(WorkKey("fake", name, 2), standing, position)
        answer = await chooser.choose(due, POLICY, self.waited.setdefault(name, []).append)
        self.finished.append(name)
        self.ended[name] = self.time.monotonic() - at
        return answer


@pytest.fixture
def hall() -> Hall:
    return Hall()


def sources(found: dict[str, Considered]) -> set[str]:
    return {each.answer.source for each in found.values()}


@pytest.mark.parametrize("shared", [False, True])
async def test_ten_visitors_of_one_bot_on_two_processes_all_get_turns_of_the_engine(
    hall: Hall, *, shared: bool
) -> None:
    found = await hall.play({f"g{number}": 300 for number in range(10)}, 2, shared=shared)
    assert sources(found) == {"engine"}
    assert max(hall.ended.values()) <= LONGEST_LIVE_MS / 1000
    assert min(hall.searches.seconds) >= 0.5


async def test_a_turn_alone_is_not_shortened_and_turns_that_wait_are(hall: Hall) -> None:
    await hall.play({"alone": 300})
    (alone,) = hall.searches.seconds
    hall.searches.seconds.clear()
    await hall.play({f"g{number}": 300 for number in range(6)})
    assert alone == 8
    assert max(hall.searches.seconds[:3]) < alone / 2
    assert sum(hall.searches.seconds) <= LONGEST_LIVE_MS / 1000


@pytest.mark.parametrize(("processes", "shared"), [(1, False), (2, False), (2, True), (3, True)])
async def test_a_turn_that_waits_knows_how_many_searches_come_before(
    hall: Hall, processes: int, *, shared: bool
) -> None:
    await hall.play({f"g{number}": 300 for number in range(6)}, processes, shared=shared)
    at_once = processes - 1 if shared else processes
    queues = [hall.waited[f"g{number}"] for number in range(6)]
    assert [max(queue) for queue in queues[at_once:]] == [*range(1, 7 - at_once)]
    assert all(queue == sorted(queue, reverse=True) for queue in queues)
    assert {queue[-1] for queue in queues} == {0}


async def test_turns_with_less_time_left_come_first_and_none_runs_out(hall: Hall) -> None:
    clocks = {"first": 300, "much": 290, "some": 200, "little": 120, "hardly": 15}
    found = await hall.play(dict(clocks))
    assert sources(found) == {"engine"}
    assert hall.finished == ["first", "hardly", "little", "some", "much"]
    assert all(hall.ended[name] < left for name, left in clocks.items())


async def test_twenty_five_turns_per_process_are_done_within_the_stated_bound(hall: Hall) -> None:
    found = await hall.play({f"g{number}": 300 for number in range(25)})
    assert sources(found) == {"engine"}
    assert max(hall.ended.values()) <= LONGEST_LIVE_MS / 1000


async def test_more_turns_than_can_be_done_in_time_still_wait_for_the_engine(hall: Hall) -> None:
    found = await hall.play({f"g{number}": 300 for number in range(60)})
    assert sources(found) == {"engine"}
    assert max(hall.ended.values()) < 120


async def test_a_turn_without_a_clock_waits_too(hall: Hall) -> None:
    found = await hall.play({"one": Untimed(), "two": Untimed(), "three": Untimed()})
    assert sources(found) == {"engine"}


async def test_the_fallback_still_plays_for_an_engine_that_dies(hall: Hall) -> None:
    hall.searches.dies = True
    found = await hall.play({"one": 300})
    assert found["one"].answer.failure == "died"
    assert sources(found) == {"fallback"}
