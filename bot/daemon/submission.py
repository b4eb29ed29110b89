"""A turn on its way to the server."""

from dataclasses import dataclass

from bot.daemon.journal import Chosen
from bot.engines.budget import Budget
from bot.engines.pool import Answer


@dataclass(slots=True)
class Submission:
    """What the log line of the turn will say; `arrived` is the moment of the opponent's."""

    ply: int
    chosen: Chosen
    arrived: float
    budget: Budget | None = None
    answer: Answer | None = None
    acknowledged: bool = False
    postponed: bool = False
    sent: int = 0

    @property
    def go_after_ms(self) -> float | None:
        """From the arrival of the opponent's turn to the engine's `go`; None if it got none."""
        if self.answer is None or self.answer.asked_at is None:
            return None
        return round((self.answer.asked_at - self.arrived) * 1000, 1)
