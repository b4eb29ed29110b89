"""What Python has to know of a game beyond its kernel: notation, reasons, and what to show."""

import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from engine.boards import Board
from engine.notation import PASS_TEXT
from engine.rules import calls
from engine.rules.kernel import PASS, STOP, Record
from engine.rules.refusal import Refusal


class GameRules(ABC):
    """One game's rules for Python.

    A board record and a state record, as in `engine.rules.kernel`, hold the facts; nothing is kept
    here. Turn strings are in canonical form: lower case, no blanks.
    """

    state_dtype: np.dtype[Any]

    @abstractmethod
    def board(self, name: str) -> Board:
        """The board of that name; UnknownGame if this game is not played on it."""

    @abstractmethod
    def board_record(self, board: Board, rules: str, options: Mapping[str, int | str]) -> Record:
        """The board, the rule set and all options as the kernel reads them."""

    def default_options(self, board: Board) -> Mapping[str, int | str]:  # noqa: ARG002
        """What each option is on this board for those who do not choose."""
        return {}

    def canonical(self, turn: str) -> str:
        """The form in which a turn string, lower case and without blanks, is kept."""
        return turn

    @abstractmethod
    def step_names(self, board: Board) -> tuple[str, ...]:
        """The notation of each placement code."""

    @abstractmethod
    def parse(self, board: Board, turn: str) -> tuple[int, ...] | Refusal:
        """The codes of a turn, or why the string names none on this board."""

    @abstractmethod
    def why_illegal(
        self, board: Board, record: Record, before: Record, now: Record, steps: Sequence[int]
    ) -> Refusal:
        """Why the last of `steps` cannot be played.

        `before` is the position at the start of the turn, `now` the one in which that step was
        tried. If all steps have been played, `now` is in the middle of a turn that is not complete.
        """

    @abstractmethod
    def stones(self, state: Record) -> Iterable[tuple[int, int, int]]:
        """Cell, player and kind of each stone, in canonical order of the cells."""

    @abstractmethod
    def captured(self, before: Record, after: Record) -> list[int]:
        """The cells whose stones the turn between the two positions took, in canonical order."""

    @abstractmethod
    def scores(self, board: Board, state: Record) -> tuple[Any, Any]:
        """Each player's score as the position stands."""

    def marks(self, record: Record, state: Record) -> Mapping[int, str]:  # noqa: ARG002
        """Words for stones that need one, by cell, in canonical order."""
        return {}

    def new_state(self) -> Record:
        """A blank state record, to be filled by `start` or `copy_state`."""
        return np.zeros(1, self.state_dtype)[0]

    def copy_of(self, state: Record) -> Record:
        """A record of its own with the same content."""
        # A third of the time of `state.copy()`, which goes through the fields one by one.
        copy = np.empty(1, self.state_dtype)
        copy[0] = state
        return copy[0]

    def start(self, record: Record) -> Record:
        """The initial position."""
        state = self.new_state()
        calls.start(record, state)
        return state

    def outcome(self, record: Record, state: Record) -> int:
        """Who is ahead: 1, 2, or 0."""
        return int(calls.outcome(record, state))

    def play_turn(
        self, board: Board, record: Record, before: Record, turn: str
    ) -> Record | Refusal:
        """The position after a turn, or why it cannot be played."""
        steps = self.parse(board, turn)
        if isinstance(steps, Refusal):
            return steps
        state = self.copy_of(before)
        for played, step in enumerate(steps):
            turn_ended = played > 0 and state["step"] == 0
            if turn_ended or not calls.try_step(record, state, step):
                return self.why_illegal(board, record, before, state, steps[: played + 1])
        if state["step"] == 1 and not calls.try_step(record, state, STOP):
            return self.why_illegal(board, record, before, state, steps)
        return state

    def legal_turns(self, record: Record, state: Record, names: Sequence[str]) -> Iterator[str]:
        """Every legal turn: by the first stone, singles after doubles, `pass` last."""
        after = self.new_state()
        out = np.empty(len(names) + 2, np.int16)
        for first in self._steps(record, state):
            if first == PASS:
                yield PASS_TEXT
                continue
            count = calls.steps_after(record, state, first, after, out)
            lead = names[first] + ","
            seconds = out[:count].tolist()
            turns = [lead + names[second] for second in seconds if second >= 0]
            yield from [turn for turn in turns if self.canonical(turn) == turn]
            if not seconds or seconds[-1] == STOP:
                yield names[first]

    def random_turn(
        self, record: Record, state: Record, names: Sequence[str], chance: random.Random
    ) -> str:
        """A uniformly random placement for each stone of a turn; plays it in `state`."""
        placed: list[str] = []
        while not placed or state["step"] == 1:
            codes = [code for code in self._steps(record, state) if code >= 0]
            code = chance.choice(codes) if codes else PASS
            calls.try_step(record, state, code)
            if code == PASS:
                return PASS_TEXT
            placed.append(names[code])
        return self.canonical(",".join(placed))

    def playout_runner(self, record: Record, seed: int) -> Callable[[int], None]:
        """A function that plays so many random games from the initial position."""
        origin, state = self.start(record), self.new_state()
        rng, wins = calls.random_source(seed), np.zeros(3, np.int64)

        def run(count: int) -> None:
            calls.playouts(record, origin, state, rng, wins, count)

        return run

    def _steps(self, record: Record, state: Record) -> list[int]:
        out = np.empty(int(record["n_steps"]) + 2, np.int16)
        count = calls.legal_steps(record, state, out)
        steps: list[int] = out[:count].tolist()
        return steps


def cells_of(state: Record) -> list[int]:
    """What is on each cell of the board; records have room for the largest."""
    cells: list[int] = state["cells"][: state["n_cells"]].tolist()
    return cells
