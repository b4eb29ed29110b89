"""Free Go's notation, its reasons for refusing a turn, and its scores."""

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from engine.boards.grid import Board
from engine.boards.square import square_board
from engine.errors import Refusal
from engine.games.freego import guidance, kernel  # noqa: F401  (registers the kernel)
from engine.games.freego.state import STATE_DTYPE, board_record
from engine.games.rules import BoardRules
from engine.kernel.generic import Record
from engine.notation import PASS_TEXT

CAPTURES_A_SIDE: Final = 2
"""The default number of captures to win, per point of the board's side."""


class FreeGoRules(BoardRules):
    """Free Go. It has one rule set."""

    state_dtype = STATE_DTYPE

    def board(self, name: str) -> Board:
        return square_board(name)

    def default_options(self, board: Board) -> Mapping[str, int | str]:
        return {"captures": CAPTURES_A_SIDE * board.size}

    def board_record(self, board: Board, rule_set: str, options: Mapping[str, int | str]) -> Record:
        del rule_set
        return board_record(board, captures=int(options["captures"]))

    def parse(self, board: Board, turn: str) -> tuple[int, ...] | Refusal:
        if turn == PASS_TEXT:
            return Refusal("malformed", "there is no pass in Free Go: place a stone")
        parts = turn.split(",")
        if len(parts) > 2 or "" in parts:
            return Refusal("malformed", "a turn is one stone: the letter and number of a point")
        for part in parts:
            if part not in board:
                reason = f"there is no point {part[:20]!r} on {board.name}"
                return Refusal("unknown-cell", reason, part[:20])
        return tuple(board.index(part) for part in parts)

    def why_illegal(
        self, board: Board, record: Record, before: Record, now: Record, steps: Sequence[int]
    ) -> Refusal:
        del record, now
        if before["over"]:
            return Refusal("game-over", "the game is over")
        where = board.cells[steps[-1]]
        if before["cells"][steps[-1]]:
            return Refusal("occupied", f"{where} is not empty", where)
        if len(steps) == 2:
            return Refusal("one-stone", "a turn is one stone", where)
        would = f"a stone on {where} would capture the stone that has just captured yours"
        return Refusal("ko", f"the ko rule: {would}; place a stone elsewhere first", where)

    def captured(self, before: Record, after: Record) -> list[int]:
        taken = (before["cells"] != 0) & (after["cells"] == 0)
        cells: list[int] = np.flatnonzero(taken).tolist()
        placed = int(after["placed"][before["player"] - 1])
        is_suicide = after["turn"] > before["turn"] and after["cells"][placed] == 0
        return sorted([*cells, placed]) if is_suicide else cells

    def scores(self, board: Board, state: Record) -> tuple[int, int]:
        del board
        one, two = state["captured"]
        return int(one), int(two)

    def ko(self, state: Record) -> int | None:
        cell = int(state["ko"])
        return None if cell < 0 or kernel.may_place(state, cell) else cell


RULES: Final = FreeGoRules()
