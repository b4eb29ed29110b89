"""The analysis of a finished game: which positions an engine must search, and what each turn lost.

Values from searches of different positions are not comparable: a search favours the player to move,
and the best of many noisy values is too high. So the positions after the turn and after the
engine's choice get one search each, of the same length. `bluestone analyze` works in the same way.
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import engine
from bot import wire
from bot.wire.analysis import Mark

POSITION_S: Final = 1.0
KEPT_LINES: Final = 5
MARKS: Final[tuple[tuple[float, Mark], ...]] = (
    (0.25, "blunder"),
    (0.15, "mistake"),
    (0.08, "inaccuracy"),
)
"""The losses, as chances to win, from which a turn is marked."""


def mark_of(loss: float | None) -> Mark | None:
    """The mark of a turn with that loss."""
    return next((mark for least, mark in MARKS if loss is not None and loss >= least), None)


@dataclass(frozen=True)
class Sought:
    """A position to search: that before ply `ply`, or after the engine's choice instead of it."""

    ply: int
    after_choice: str | None
    turns: tuple[str, ...]


class GameReview:
    """The searches of one game. `next` gives what to search, `found` takes the result."""

    def __init__(self, game_id: str, setup: wire.AnalysisSetup, last: engine.Position) -> None:
        self.game_id = game_id
        self.setup = setup
        self.engine: str | None = None
        self.revision = 0
        self._turns = tuple(last.turns)
        self._last = last  # the other positions of 50 long games would take 200 MB
        self._agrees: dict[int, bool] = {}
        self._lines: dict[int, Sequence[wire.AnalysisLine]] = {}
        self._choice_values: dict[int, float | None] = {}
        self._open = deque(
            Sought(ply, None, self._turns[:ply])
            for ply in range(len(self._turns) + 1)
            if not self._is_over(ply)
        )
        self._under_way: set[Sought] = set()
        self._done = 0

    @property
    def is_complete(self) -> bool:
        return not self._open and not self._under_way

    def next(self) -> Sought | None:
        """The next position to search; None if all are searched or being searched."""
        if not self._open:
            return None
        sought = self._open.popleft()
        self._under_way.add(sought)
        return sought

    def lost(self, sought: Sought) -> None:
        """Note that a search gave no result; `next` returns it again."""
        if sought in self._under_way:
            self._under_way.remove(sought)
            self._open.appendleft(sought)

    def found(self, sought: Sought, lines: Sequence[wire.AnalysisLine]) -> None:
        """Note the lines of a search, best first. Raises IllegalTurn if the first is illegal."""
        ply = sought.ply
        before = self._last.game.replay(self._turns[:ply])
        chosen = before.play(lines[0].turn) if sought.after_choice is None else None
        self._under_way.discard(sought)
        self._done += 1
        if chosen is None:
            self._choice_values[ply] = None if lines[0].value is None else 1 - lines[0].value
            return
        self._lines[ply] = lines[:KEPT_LINES]
        if ply < len(self._turns):
            # The order of stones makes no difference.
            self._agrees[ply] = chosen.stones == before.play(self._turns[ply]).stones
            if not self._agrees[ply]:
                self._seek_choice(ply, chosen, lines[0].turn)

    def _seek_choice(self, ply: int, chosen: engine.Position, choice: str) -> None:
        if chosen.over:
            self._choice_values[ply] = _result_for(_mover(ply), chosen)
        else:
            self._open.append(Sought(ply, choice, (*self._turns[:ply], choice)))

    def _is_over(self, ply: int) -> bool:
        return ply == len(self._turns) and self._last.over

    def analysis(self, state: wire.GameAnalysis) -> wire.GameAnalysis:
        """`state` with the progress, and with the turns whose searches are complete."""
        total = self._done + len(self._open) + len(self._under_way)
        turns = [turn for ply in range(len(self._turns)) if (turn := self._turn(ply)) is not None]
        progress = {"done": self._done, "total": total, "turns": turns, "engine": self.engine}
        return state.model_copy(update=progress)

    def _turn(self, ply: int) -> wire.AnalysedTurn | None:
        lines, is_last = self._lines.get(ply), self._is_over(ply + 1)
        if lines is None or (not is_last and ply + 1 not in self._lines):
            return None
        value = _result_for(_mover(ply), self._last) if is_last else self._value_after(ply)
        agrees = self._agrees[ply]
        if not agrees and ply not in self._choice_values:
            return None
        best = value if agrees else self._choice_values[ply]
        loss = None if value is None or best is None else max(0.0, best - value)
        return wire.AnalysedTurn(
            ply=ply,
            player=_mover(ply),
            turn=self._turns[ply],
            value=_rounded(value),
            best=lines[0].turn,
            best_value=_rounded(best),
            loss=_rounded(loss),
            mark=mark_of(loss),
            lines=list(lines),
        )

    def _value_after(self, ply: int) -> float | None:
        reply = self._lines[ply + 1][0].value
        return None if reply is None else 1 - reply


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


def _result_for(mover: int, position: engine.Position) -> float:
    return {mover: 1.0, None: 0.5}.get(position.winner, 0.0)


def _mover(ply: int) -> wire.Seat:
    return 1 if ply % 2 == 0 else 2
