"""Lets an engine choose turns, in the order and with the times of the scheduler."""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Protocol

import engine
from bot.daemon.journal import TurnJournal, WorkKey
from bot.daemon.scheduler import QueuePlace, Scheduler
from bot.daemon.time_manager import Moment, TimePolicy, live_wait, moment_of, turn_budget
from bot.engines.questions import Budget, EngineAnswer, PoolUser, Question
from bot.platforms.base import GameFacts
from bot.time_controls import Correspondence, Untimed
from bot.time_source import TimeSource

OnWait = Callable[[int], None]


class Engines(Protocol):
    """The part of an `EnginePool` that is used here."""

    async def ask(self, question: Question) -> EngineAnswer: ...

    def ponder(self, expected: Question) -> None: ...

    def forget(self, game_id: str, user: PoolUser | None = None) -> None: ...

    def is_ready_for(self, game: str) -> bool: ...

    async def until_ready_for(self, game: str) -> None: ...


@dataclass(frozen=True, slots=True)
class Due:
    """A turn of ours: the state of the game, and the turns that must not be chosen."""

    key: WorkKey
    facts: GameFacts
    position: engine.Position
    refused: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Considered:
    """An answer of the engine, and the budget that it had."""

    answer: EngineAnswer
    budget: Budget


class Chooser:
    """Asks the engines for turns. Each turn has a place among live ones, or by correspondence."""

    def __init__(
        self,
        engines: Engines,
        scheduler: Scheduler,
        journal: TurnJournal,
        time_source: TimeSource,
        user: PoolUser | None = None,
    ) -> None:
        self.engines = engines
        self._user = user
        self._scheduler = scheduler
        self._journal = journal
        self._time = time_source

    def forget(self, game_id: str) -> None:
        """Free the engine process of a finished game."""
        self.engines.forget(game_id, self._user)

    async def choose(
        self, due: Due, policy: TimePolicy, on_wait: "OnWait" = lambda _before: None
    ) -> Considered:
        """Return a turn of the engine or of the fallback.

        While the turn of a live game waits, `on_wait` gets the number of searches that end before
        its own begins, and 0 when that begins. Raises NothingLeft if all turns are refused.
        """
        notes = _Notes(self._journal, due.key)
        try:
            if isinstance(due.facts.setup.control, Correspondence):
                return await self._in_its_place(due, policy, notes)
            return await self._live(due, policy, notes, on_wait)
        except BaseException:
            notes.waits()
            raise
        finally:
            await notes.written()

    def ponder(self, facts: GameFacts, expected: engine.Position, policy: TimePolicy) -> None:
        """Ponder, in live games only, because an opponent without a clock may be away."""
        if not isinstance(facts.setup.control, Correspondence | Untimed):
            budget = turn_budget(policy, moment_of(facts, expected, 0))
            self.engines.ponder(Question(facts.game_id, expected, budget, user=self._user))

    async def _live(
        self, due: Due, policy: TimePolicy, notes: "_Notes", on_wait: "OnWait"
    ) -> Considered:
        budget = self._budget(due, policy)
        wait = live_wait(policy, self._moment(due))
        wish_s = (budget.stop_ms or budget.think_ms) / 1000
        with self._scheduler.live_place(wait.due_s, wait.latest_s, wish_s) as place:
            return await self._ask(due, policy, notes, place, budget, on_wait)

    async def _in_its_place(self, due: Due, policy: TimePolicy, notes: "_Notes") -> Considered:
        facts, budget = due.facts, self._budget(due, policy)
        left_ms = facts.clocks[facts.seat - 1].main_ms or 0
        deadline = facts.arrived + (left_ms - policy.network_overhead_ms) / 1000
        with self._scheduler.place(deadline, budget.think_ms / 1000) as place:
            return await self._ask(due, policy, notes, place, budget)

    async def _ask(
        self,
        due: Due,
        policy: TimePolicy,
        notes: "_Notes",
        place: QueuePlace,
        budget: Budget,
        on_wait: "OnWait" = lambda _before: None,
    ) -> Considered:
        patience = _Patience(place, budget, lambda s: self._budget(due, policy, s), notes, on_wait)
        question = Question(
            due.facts.game_id, due.position, budget, due.refused, patience, self._user
        )
        answer = await self.engines.ask(question)
        return Considered(answer, patience.budget)

    def _moment(self, due: Due) -> Moment:
        elapsed = round((self._time.monotonic() - due.facts.arrived) * 1000)
        return moment_of(due.facts, due.position, elapsed)

    def _budget(self, due: Due, policy: TimePolicy, at_most_s: float = float("inf")) -> Budget:
        return turn_budget(policy, self._moment(due), at_most_s)


class _Patience:
    """A place in the queue as an `EnginePool` sees it. `budget` is that of the last start."""

    def __init__(
        self,
        place: QueuePlace,
        budget: Budget,
        budget_for: "_BudgetFor",
        notes: "_Notes",
        on_wait: "OnWait",
    ) -> None:
        self.wanted, self.is_live = place.wanted, place.is_live
        self.budget = budget
        self._place = place
        self._budget_for = budget_for
        self._notes = notes
        self._on_wait = on_wait

    @property
    def due(self) -> float:
        return self._place.due

    @property
    def latest(self) -> float:
        return self._place.latest

    def waits(self, before: int) -> None:
        self._on_wait(before)

    def begin(self) -> Budget:
        self._notes.thinks()
        self._on_wait(0)
        self.budget = self._budget_for(self._place.begin())
        return self.budget

    def interrupted(self) -> None:
        self._place.interrupted()
        self._notes.waits()


class _BudgetFor(Protocol):
    def __call__(self, seconds: float, /) -> Budget: ...


class _Notes:
    """Notes for the journal about the progress of a turn, written while the engine thinks.

    A note that cannot be written is dropped, because only people read notes.
    """

    def __init__(self, journal: TurnJournal, key: WorkKey) -> None:
        self._journal = journal
        self._key = key
        self._tasks: list[asyncio.Task[None]] = []

    def thinks(self) -> None:
        self._add(self._journal.think(self._key))

    def waits(self) -> None:
        self._add(self._journal.wait(self._key))

    def _add(self, note: Coroutine[object, object, None]) -> None:
        self._tasks.append(asyncio.create_task(note))

    async def written(self) -> None:
        await asyncio.gather(*self._tasks, return_exceptions=True)
