"""What goes wrong with an engine: how often, of what kind, and how long to leave it alone then."""

from collections import Counter

from bot.errors import (
    EngineDied,
    EngineFailure,
    EngineProtocolError,
    EngineStartError,
    EngineTimeout,
)

LONGEST_PAUSE_S = 60.0
UNHEALTHY_AFTER = 3
"""Failures in a row after which nobody waits for the engine any more."""

_KINDS: dict[type[EngineFailure], str] = {
    EngineStartError: "start",
    EngineDied: "died",
    EngineTimeout: "late",
    EngineProtocolError: "protocol",
}


def kind_of_failure(error: EngineFailure) -> str:
    return _KINDS.get(type(error), "other")


class Failures:
    """What went wrong with one engine, and how long to wait before it is started again."""

    def __init__(self) -> None:
        self.by_kind: Counter[str] = Counter()
        self.consecutive = 0
        self.last: str | None = None

    def add(self, error: EngineFailure) -> None:
        self.by_kind[kind_of_failure(error)] += 1
        self.consecutive += 1
        self.last = error.message

    def succeeded(self) -> None:
        self.consecutive = 0

    @property
    def healthy(self) -> bool:
        return self.consecutive < UNHEALTHY_AFTER

    @property
    def pause_s(self) -> float:
        """Nothing after a first failure, which may be a single one; then 1, 2, 4, ... seconds."""
        if self.consecutive <= 1:
            return 0.0
        return float(min(LONGEST_PAUSE_S, 2.0 ** min(self.consecutive - 2, 10)))
