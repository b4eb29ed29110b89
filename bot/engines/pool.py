"""A few processes of one engine, shared by all games; every question gets a legal turn.

Who asks may want other options than the next one: a process is set to them before it thinks.
"""

import asyncio
import random
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Literal, Self

import structlog

import engine
from bot.engines.budget import Budget
from bot.engines.fallback import fallback_turn, only_turn
from bot.engines.process import EngineProcess, OptionRefused, Reply
from bot.engines.slots import Slot, Slots, Task
from bot.engines.spec import EngineSpec
from bot.errors import EngineDied, EngineFailure, EngineProtocolError
from bot.records.model import EngineSettings
from bot.time_source import TimeSource

FALLBACK = EngineSettings(name="Bluestone fallback")
LEAST_ENGINE_MS = 20
"""Below this an engine could hardly read the question, and killing it for that helps nobody."""
REFUSED_S = 60.0
"""For so long an engine is not set again to options on which it has failed."""
REMEMBERED_POSITIONS = 64


@dataclass(frozen=True)
class Question:
    """A position, as the turns that lead to it, and the time there is to choose the next one."""

    game_id: str
    game: str
    board: str
    rules: str
    options: dict[str, str]
    turns: tuple[str, ...]
    budget: Budget


@dataclass(frozen=True)
class Answer:
    """A legal turn. `value` is the engine's own chance to win, `failure` why it gave no turn."""

    turn: str
    source: Literal["engine", "fallback", "forced"]
    engine: EngineSettings
    time_ms: int
    value: float | None = None
    visits: int | None = None
    pv: tuple[str, ...] = ()
    ponder: str | None = None
    failure: str | None = None


@dataclass(frozen=True)
class PoolUser:
    """One of those who share a pool, with the engine's options as their turns are chosen with."""

    pool: "EnginePool"
    name: str
    options: Mapping[str, str]

    async def ask(self, question: Question) -> Answer:
        """See `EnginePool.ask`."""
        return await self.pool.ask(question, self)

    def forget(self, game_id: str) -> None:
        """See `EnginePool.forget`."""
        self.pool.forget(game_id, self)


@dataclass(frozen=True)
class PoolHealth:
    """How the engine is doing; `failures` counts by kind since the pool was opened."""

    engine: str
    healthy: bool
    alive: int
    size: int
    consecutive_failures: int
    failures: dict[str, int]
    last_failure: str | None


class EnginePool:
    """`size` processes at most, one of them ready from the start.

    `on_go` is called when an engine has been sent `go` for a question.
    """

    def __init__(
        self,
        spec: EngineSpec,
        size: int,
        time_source: TimeSource,
        *,
        on_go: Callable[[Question], None] | None = None,
        chance: random.Random | None = None,
    ) -> None:
        self._spec = spec
        self._size = size
        self._time = time_source
        self._on_go = on_go
        self._chance = chance or random.Random()
        self._slots = Slots(spec, size, time_source)
        self._refused: dict[str, tuple[float, str]] = {}
        self._only_user = PoolUser(self, "", spec.options)
        self._positions: OrderedDict[str, engine.Position] = OrderedDict()
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

    def user(self, name: str, options: Mapping[str, str]) -> PoolUser:
        """Somebody who shares the processes with others, none of whom can keep them all busy."""
        self._slots.users.add(name)
        return PoolUser(self, name, options)

    def forget(self, game_id: str, user: PoolUser | None = None) -> None:
        """A game is over; its process is free for others."""
        self._positions.pop(game_id, None)
        self._slots.forget(Task((user or self._only_user).name, game_id))

    async def ask(self, question: Question, user: PoolUser | None = None) -> Answer:
        """A legal turn before the budget's hard deadline and the moment that a fallback takes.

        An engine that fails is restarted, and the turn is the fallback's. Cancelling stops the
        engine. Raises engine.EngineError if there is no such game or position, ValueError if
        the game is over; never bot.errors.EngineFailure.
        """
        began = self._time.monotonic()
        position = self._replay(question)
        if position.over:
            raise ValueError(f"game {question.game_id} is over: there is no turn to ask for")
        if (turn := only_turn(position)) is not None:
            return Answer(turn, "forced", FALLBACK, self._ms_since(began))
        try:
            return await self._ask_engine(question, user or self._only_user, position, began)
        except EngineFailure as error:
            turn = await asyncio.to_thread(
                fallback_turn, position, self._time.monotonic, self._chance
            )
            took = self._ms_since(began)
            self._log.warning(
                "fallback_played", game_id=question.game_id, turn=turn, reason=error.message
            )
            return Answer(turn, "fallback", FALLBACK, took, failure=error.message)

    # ---- inside ----------------------------------------------------------------------------

    def _replay(self, question: Question) -> engine.Position:
        """The position; from the game's last one where the turns go on from there."""
        game = engine.game_of(question.game, question.board, question.rules, question.options)
        position = self._positions.pop(question.game_id, None)
        known = len(position.turns) if position is not None else 0
        if (
            position is None
            or position.game is not game
            or position.turns != question.turns[:known]
        ):
            position, known = game.start(), 0
        for turn in question.turns[known:]:
            position = position.play(turn)
        self._positions[question.game_id] = position
        if len(self._positions) > REMEMBERED_POSITIONS:
            self._positions.popitem(last=False)
        return position

    async def _ask_engine(
        self, question: Question, user: PoolUser, position: engine.Position, began: float
    ) -> Answer:
        """Raises EngineFailure, with a process that failed being restarted."""
        self._check_not_refused(user)
        task = Task(user.name, question.game_id)
        taken = await self._slots.acquire(task, self._patience_s(question.budget))
        if taken is None:
            raise EngineFailure(self._spec.name, "no process was free in time")
        slot, process = taken
        try:
            left = self._budget_left(question, began)
            await self._configure(process, user, left.hard_ms)
            reply = await self._think(slot, process, question, position.game, began)
            self._check(position, reply.best.turn)
        except (_TooLate, OptionRefused):
            self._slots.release(slot)
            raise
        except _OptionsFailed as failed:
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
        return Answer(
            turn=reply.best.turn,
            source="engine",
            engine=process.settings,
            time_ms=self._ms_since(began),
            value=reply.info.winrate,
            visits=reply.info.nodes,
            pv=reply.info.pv,
            ponder=reply.best.ponder,
        )

    async def _configure(self, process: EngineProcess, user: PoolUser, within_ms: float) -> None:
        """Where a user's own options are at fault, the engine's health is not: others play on."""
        is_shared = len(self._slots.users) > 1
        try:
            await process.configure(user.options, within_ms=within_ms, is_shared=is_shared)
        except OptionRefused:
            raise
        except (EngineDied, EngineProtocolError) as error:
            if user.options == self._spec.options:
                raise
            self._refused[user.name] = (self._time.monotonic() + REFUSED_S, error.message)
            raise _OptionsFailed(error) from error

    def _check_not_refused(self, user: PoolUser) -> None:
        """A process that has failed on somebody's options is not given to them again at once."""
        until, message = self._refused.get(user.name, (0.0, ""))
        if self._time.monotonic() < until:
            raise OptionRefused(self._spec.name, message)

    def _check(self, position: engine.Position, turn: str) -> None:
        try:
            position.play(turn)
        except engine.IllegalTurn as refusal:
            raise EngineProtocolError(self._spec.name, f"plays an {refusal}") from refusal

    async def _think(
        self,
        slot: Slot,
        process: EngineProcess,
        question: Question,
        game: engine.Game,
        began: float,
    ) -> Reply:
        if slot.game is not game:
            left = self._budget_left(question, began)
            await process.set_up(game, within_ms=left.hard_ms)
            slot.game = game
        budget = self._budget_left(question, began)

        def on_go() -> None:
            if self._on_go is not None:
                self._on_go(question)

        return await process.think(question.turns, budget, on_go)

    def _budget_left(self, question: Question, began: float) -> Budget:
        budget = question.budget.after(self._ms_since(began))
        if budget.hard_ms < LEAST_ENGINE_MS:
            raise _TooLate(self._spec.name, "too little time to ask it")
        return budget

    def _patience_s(self, budget: Budget) -> float:
        """How long to wait for a process; not at all while the engine keeps failing."""
        return budget.hard_ms / 2000 if self.health.healthy else 0.0

    def _ms_since(self, moment: float) -> int:
        return round((self._time.monotonic() - moment) * 1000)


class _TooLate(EngineFailure):
    """Nobody's fault: the time was nearly up before the engine could be asked."""


class _OptionsFailed(Exception):
    """The process has to be replaced, and the options of one user are to blame."""

    def __init__(self, error: EngineFailure) -> None:
        super().__init__(error.message)
        self.error = error
