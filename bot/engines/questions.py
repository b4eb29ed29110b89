"""What an engine pool is asked: a question with its budget and its patience, and the answer."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal, Protocol

import engine
from bot.records.model import EngineSettings


@dataclass(frozen=True)
class Budget:
    """`think_ms` is the recommended time; at `hard_ms` the engine is killed.

    `go` holds the words after `go` for the engine. Both times count from the moment at which
    the budget is handed over, and are at least 1. `stop_ms` is the maximum: `stop` is sent
    that long after `go`; None means shortly before the engine is killed.
    """

    think_ms: int
    hard_ms: int
    go: str
    stop_ms: int | None = None

    def after(self, waited_ms: int) -> "Budget":
        """What is left of the budget when `waited_ms` went by before the engine was asked."""
        if waited_ms <= 0:
            return self
        hard = max(1, self.hard_ms - waited_ms)
        think = max(1, min(self.think_ms, latest_aim(hard)))
        if think == self.think_ms or "nodes" in self.go:
            return replace(self, think_ms=think, hard_ms=hard)
        return Budget(think, hard, f"movetime {think}")


def latest_aim(hard_ms: int) -> int:
    """The longest thinking time to ask an engine for if it must answer by `hard_ms`."""
    return hard_ms - min(200, hard_ms // 5)


URGENT_S: Final = 60.0
"""From this long before it is due, a turn that could wait is urgent."""


class Patience(Protocol):
    """A turn that may wait, and then begins with the budget of that moment."""

    wanted: asyncio.Event
    """Set when another turn needs the engine more; the search is interrupted, and waits again."""

    @property
    def due(self) -> float:
        """On the monotonic clock: the turn that is due first gets an engine first."""

    @property
    def latest(self) -> float:
        """On the monotonic clock: how long the turn waits for an engine."""

    def begin(self) -> Budget:
        """An engine is there; its time counts from now."""

    def interrupted(self) -> None:
        """The search was interrupted; `begin` will be called again."""


def can_wait(patience: Patience | None, now: float) -> bool:
    return patience is not None and patience.due - now >= URGENT_S


PonderOutcome = Literal["hit", "miss", "broken_off"]
"""What thinking on the opponent's time was about: this position; another one; or it was broken off,
since the engine was needed elsewhere.
"""


@dataclass(frozen=True)
class PoolUser:
    """One of those who share a pool, and the engine's options for their turns."""

    name: str
    options: Mapping[str, str]


@dataclass(frozen=True)
class Question:
    """A position, the time there is to choose its next turn, and turns not to be chosen.

    With `patience`, `budget` is an estimate: `patience.begin` makes the one that counts when an
    engine is free. `user` is a `PoolUser` that the pool made, or None in a pool with one user, who
    has the options of the pool's engine spec.
    """

    game_id: str
    position: engine.Position
    budget: Budget
    excluded: frozenset[str] = frozenset()
    patience: Patience | None = None
    user: PoolUser | None = None


@dataclass(frozen=True)
class Answer:
    """A legal turn. `value` is the engine's own chance to win, `failure` why it gave no turn.

    `asked_at`: when an engine was sent `go`, or `ponderhit`, on the monotonic clock; None if none
    was. `pondered`: what came of thinking on the opponent's time, if there was any; a hit had gone
    on for `pondered_ms`.
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
    """How the engine is doing; `failures` counts by kind since the pool was opened."""

    engine: str
    healthy: bool
    alive: int
    size: int
    consecutive_failures: int
    failures: dict[str, int]
    last_failure: str | None
