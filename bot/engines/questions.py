"""Questions to an engine pool, with their budget and patience, and answers."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal, Protocol

import engine
from bot.records.model import EngineSettings


@dataclass(frozen=True)
class Budget:
    """The time of a turn. `think_ms` is the recommended time; at `hard_ms` the engine is killed.

    `go` has the words after `go` for the engine. Both times count from the moment at which the
    budget is passed on, and are at least 1. `stop_ms` is the maximum: `stop` is sent that long
    after `go`; None means shortly before the engine is killed.
    """

    think_ms: int
    hard_ms: int
    go: str
    stop_ms: int | None = None

    def after(self, waited_ms: int) -> "Budget":
        """Return the rest of the budget if `waited_ms` passed before the engine was asked."""
        if waited_ms <= 0:
            return self
        hard = max(1, self.hard_ms - waited_ms)
        think = max(1, min(self.think_ms, latest_aim(hard)))
        if think == self.think_ms or "nodes" in self.go:
            return replace(self, think_ms=think, hard_ms=hard)
        return Budget(think, hard, f"movetime {think}")


def latest_aim(hard_ms: int) -> int:
    """Return the longest thinking time to request from an engine that must answer by `hard_ms`."""
    return hard_ms - min(200, hard_ms // 5)


URGENT_S: Final = 60.0
"""Seconds before it is due from which a turn that could wait is urgent."""


class Patience(Protocol):
    """A turn that may wait. It gets its budget when it starts."""

    @property
    def is_live(self) -> bool:
        """Whether the opponent waits too. Such a turn is urgent, and is never interrupted."""

    wanted: asyncio.Event
    """Set when a more urgent turn needs the engine; the search is interrupted, and waits again."""

    @property
    def due(self) -> float:
        """When the turn is due, on the monotonic clock.

        The turn that is due first gets an engine first.
        """

    @property
    def latest(self) -> float:
        """Until when the turn waits for an engine, on the monotonic clock."""

    def waits(self, before: int) -> None:
        """Note that so many other searches end before that of this turn begins."""

    def begin(self) -> Budget:
        """Return the budget, which counts from now, because an engine is free."""

    def interrupted(self) -> None:
        """Note that the search was interrupted; `begin` will be called again."""


def can_wait(patience: Patience | None, now: float) -> bool:
    """Return whether a turn may be interrupted, and let every other turn go first."""
    return patience is not None and not patience.is_live and patience.due - now >= URGENT_S


PonderOutcome = Literal["hit", "miss", "broken_off"]
"""The outcome of thinking on the opponent's time.

It was about this position, about another one, or it was interrupted because another turn needed the
engine.
"""


@dataclass(frozen=True)
class PoolUser:
    """A user of a shared pool, and the engine's options for their turns."""

    name: str
    options: Mapping[str, str]


@dataclass(frozen=True)
class Question:
    """A position, the time to choose its next turn, and the turns that must not be chosen.

    With `patience`, `budget` is an estimate: `patience.begin` returns the real one when an engine
    is free. `user` is a `PoolUser` that the pool made, or None in a pool with one user, who has the
    options of the pool's engine spec.
    """

    game_id: str
    position: engine.Position
    budget: Budget
    excluded: frozenset[str] = frozenset()
    patience: Patience | None = None
    user: PoolUser | None = None


@dataclass(frozen=True)
class EngineAnswer:
    """A legal turn. `value` is the engine's own chance to win. `failure` says why it gave no turn.

    `asked_at` is when an engine was sent `go` or `ponderhit`, on the monotonic clock; None if it
    was not asked. `pondered` is the outcome of thinking on the opponent's time, if any. A hit had
    lasted `pondered_ms`.
    """

    turn: str
    source: Literal["engine", "fallback", "forced"]
    engine: EngineSettings
    time_ms: int
    value: float | None = None
    visits: int | None = None
    pv: tuple[str, ...] = ()
    ponder: str | None = None
    failure: str | None = None
    asked_at: float | None = None
    pondered: PonderOutcome | None = None
    pondered_ms: int | None = None


@dataclass(frozen=True)
class PoolHealth:
    """The health of an engine. `failures` counts by kind since the pool was opened."""

    engine: str
    healthy: bool
    alive: int
    size: int
    consecutive_failures: int
    failures: dict[str, int]
    last_failure: str | None
