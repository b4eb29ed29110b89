"""What a pool of engines is asked, what it answers, and how it is doing."""

from dataclasses import dataclass
from typing import Literal

import engine
from bot.engines.budget import Budget
from bot.engines.patience import Patience
from bot.records.model import EngineSettings

PonderOutcome = Literal["hit", "miss", "broken_off"]
"""What thinking on the opponent's time was about: this position; another one; or it was broken off,
since the engine was needed elsewhere.
"""


@dataclass(frozen=True)
class Question:
    """A position, the time there is to choose its next turn, and turns not to be chosen.

    With `patience` the budget is only what it would be now: the one that counts is made when an
    engine is there.
    """

    game_id: str
    position: engine.Position
    budget: Budget
    excluded: frozenset[str] = frozenset()
    patience: Patience | None = None


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
