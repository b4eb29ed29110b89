"""The time there is for one turn of an engine, in whole milliseconds."""

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Budget:
    """`think_ms` is the recommended time; at `hard_ms` the engine is killed.

    `go` holds the words after `go` for the engine. Both times count from the moment at which
    the budget is handed over, and are at least 1. `stop_ms` is the maximum: how long after `go` the
    engine is told to stop, None for shortly before it is killed.
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
    """How long an engine may be told to think, at most, if it must be done by `hard_ms`."""
    return hard_ms - min(200, hard_ms // 5)
