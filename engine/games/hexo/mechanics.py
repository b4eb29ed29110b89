"""HeXO's turns on the unbounded board: reading, playing, listing and drawing random ones."""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from engine.boards.grid import Board
from engine.boards.plane import (
    Cell,
    cell_name,
    cell_of,
    cells_within,
    in_reading_order,
    part_of_plane,
)
from engine.errors import Refusal
from engine.games.choices import Choices
from engine.games.hexo.frame import HexoFrame, frame_of
from engine.games.hexo.kernel import set_up
from engine.games.hexo.prover import new_memory
from engine.games.hexo.state import STATE_DTYPE
from engine.games.hexo.unbounded import HexoState
from engine.games.mechanics import Mechanics
from engine.kernel.generic import Record

SHOWN: Final = 2
"""How far from the nearest stone a drawing shows cells."""
USUAL_ROOM: Final = 60
"""An estimate of how many more stones follow, for players who plan their time. Half of the games
between engines have at most 31 stones, one in twenty more than 100."""
USUAL_STEPS: Final = 60
"""Cells within distance 2 of a stone after five turns."""
MOST_TURNS: Final = 2000
"""A number of turns that no sensible game without a cap exceeds."""
_FORM: Final = "a turn is one cell, or two with a comma between them, such as 1:0,-2:3"


@dataclass(frozen=True, eq=False)
class HexoMechanics(Mechanics):
    """HeXO with one cap. A state is a `HexoState`."""

    cap: int
    record: Record

    @property
    def state_dtype(self) -> np.dtype[Any]:
        return STATE_DTYPE

    def prover_memory(self) -> Record:
        return new_memory()

    @property
    def selects_by_priors(self) -> bool:
        return True

    @property
    def usual_steps(self) -> int:
        return USUAL_STEPS

    @property
    def most_turns(self) -> int:
        return self.cap or MOST_TURNS

    def initial_state(self) -> HexoState:
        return HexoState(stones={}, cap=self.cap)

    def record_of(self, state: HexoState) -> Record:
        frame, record = self.frame(state), self.new_state()
        seen = [(frame.code(cell), player) for cell, player in state.stones.items()]
        cells = np.array([code for code, _ in seen if code is not None], np.int16)
        players = np.array([player for code, player in seen if code is not None], np.int64)
        set_up(self.record, record, cells, players, state.turn, state.winner)
        if state.first is not None:
            code = frame.code(state.first)
            record["step"], record["first"] = 1, -1 if code is None else code
        return record

    def frame(self, state: HexoState) -> HexoFrame:
        return frame_of(state.stones, state.player)

    def to_play(self, state: HexoState) -> int:
        return state.player

    def is_over(self, state: HexoState) -> bool:
        return state.over

    def winner(self, state: HexoState) -> int:
        return state.winner

    def stones(self, state: HexoState) -> Iterator[tuple[str, int, int]]:
        for cell in in_reading_order(state.stones):
            yield cell_name(cell), state.stones[cell], 1

    def captured(self, before: HexoState, after: HexoState) -> tuple[str, ...]:
        del before, after
        return ()

    def scores(self, state: HexoState) -> tuple[int, int]:
        return state.longest

    def marks(self, state: HexoState) -> Mapping[str, str]:
        del state
        return {}

    def shown_board(self, state: HexoState) -> Board:
        return part_of_plane(cells_within(SHOWN, state.stones or [(0, 0)]))

    def room(self, state: HexoState) -> int:
        del state
        return USUAL_ROOM

    def play_turn(self, before: HexoState, turn: str) -> HexoState | Refusal:
        cells = parse(turn)
        if isinstance(cells, Refusal):
            return cells
        state = before
        for number, cell in enumerate(cells):
            if number == 1 and state.first is None:
                why = "is the first of the game" if before.turn == 1 else "ends the game"
                why = "completes it" if before.first is not None else why
                reason = f"the turn is a single stone: {cell_name(cells[0])} {why}"
                return Refusal("one-stone", reason, cell_name(cell))
            refusal = state.why_not(cell)
            if refusal is not None:
                return refusal
            state = state.placed(cell)
        if state.first is not None:
            where = cell_name(cells[0])
            return Refusal("two-stones", f"a second stone must follow the one on {where}", where)
        return state

    def begin_turn(self, before: HexoState, step: str) -> HexoState | Refusal:
        cells = parse(step)
        if isinstance(cells, Refusal):
            return cells
        return before.why_not(cells[0]) or before.placed(cells[0])

    def legal_turns(self, state: HexoState) -> Iterator[str]:
        """Yield every legal turn, both orders of two stones, in reading order of the first."""
        reached = state.reached()
        for first in in_reading_order(state.legal()):
            after = state.placed(first)
            if after.first is None:
                yield cell_name(first)
                continue
            lead = cell_name(first) + ","
            seconds = in_reading_order(state.legal_after(first, reached))
            yield from (lead + cell_name(second) for second in seconds)

    def random_turn(self, before: HexoState, chance: random.Random) -> str:
        state, placed = before, list[Cell]()
        while not state.over and (not placed or state.first is not None):
            placed.append(state.random_cell(chance))
            state = state.placed(placed[-1])
        return ",".join(map(cell_name, placed))

    def likely_turn(self, before: HexoState, chance: random.Random) -> str:
        frame, record, placed = self.frame(before), self.record_of(before), list[str]()
        while not record["over"] and (not placed or record["step"] == 1):
            code = chance.choice(self.promising_steps(record))
            self.try_step(record, code)
            placed.append(frame.step_name(code))
        return ",".join(placed)

    def choices(self, before: HexoState, chosen: Sequence[str]) -> Choices:
        state = self._after(before, chosen)
        legal = in_reading_order(state.legal()) if state is not None else []
        after = self.play_turn(before, ",".join(chosen)) if chosen else None
        return Choices(
            legal=tuple(map(cell_name, legal)),
            illegal=self._why_illegal(before, state, chosen),
            complete=isinstance(after, HexoState),
            may_pass=False,
            captured=(),
        )

    def _after(self, before: HexoState, chosen: Sequence[str]) -> HexoState | None:
        """Return the state in which the next step is placed; None if none may follow `chosen`."""
        state = before
        for step in chosen:
            cell = cell_of(step)
            if cell is None or state.why_not(cell) is not None:
                return None
            state = state.placed(cell)
            if state.first is None:
                return None
        return state

    def _why_illegal(
        self, before: HexoState, now: HexoState | None, chosen: Sequence[str]
    ) -> dict[str, Refusal]:
        """Return the refusals of the occupied cells as the step after `chosen`.

        `now` is the state in which that step is placed; without one, the turn was wrong before.
        """
        stones = in_reading_order((before if now is None else now).stones)
        if now is not None:
            reasons = ((cell, now.why_not(cell)) for cell in stones)
            return {cell_name(cell): reason for cell, reason in reasons if reason is not None}
        found = {}
        for step in map(cell_name, stones):
            after = self.play_turn(before, ",".join([*chosen, step]))
            assert isinstance(after, Refusal)
            found[step] = after
        return found


def parse(turn: str) -> list[Cell] | Refusal:
    """Return the cells of a turn in canonical form, or the reason why it is not valid notation."""
    parts = turn.split(",")
    if turn == "pass":
        return Refusal("malformed", "there is no pass in HeXO: place two stones")
    if len(parts) > 2 or "" in parts:
        return Refusal("malformed", _FORM)
    cells = list[Cell]()
    for part in parts:
        cell = cell_of(part)
        if cell is None:
            reason = f"{part[:20]!r} is not a cell; cells are written q:r, such as -2:3"
            return Refusal("unknown-cell", reason, part[:20])
        cells.append(cell)
    return cells
