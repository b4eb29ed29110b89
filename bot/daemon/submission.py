"""A turn on its way to the server."""

from dataclasses import dataclass

from bot.daemon.journal import Chosen
from bot.engines.questions import Answer, Budget
from bot.platforms.base import GameFacts


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

    def expected_reply(self, facts: GameFacts) -> str | None:
        """What the engine thinks will be played next, in the state that shows the turn."""
        if self.answer is None or facts.ply != self.ply + 1 or not self._stands(facts):
            return None
        return self.answer.ponder

    def told(self, facts: GameFacts, now: float) -> dict[str, object]:
        """The fields of the log's line, once that state shows the turn; `now` as `arrived`."""
        answer, info = self.answer, self.chosen.info
        return {
            "ply": self.ply,
            "turn": facts.turns[self.ply].turn,
            "as_chosen": self._stands(facts),
            "opponent": facts.opponent.name,
            "value": info.value,
            "visits": info.visits,
            "source": info.source,
            "engine": answer and answer.engine.name,
            "failure": answer and answer.failure,
            "think_ms": answer and answer.time_ms,
            "budget_ms": self.budget and self.budget.think_ms,
            "pondered": answer and answer.pondered,
            "pondered_ms": answer and answer.pondered_ms,
            "go_after_ms": self.go_after_ms,
            "total_ms": round((now - self.arrived) * 1000, 1),
            "sent": self.sent,
            "clock_ms": facts.clocks[facts.seat - 1].main_ms,
        }

    def _stands(self, facts: GameFacts) -> bool:
        return facts.turns[self.ply].turn == self.chosen.turn
