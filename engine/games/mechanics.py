"""Whole turns on state records: playing them, listing them and drawing random ones."""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from engine.boards.grid import Board
from engine.errors import Refusal
from engine.games.rules import GameRules
from engine.kernel import calls
from engine.kernel.generic import PASS, STOP, Record
from engine.notation import PASS_TEXT, placements

PASS_AND_STOP = 2
"""The number of codes that the kernel may list in addition to the placements."""


@dataclass(frozen=True, eq=False)
class Mechanics:
    """The mechanics of one game on one board.

    `record` holds the board, the rule set and the options for the kernel. States are state records
    of the kernel. A method leaves its arguments unchanged, unless its docstring says otherwise.
    """

    rules: GameRules
    board: Board
    kinds: int
    record: Record

    @cached_property
    def step_names(self) -> tuple[str, ...]:
        """The notation of each placement code."""
        return self.rules.step_names(self.board)

    @cached_property
    def step_cells(self) -> tuple[str, ...]:
        """The cell of each placement code."""
        return tuple(placements(name, self.kinds)[0].cell for name in self.step_names)

    def new_state(self) -> Record:
        """Return a blank state record for the kernel to fill."""
        return np.zeros(1, self.rules.state_dtype)[0]

    def copy_of(self, state: Record) -> Record:
        """Return a copy of a state record."""
        # This takes a third of the time of `state.copy()`, which copies field by field.
        copy = np.empty(1, self.rules.state_dtype)
        copy[0] = state
        return copy[0]

    def start(self) -> Record:
        """Return the state record of the initial position."""
        state = self.new_state()
        calls.start(self.record, state)
        return state

    def outcome(self, state: Record) -> int:
        """Return the player who is ahead, 1 or 2, or 0 for a draw."""
        return int(calls.outcome(self.record, state))

    def steps(self, state: Record) -> list[int]:
        """Return the codes of the legal steps in the order of `kernel.legal_steps`."""
        out = np.empty(int(self.record["n_steps"]) + PASS_AND_STOP, np.int16)
        count = calls.legal_steps(self.record, state, out)
        steps: list[int] = out[:count].tolist()
        return steps

    def try_step(self, state: Record, step: int) -> bool:
        """Play a step in `state` if it is legal; return whether it was. This changes `state`."""
        return bool(calls.try_step(self.record, state, step))

    def play_turn(self, before: Record, turn: str) -> Record | Refusal:
        """Return the state after a turn in canonical form, or the reason why it is illegal."""
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
        """See `GameRules.why_illegal`."""
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
        """Return a turn of uniformly random placements, or a pass if no placement is legal."""
        state, placed = self.copy_of(before), list[str]()
        while not placed or state["step"] == 1:
            codes = [code for code in self.steps(state) if code >= 0]
            if not codes:
                return PASS_TEXT
            code = chance.choice(codes)
            self.try_step(state, code)
            placed.append(self.step_names[code])
        return self.rules.canonical(",".join(placed))

    def playouts(self, seed: int) -> Callable[[int], None]:
        """Return a function of `count` that plays `count` random games from the start."""
        origin, state = self.start(), self.new_state()
        rng, wins = calls.random_source(seed), np.zeros(3, np.int64)

        def run(count: int) -> None:
            calls.playouts(self.record, origin, state, rng, wins, count)

        return run
