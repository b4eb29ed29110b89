"""Whole turns of games on a fixed board: playing them, listing them and drawing random ones."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from engine.boards.grid import Board
from engine.errors import Refusal
from engine.games.mechanics import PASS_AND_STOP, Mechanics
from engine.games.rules import BoardRules
from engine.kernel import calls
from engine.kernel.generic import PASS, STOP, Record
from engine.notation import PASS_TEXT, placements


@dataclass(frozen=True, eq=False)
class BoardTurns(Mechanics):
    """The part of `BoardMechanics` that reads and writes turns.

    The states of these games are state records of the kernel.
    """

    rules: BoardRules
    board: Board
    kinds: int
    record: Record

    @property
    def state_dtype(self) -> np.dtype[Any]:
        return self.rules.state_dtype

    @cached_property
    def step_names(self) -> tuple[str, ...]:
        """The notation of each placement code."""
        return self.rules.step_names(self.board)

    @cached_property
    def step_cells(self) -> tuple[str, ...]:
        """The cell of each placement code."""
        return tuple(placements(name, self.kinds)[0].cell for name in self.step_names)

    def play_turn(self, before: Record, turn: str) -> Record | Refusal:
        steps = self.rules.parse(self.board, turn)
        if isinstance(steps, Refusal):
            return steps
        state = self.copy_of(before)
        for played, step in enumerate(steps):
            turn_ended = played > 0 and state["step"] == 0
            if turn_ended or not self.try_step(state, step):
                return self.why_illegal(before, state, steps[: played + 1])
        if state["step"] == 1 and not self.try_step(state, STOP):
            return self.why_illegal(before, state, steps)
        return state

    def why_illegal(self, before: Record, now: Record, steps: Sequence[int]) -> Refusal:
        """See `BoardRules.why_illegal`."""
        return self.rules.why_illegal(self.board, self.record, before, now, steps)

    def legal_turns(self, state: Record) -> Iterator[str]:
        """Yield every legal turn in the order of the first stone, `pass` last.

        For each first stone, turns of two stones come before the turn of one stone.
        """
        names, after = self.step_names, self.new_state()
        out = np.empty(len(names) + PASS_AND_STOP, np.int16)
        for first in self.steps(state):
            if first == PASS:
                yield PASS_TEXT
                continue
            count = calls.steps_after(self.record, state, first, after, out)
            lead = names[first] + ","
            seconds = out[:count].tolist()
            turns = [lead + names[second] for second in seconds if second >= 0]
            yield from [turn for turn in turns if self.rules.canonical(turn) == turn]
            if not seconds or seconds[-1] == STOP:
                yield names[first]

    def random_turn(self, before: Record, chance: random.Random) -> str:
        state, placed = self.copy_of(before), list[str]()
        while not placed or state["step"] == 1:
            codes = [code for code in self.steps(state) if code >= 0]
            if not codes:
                return PASS_TEXT
            code = chance.choice(codes)
            self.try_step(state, code)
            placed.append(self.step_names[code])
        return self.rules.canonical(",".join(placed))
