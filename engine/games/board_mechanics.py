"""The mechanics of games on a fixed board, whose states are state records of the kernel."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from engine.boards.grid import Board
from engine.errors import Refusal
from engine.games.board_turns import BoardTurns
from engine.games.choices import Choices
from engine.games.choosing import choices_after
from engine.games.early_end import EarlyEnd
from engine.games.mechanics import Bounds, Frame
from engine.games.rules import BoardRules
from engine.kernel.generic import Record

TURNS_A_CELL: Final = 2
"""Turns per cell of the board. Stones are captured, so a game may have more turns than cells."""


@dataclass(frozen=True, eq=False)
class BoardFrame(Frame):
    """The frame of all positions of a game: one code for each placement on the board."""

    rules: BoardRules
    board: Board
    step_names: tuple[str, ...]

    def step_name(self, step: int) -> str:
        return self.step_names[step]

    def steps_of(self, turn: str) -> tuple[int, ...]:
        steps = self.rules.parse(self.board, turn)
        assert not isinstance(steps, Refusal), steps
        return steps


class BoardMechanics(BoardTurns):
    """The mechanics of one game on one fixed board. Its states are state records."""

    @property
    def most_turns(self) -> int:
        return TURNS_A_CELL * len(self.board.cells)

    @cached_property
    def _frame(self) -> BoardFrame:
        return BoardFrame(self.rules, self.board, self.step_names)

    def initial_state(self) -> Record:
        return self.start()

    def record_of(self, state: Record) -> Record:
        return self.copy_of(state)

    def frame(self, state: Record) -> Frame:
        del state
        return self._frame

    def to_play(self, state: Record) -> int:
        return int(state["player"])

    def is_over(self, state: Record) -> bool:
        return bool(state["over"])

    def winner(self, state: Record) -> int:
        return self.outcome(state)

    def stones(self, state: Record) -> Iterator[tuple[str, int, int]]:
        names = self.board.cells
        for cell, player, kind in self.rules.stones(state):
            yield names[cell], player, kind

    def captured(self, before: Record, after: Record) -> tuple[str, ...]:
        names = self.board.cells
        return tuple(names[cell] for cell in self.rules.captured(before, after))

    def scores(self, state: Record) -> tuple[Any, Any]:
        return self.rules.scores(self.board, state)

    def marks(self, state: Record) -> Mapping[str, str]:
        names = self.board.cells
        return {names[cell]: word for cell, word in self.rules.marks(self.record, state).items()}

    def ko(self, state: Record) -> str | None:
        cell = self.rules.ko(state)
        return None if cell is None else self.board.cells[cell]

    def final_scores(self, state: Record) -> tuple[Bounds, Bounds] | None:
        return self.rules.final_scores(self.record, self.copy_of(state))

    def early_end(self, state: Record) -> EarlyEnd | None:
        return self.rules.early_end(self.record, self.copy_of(state))

    def shown_board(self, state: Record) -> Board:
        del state
        return self.board

    def room(self, state: Record) -> int:
        return len(self.board.cells) - sum(1 for _ in self.rules.stones(state))

    def choices(self, before: Record, chosen: Sequence[str]) -> Choices:
        return choices_after(self, before, chosen)
