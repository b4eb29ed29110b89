"""Whether more time on a turn can change it: the best turn, followed while it is searched."""

from engine.contract import Candidate
from engine.search.budget import Plan

SETTLING = 0.3
"""For so much of the recommended time a turn has to have been the best before it is answered."""
DROP = 0.03
"""If the best turn's value has fallen by so much, there may be a better one."""


class Steadiness:
    """Is told of the best turns now and then; times are seconds since the search began."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._turn: str | None = None
        self._best_since = 0.0
        self._first_value: float | None = None

    def may_answer(self, best: tuple[Candidate, ...], elapsed: float, rate: float) -> bool:
        """Whether the plan is kept by an answer now, at `rate` playouts a second."""
        if not best:
            return False
        if best[0].turn != self._turn:
            self._turn, self._best_since = best[0].turn, elapsed
        if elapsed < self._plan.minimum:
            return False
        if self._first_value is None:
            self._first_value = best[0].value
        recommended = self._plan.recommended or 0.0
        if elapsed < recommended:
            return is_decided(best, rate * (recommended - elapsed))
        return not (is_challenged(best) or self._is_shaken(best[0], elapsed, recommended))

    def _is_shaken(self, best: Candidate, elapsed: float, recommended: float) -> bool:
        """Whether it has just become the best, or looks worse than it did."""
        if best.result == 1:
            return False
        assert self._first_value is not None
        is_new = elapsed - self._best_since < SETTLING * recommended
        return is_new or best.value < self._first_value - DROP


def is_decided(best: tuple[Candidate, ...], playouts_left: float) -> bool:
    """Whether the second candidate could not overtake the first with all the playouts left."""
    if len(best) < 2:
        return len(best) == 1
    return best[0].visits - best[1].visits > playouts_left


def is_challenged(best: tuple[Candidate, ...]) -> bool:
    """Whether a turn with nearly as many visits has the better value."""
    if len(best) < 2 or best[0].result == 1:
        return False
    return best[1].value > best[0].value and best[1].visits > best[0].visits / 2
