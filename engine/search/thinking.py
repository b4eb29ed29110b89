"""One search from start to answer: it runs chunks of playouts, and handles time and signals."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event

from engine.contract import Candidate, Info, InfoListener, Signal, Signals
from engine.search.budget import TurnPlan
from engine.search.searcher import Searcher

FIRST_CHUNK = 32
CHUNK_SECONDS = 0.02
"""Aimed duration of a chunk, after which reports and early answers are due."""
NODES_PER_PLAYOUT = 8
"""Positions at which the game's prover may look for a result of the root, for each playout."""
PLAYOUTS_PER_PROOF = 1024
"""Playouts between two such looks. The first ones follow sooner, and are shorter."""
REPORT_SECONDS = 0.35
"""Time between two reports."""
CHECK_SECONDS = 0.1
LOOKS = 10
"""If the plan allows an early or late answer, the search compares the two best turns every
CHECK_SECONDS, or LOOKS times in the recommended time if that is more often.
"""

Clock = Callable[[], float]


class Thinking:
    """A search in progress; it may run in two parts, first pondering and then on the clock.

    `on_info` receives the reports, each with the best `lines` candidates. `nodes` counts the
    playouts of this search.
    """

    def __init__(
        self,
        searcher: Searcher,
        on_info: InfoListener,
        signals: Signals,
        clock: Clock,
        lines: int = 1,
    ) -> None:
        self._lines = lines
        self._searcher = searcher
        self._on_info = on_info
        self._signals = signals
        self._clock = clock
        self._started = clock()
        self._reported = self._started
        self._checked = self._started
        self._rate = FIRST_CHUNK / CHUNK_SECONDS
        self._next_proof = FIRST_CHUNK
        """Playouts after which the game looks for a proof."""
        self._proof_took = 0.0
        """Seconds of the last look."""
        self.nodes = 0

    def run(
        self, plan: TurnPlan, *, since: float | None = None, until_ponderhit: bool = False
    ) -> None:
        """Search until the plan is used up, the position is solved or the host sends `stop`.

        The times of the plan count from the moment `since` of the clock, by default from now. With
        `until_ponderhit`, the search also ends when the host sends `ponderhit`. The maximum and the
        signals end compiled code too, however long a chunk or a proof would take.
        """
        origin = self._clock() if since is None else since
        signals = [self._signals.stop, self._signals.ponderhit][: 2 if until_ponderhit else 1]
        with self._halting(plan, origin, signals):
            self._run(plan, origin, until_ponderhit=until_ponderhit)

    def _run(self, plan: TurnPlan, origin: float, *, until_ponderhit: bool) -> None:
        first = self.nodes
        self._checked = origin
        while not self._signals.stop.is_set() and not self._searcher.solved:
            if until_ponderhit and self._signals.ponderhit.is_set():
                return
            elapsed = self._clock() - origin
            used = self.nodes - first
            if self._is_spent(plan, elapsed, used):
                return
            self._chunk(self._chunk_size(plan, elapsed, used))
            self._prove(plan, origin)
            self._report()

    @contextmanager
    def _halting(self, plan: TurnPlan, origin: float, signals: list[Event]) -> Iterator[None]:
        """Halt the searcher at the plan's maximum and by the signals while the block runs."""
        left = None if plan.maximum is None else plan.maximum - (self._clock() - origin)
        self._searcher.halt_in(left)
        heard = [signal for signal in signals if isinstance(signal, Signal)]
        for signal in heard:
            signal.listen(self._searcher.halt)
        try:
            yield
        finally:
            for signal in heard:
                signal.listen(None)
            self._searcher.halt_in(None)

    @property
    def seconds(self) -> float:
        """Seconds since the search began."""
        return self._clock() - self._started

    def _is_spent(self, plan: TurnPlan, elapsed: float, used: int) -> bool:
        if plan.nodes is not None and used >= plan.nodes:
            return True
        if plan.maximum is None:
            return False
        return elapsed >= plan.maximum or self._may_answer(plan, elapsed)

    def _may_answer(self, plan: TurnPlan, elapsed: float) -> bool:
        """Return whether the search may answer before the maximum.

        The comparison of the best turns is expensive, so it is made only now and then.
        """
        now = self._clock()
        if plan.recommended is None or elapsed < plan.minimum or plan.minimum == plan.maximum:
            return False
        if now - self._checked < min(CHECK_SECONDS, plan.recommended / LOOKS):
            return False
        self._checked = now
        best = self._searcher.candidates(2)
        if elapsed < plan.recommended:
            return is_decided(best, self._rate * (plan.recommended - elapsed))
        return not is_challenged(best)

    def _chunk_size(self, plan: TurnPlan, elapsed: float, used: int) -> int:
        seconds = CHUNK_SECONDS
        if plan.maximum is not None:
            seconds = min(seconds, plan.maximum - elapsed)
        size = max(1, int(self._rate * seconds))
        if self._searcher.may_prove:
            size = min(size, max(1, self._next_proof - self.nodes))
        return size if plan.nodes is None else min(size, plan.nodes - used)

    def _prove(self, plan: TurnPlan, origin: float) -> None:
        """Let the game look for a proof if it is time for that."""
        if not self._searcher.may_prove or self.nodes < self._next_proof:
            return
        before = self._clock()
        if plan.maximum is not None and before + 2 * self._proof_took > origin + plan.maximum:
            return
        playouts = min(self._next_proof, PLAYOUTS_PER_PROOF)
        self._searcher.prove(NODES_PER_PLAYOUT * playouts)
        self._proof_took = self._clock() - before
        self._next_proof += playouts

    def _chunk(self, playouts: int) -> None:
        before = self._clock()
        done = self._searcher.grow(playouts)
        took = self._clock() - before
        self.nodes += done
        if took > 0 and done:
            # At most doubled, so that one lucky measurement cannot make a long chunk.
            self._rate = min(2 * self._rate, done / took)

    def _report(self) -> None:
        now = self._clock()
        if now - self._reported < REPORT_SECONDS:
            return
        self._reported = now
        found = self._searcher.candidates(self._lines)
        if found:
            self._on_info(Info(self.nodes, now - self._started, found[0], found[1:]))


def is_decided(best: tuple[Candidate, ...], playouts_left: float) -> bool:
    """Return whether the second candidate cannot overtake the first even with all
    `playouts_left`.
    """
    if len(best) < 2:
        return len(best) == 1
    return best[0].visits - best[1].visits > playouts_left


def is_challenged(best: tuple[Candidate, ...]) -> bool:
    """Return whether the second candidate has a better value, and over half of the first one's
    visits.
    """
    if len(best) < 2 or best[0].result == 1:
        return False
    return best[1].value > best[0].value and best[1].visits > best[0].visits / 2
