"""A few processes of one engine, shared by all games; every question gets a legal turn.

Users may have different options: a process gets those of the user before each search.
"""

import asyncio
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Self

import structlog

import engine
from bot.engines.conversation import EngineReply
from bot.engines.failures import (
    Excluded,
    NoneFree,
    OptionsFailed,
    SearchInterrupted,
    TooLate,
    cause_of_fallback,
    unless_wanted,
)
from bot.engines.fallback import fallback_turn, only_turn
from bot.engines.pondering import Pondering
from bot.engines.process import EngineProcess
from bot.engines.protocol import OptionRefused
from bot.engines.questions import (
    Budget,
    EngineAnswer,
    PonderOutcome,
    PoolHealth,
    PoolUser,
    Question,
    can_wait,
)
from bot.engines.slots import Slots, Start
from bot.engines.spec import EngineSpec
from bot.engines.waiting import EngineTask, Slot
from bot.errors import EngineDied, EngineFailure, EngineProtocolError
from bot.records.model import EngineSettings
from bot.runtime.kernels import Kernels
from bot.time_source import TimeSource
from engine.warming import CompiledPart, parts_of

FALLBACK = EngineSettings(name="Bluestone fallback")
LEAST_ENGINE_MS = 20
"""Milliseconds below which the pool does not ask, because the engine could hardly read the
question.
"""
FALLBACK_S = 0.03
"""How long the fallback looks at turns, if the clock allows it."""
PATIENT_TRIES = 3
"""Failures on a turn that can wait after which the fallback plays it."""
REFUSED_S = 60.0
"""Seconds for which options are refused after an engine failed on them."""


class EnginePool:
    """A pool of up to `size` processes, with one ready from the start.

    `kernels` has the parts of the built-in engine, some of which may still be compiling. `start`
    starts a process. `fallbacks` counts the turns that the fallback has chosen, by cause.
    """

    def __init__(
        self,
        spec: EngineSpec,
        size: int,
        time_source: TimeSource,
        *,
        chance: random.Random | None = None,
        kernels: Kernels | None = None,
        start: Start = EngineProcess.start,
    ) -> None:
        self._spec = spec
        self._size = size
        self._time = time_source
        self._chance = chance or random.Random()
        self._kernels = kernels or Kernels()
        self._slots = Slots(spec, size, time_source, start)
        self._refused: dict[str, tuple[float, str]] = {}
        self._pondered: dict[EngineTask, Pondering] = {}
        self.fallbacks: Counter[str] = Counter()
        self._only_user = PoolUser("", spec.options)
        self._log = structlog.get_logger().bind(engine=spec.name)

    async def __aenter__(self) -> Self:
        self._slots.open()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._slots.close()

    @property
    def health(self) -> PoolHealth:
        failures = self._slots.failures
        return PoolHealth(
            engine=self._spec.name,
            healthy=failures.healthy,
            alive=self._slots.alive,
            size=self._size,
            consecutive_failures=failures.consecutive,
            failures=dict(failures.by_kind),
            last_failure=failures.last,
        )

    @property
    def started(self) -> int:
        """How many processes have started."""
        return self._slots.started

    @property
    def killed(self) -> int:
        """How many processes were killed after a failure."""
        return self._slots.killed

    @property
    def share(self) -> int:
        """How many processes one user may have at once."""
        return self._slots.precedence.share

    def user(self, name: str, options: Mapping[str, str]) -> PoolUser:
        """Register a user of the processes. `options` are the engine's options for their turns.

        If several users share the processes, none of them can keep all processes busy.
        """
        self._slots.precedence.users.add(name)
        return PoolUser(name, options)

    def is_ready_for(self, game: str) -> bool:
        """Return whether a game of that name can be played without compiling anything."""
        return self._kernels.are_there(self._parts_for(game))

    async def until_ready_for(self, game: str) -> None:
        """Wait until a game of that name can be played without compiling anything."""
        await self._kernels.until_there(self._parts_for(game))

    def _parts_for(self, game: str) -> Sequence[CompiledPart]:
        """Return the parts that a game needs. The referee needs the rules with any engine."""
        return parts_of(game) if self._spec.is_builtin else [CompiledPart(game, "rules")]

    def forget(self, game_id: str, user: PoolUser | None = None) -> None:
        """Free the process of a finished game for other games."""
        task = EngineTask((user or self._only_user).name, game_id)
        self._pondered.pop(task, None)
        self._slots.forget(task)

    def ponder(self, expected: Question) -> None:
        """Search the expected position on the opponent's time, in the game's own process.

        The search ends at the game's next question, or when another turn needs the process. The
        budget is the one that the turn would get now. Nothing happens if the engine's settings do
        not ask for it, if the position has only one turn, or if the process is not free.
        """
        position = expected.position
        if not self._spec.ponder or position.over or only_turn(position) is not None:
            return
        task = EngineTask((expected.user or self._only_user).name, expected.game_id)
        go = expected.budget.go
        pondering = self._slots.ponder(
            task, lambda process: Pondering(process, position, go, self._time)
        )
        if pondering is not None:
            self._pondered[task] = pondering

    async def ask(self, question: Question) -> EngineAnswer:
        """Return a legal turn before the budget's hard deadline, minus the time that a fallback
        needs.

        An engine that fails is restarted, and the fallback plays the turn; a patient turn first
        gets another engine. Cancelling stops the engine. Raises ValueError if the game is over,
        NothingLeft if every turn is excluded, and never EngineFailure.
        """
        now = self._time.monotonic()
        asking = _Asking(question, question.user or self._only_user, now, question.budget, now)
        position = question.position
        if position.over:
            raise ValueError(f"game {question.game_id} is over, so it has no next turn")
        if (pondering := self._pondered.pop(asking.task, None)) is not None:
            asking.pondered = "broken_off" if pondering.is_about(position) else "miss"
        turn = only_turn(position, question.excluded)
        if turn is not None or question.excluded:
            self._slots.end_pondering(asking.task)
        if turn is not None:
            took = self._ms_since(asking.began)
            return EngineAnswer(turn, "forced", FALLBACK, took, pondered=asking.pondered)
        while True:
            try:
                return await self._ask_engine(asking)
            except SearchInterrupted:
                asking.interrupted()
            except EngineFailure as error:
                if not asking.is_worth_another_try(error, self._time.monotonic()):
                    self.fallbacks[cause_of_fallback(error)] += 1
                    return await self._fall_back(asking, error.message)

    # ---- inside ----------------------------------------------------------------------------

    async def _fall_back(self, asking: "_Asking", why: str) -> EngineAnswer:
        question = asking.question
        turn = await asyncio.to_thread(
            fallback_turn,
            question.position,
            self._time.monotonic,
            self._chance,
            min(FALLBACK_S, asking.budget.hard_ms / 4000),
            excluded=question.excluded,
        )
        took = self._ms_since(asking.began)
        self._log.warning("fallback_played", game_id=question.game_id, turn=turn, reason=why)
        return EngineAnswer(
            turn,
            "fallback",
            FALLBACK,
            took,
            failure=why,
            asked_at=asking.asked_at,
            pondered=asking.pondered,
            pondered_ms=asking.pondered_ms,
        )

    async def _ask_engine(self, asking: "_Asking") -> EngineAnswer:
        """Raises EngineFailure, after starting to replace the process, and Interrupted."""
        self._check_not_refused(asking.user)
        slot, process = await self._take_one(asking)
        try:
            reply = await unless_wanted(slot.patience, self._work(slot, process, asking))
        except (TooLate, Excluded, OptionRefused):
            self._slots.release(slot)
            raise
        except OptionsFailed as failed:
            self._slots.restart(slot, failed.error, is_counted=False)
            raise failed.error from failed
        except EngineFailure as error:
            self._slots.restart(slot, error)
            raise
        except BaseException:
            self._slots.quiet(slot)
            raise
        self._slots.failures.succeeded()
        self._slots.release(slot)
        return EngineAnswer(
            turn=reply.best.turn,
            source="engine",
            engine=process.settings,
            time_ms=self._ms_since(asking.counts_from),
            value=reply.info.winrate,
            visits=reply.info.nodes,
            pv=reply.info.pv,
            ponder=reply.best.ponder,
            asked_at=asking.asked_at,
            pondered=asking.pondered,
            pondered_ms=asking.pondered_ms,
        )

    async def _take_one(self, asking: "_Asking") -> tuple[Slot, EngineProcess]:
        question = asking.question
        taken = await self._slots.acquire(
            asking.task, question.position, self._patience_s(question), question.patience
        )
        if taken is None:
            raise NoneFree(self._spec.name, "no process was free in time")
        return taken

    async def _work(self, slot: Slot, process: EngineProcess, asking: "_Asking") -> EngineReply:
        if slot.patience is not None:
            asking.budget, asking.counts_from = slot.patience.begin(), self._time.monotonic()
        if slot.pondering is not None:
            return await self._after_ponderhit(slot, slot.pondering, asking)
        await self._configure(process, asking.user, self._budget_left(asking).hard_ms)
        return await self._think(slot, process, asking)

    async def _configure(self, process: EngineProcess, user: PoolUser, within_ms: float) -> None:
        """Set the user's options. A failure on them does not count against the engine's health."""
        is_shared = self._slots.precedence.is_shared
        try:
            await process.configure(user.options, within_ms=within_ms, is_shared=is_shared)
        except OptionRefused:
            raise
        except (EngineDied, EngineProtocolError) as error:
            if user.options == self._spec.options:
                raise
            self._refused[user.name] = (self._time.monotonic() + REFUSED_S, error.message)
            raise OptionsFailed(error) from error

    def _check_not_refused(self, user: PoolUser) -> None:
        """Raises OptionRefused while the user's options are refused after a failure."""
        until, message = self._refused.get(user.name, (0.0, ""))
        if self._time.monotonic() < until:
            raise OptionRefused(self._spec.name, message)

    async def _think(self, slot: Slot, process: EngineProcess, asking: "_Asking") -> EngineReply:
        position = asking.question.position
        if slot.game is not position.game:
            left = self._budget_left(asking)
            await process.set_up(position.game, within_ms=left.hard_ms)
            slot.game = position.game

        def on_go() -> None:
            asking.asked_at = self._time.monotonic()

        excluded = asking.question.excluded
        await process.exclude(excluded, within_ms=self._budget_left(asking).hard_ms)
        reply = await process.think(position, self._budget_left(asking), on_go)
        if engine.stones_of(reply.best.turn) in map(engine.stones_of, excluded):
            raise Excluded(self._spec.name, f"chose {reply.best.turn}, although it is excluded")
        return reply

    async def _after_ponderhit(
        self, slot: Slot, pondering: Pondering, asking: "_Asking"
    ) -> EngineReply:
        """Return the answer of an engine that has been pondering on the question."""
        budget = self._budget_left(asking)
        asking.pondered, asking.pondered_ms = "hit", pondering.ms
        asking.asked_at = self._time.monotonic()
        reply = await pondering.hit(budget)
        self._slots.note_pondering(pondering, is_well=True)
        slot.pondering = None
        return reply

    def _budget_left(self, asking: "_Asking") -> Budget:
        budget = asking.budget.after(self._ms_since(asking.counts_from))
        if budget.hard_ms < LEAST_ENGINE_MS:
            raise TooLate(self._spec.name, "too little time to ask it")
        return budget

    def _patience_s(self, question: Question) -> float:
        """Return how long to wait for a process; 0 for a live turn while the engine fails."""
        patience = question.patience
        if patience is not None and (self.health.healthy or not patience.is_live):
            return patience.latest - self._time.monotonic()
        return question.budget.hard_ms / 2000 if self.health.healthy else 0.0

    def _ms_since(self, moment: float) -> int:
        return round((self._time.monotonic() - moment) * 1000)


@dataclass
class _Asking:
    """A question that is being answered. All times are on the monotonic clock.

    The budget counts from the moment `counts_from`.
    """

    question: Question
    user: PoolUser
    began: float
    budget: Budget
    counts_from: float
    asked_at: float | None = None
    failures: int = 0
    pondered: PonderOutcome | None = None
    pondered_ms: int | None = None

    @property
    def task(self) -> EngineTask:
        return EngineTask(self.user.name, self.question.game_id)

    def interrupted(self) -> None:
        assert self.question.patience is not None
        self.question.patience.interrupted()

    def is_worth_another_try(self, error: EngineFailure, now: float) -> bool:
        patience = self.question.patience
        if patience is None or isinstance(error, TooLate | Excluded | NoneFree | OptionRefused):
            return False
        self.failures += 1
        if self.failures >= PATIENT_TRIES or not can_wait(patience, now):
            return False
        self.interrupted()
        return True
