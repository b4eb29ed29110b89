"""What Python has to know of a game beyond its kernel: notation, reasons, and what to show."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from engine.boards.grid import Board
from engine.games.encoding import NOTHING_SHOWN, Encoding
from engine.games.refusal import Refusal
from engine.kernel.generic import Record


class GameRules(ABC):
    """One game's rules for Python.

    A board record and a state record, as in `engine.kernel.generic`, hold the facts; nothing is
    kept here. Turn strings are in canonical form: lower case, no blanks. What is not abstract is
    as most games have it: one kind of stones, a placement code a cell, no captures, and a state
    with `n_cells` and the player on each cell in `cells`.
    """

    state_dtype: np.dtype[Any]
    encoding: Encoding = NOTHING_SHOWN

    @abstractmethod
    def board(self, name: str) -> Board:
        """The board of that name; UnknownGame if this game is not played on it."""

    @abstractmethod
    def board_record(self, board: Board, rule_set: str, options: Mapping[str, int | str]) -> Record:
        """The board, the rule set and all options as the kernel reads them."""

    def default_options(self, board: Board) -> Mapping[str, int | str]:  # noqa: ARG002
        """What each option is on this board for those who do not choose."""
        return {}

    def canonical(self, turn: str) -> str:
        """The form in which a turn string, lower case and without blanks, is kept."""
        return turn

    def step_names(self, board: Board) -> tuple[str, ...]:
        """The notation of each placement code."""
        return board.cells

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

    def stones(self, state: Record) -> Iterable[tuple[int, int, int]]:
        """Cell, player and kind of each stone, in canonical order of the cells."""
        return [(cell, player, 1) for cell, player in enumerate(cells_of(state)) if player]

    def captured(self, before: Record, after: Record) -> list[int]:  # noqa: ARG002
        """The cells whose stones the turn between the two positions took, in canonical order."""
        return []

    @abstractmethod
    def scores(self, board: Board, state: Record) -> tuple[Any, Any]:
        """Each player's score as the position stands."""

    def marks(self, record: Record, state: Record) -> Mapping[int, str]:  # noqa: ARG002
        """Words for stones that need one, by cell, in canonical order."""
        return {}


def cells_of(state: Record) -> list[int]:
    """What is on each cell of the board; records have room for the largest."""
    cells: list[int] = state["cells"][: state["n_cells"]].tolist()
    return cells
