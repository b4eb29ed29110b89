"""The interface of a game's rules in Python: notation, reasons for refusals, scores and marks.

`BoardRules` is for games on a fixed board, `UnboundedRules` for games on a board without an edge.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from engine.boards.grid import Board
from engine.errors import Refusal
from engine.games.early_end import EarlyEnd
from engine.games.encoding import NOTHING_SHOWN, Encoding
from engine.games.mechanics import Bounds, Mechanics
from engine.kernel.generic import Record


class GameRules(ABC):
    """What every game answers about its boards and its notation.

    An instance holds no state. Turn strings are in canonical form: lower case, no blanks.
    """

    state_dtype: np.dtype[Any]
    encoding: Encoding = NOTHING_SHOWN

    @abstractmethod
    def board(self, name: str) -> Board:
        """Return the board of a name.

        Raises:
            UnknownGame: The game has no board of that name.
        """

    @abstractmethod
    def board_record(self, board: Board, rule_set: str, options: Mapping[str, int | str]) -> Record:
        """Return the board record: the board, the rule set and all options for the kernel."""

    def default_options(self, board: Board) -> Mapping[str, int | str]:  # noqa: ARG002
        """Return the default of each option on a board."""
        return {}

    def canonical(self, turn: str) -> str:
        """Return the canonical form of a turn string in lower case without blanks."""
        return turn


class BoardRules(GameRules):
    """One game's rules on fixed boards.

    The board record and the state record hold everything, as in `engine.kernel.generic`. The
    methods that are not abstract suit a game with one kind of stones, one placement code per cell,
    no captures, and a state record with `n_cells` and, in `cells`, the player on each cell.
    """

    def step_names(self, board: Board) -> tuple[str, ...]:
        """Return the notation of each placement code."""
        return board.cells

    @abstractmethod
    def parse(self, board: Board, turn: str) -> tuple[int, ...] | Refusal:
        """Return the step codes of a turn string, or the reason why it is not valid notation."""

    @abstractmethod
    def why_illegal(
        self, board: Board, record: Record, before: Record, now: Record, steps: Sequence[int]
    ) -> Refusal:
        """Return the reason why the last of `steps` is illegal.

        Args:
            board: The board.
            record: The board record.
            before: The state at the start of the turn.
            now: The state in which the last step was tried. If all steps were legal, it is the
                state in the middle of a turn that lacks a second stone.
            steps: The codes of the turn, up to the step that was refused.
        """

    def stones(self, state: Record) -> Iterable[tuple[int, int, int]]:
        """Return cell, player and kind of each stone, in canonical order of the cells."""
        return [(cell, player, 1) for cell, player in enumerate(cells_of(state)) if player]

    def captured(self, before: Record, after: Record) -> list[int]:  # noqa: ARG002
        """Return the cells whose stones a turn captured, in canonical order.

        Args:
            before: The state before the turn.
            after: The state after the turn.
        """
        return []

    @abstractmethod
    def scores(self, board: Board, state: Record) -> tuple[Any, Any]:
        """Return the current scores of player 1 and player 2."""

    def marks(self, record: Record, state: Record) -> Mapping[int, str]:  # noqa: ARG002
        """Return a word for each stone that has a special state, by cell, in canonical order."""
        return {}

    def ko(self, state: Record) -> int | None:  # noqa: ARG002
        """Return the empty cell on which a ko rule allows no stone now; None without one."""
        return None

    def final_scores(self, record: Record, state: Record) -> tuple[Bounds, Bounds] | None:  # noqa: ARG002
        """Return what the final scores lie between. This may change working memory of `state`."""
        return None

    def early_end(self, record: Record, state: Record) -> EarlyEnd | None:  # noqa: ARG002
        """Return the early end, as `Mechanics` does. This may change working memory of `state`."""
        return None


class UnboundedRules(GameRules):
    """One game's rules on a board without an edge. The game has `Mechanics` of its own."""

    @abstractmethod
    def mechanics(self, options: Mapping[str, int | str], record: Record) -> Mechanics:
        """Return the mechanics with all options and the board record for the kernel."""


def cells_of(state: Record) -> list[int]:
    """Return the content of each cell of the board, without the unused end of the array."""
    cells: list[int] = state["cells"][: state["n_cells"]].tolist()
    return cells
