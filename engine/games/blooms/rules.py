"""Blooms' notation, its reasons for refusing a turn, and its scores."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Final

import numpy as np

from engine.boards import grid
from engine.boards.grid import Board
from engine.errors import Refusal, UnknownGame
from engine.games.blooms import guidance, kernel  # noqa: F401  (registers the kernel)
from engine.games.blooms.features import ENCODING
from engine.games.blooms.state import STATE_DTYPE, board_record
from engine.games.rules import BoardRules, cells_of
from engine.kernel.generic import Record
from engine.notation import PASS_TEXT

SIZES: Final = range(4, 11)
CAPTURES_A_SIDE: Final = 5
"""The default number of captures to win, per cell of the board's side, as on Abstract Play."""

COLOURS: Final = ("first", "second")


@cache
def blooms_board(name: str) -> Board:
    """Return a hexagonal board without blue stones.

    Raises:
        UnknownGame: Blooms has no board of that name. `known` lists the names.
    """
    known = [f"hexhex-{size}" for size in SIZES]
    if name not in known:
        raise UnknownGame("board", name, known)
    return replace(grid.board(name), blue_stones=())


class BloomsRules(BoardRules):
    """Blooms. Both rule sets have the same rules."""

    state_dtype = STATE_DTYPE
    encoding = ENCODING

    def board(self, name: str) -> Board:
        return blooms_board(name)

    def default_options(self, board: Board) -> Mapping[str, int | str]:
        return {"captures": CAPTURES_A_SIDE * board.size, "handicap_1": 0, "handicap_2": 0}

    def board_record(self, board: Board, rule_set: str, options: Mapping[str, int | str]) -> Record:
        del rule_set
        handicap = int(options["handicap_1"]), int(options["handicap_2"])
        return board_record(board, captures=int(options["captures"]), handicap=handicap)

    def step_names(self, board: Board) -> tuple[str, ...]:
        return tuple(f"{kind}{cell}" for cell in board.cells for kind in (1, 2))

    def canonical(self, turn: str) -> str:
        return ",".join(sorted(turn.split(",")))

    def parse(self, board: Board, turn: str) -> tuple[int, ...] | Refusal:
        if turn == PASS_TEXT:
            return Refusal("malformed", "there is no pass in Blooms: place one stone or two")
        parts = turn.split(",")
        if len(parts) > 2 or any(part[:1] not in ("1", "2") for part in parts):
            reason = "a turn is one stone, or two with a comma between them, each the digit of"
            return Refusal("malformed", f"{reason} your colour, 1 or 2, and the cell: 1a1,2b2")
        for part in parts:
            if part[1:] not in board:
                reason = f"there is no cell {part[1:21]!r} on {board.name}"
                return Refusal("unknown-cell", reason, part[1:21])
        return tuple(2 * board.index(part[1:]) + int(part[0]) - 1 for part in parts)

    def why_illegal(
        self, board: Board, record: Record, before: Record, now: Record, steps: Sequence[int]
    ) -> Refusal:
        del record, now
        if before["over"]:
            return Refusal("game-over", "the game is over")
        cells = [step // 2 for step in steps]
        where = board.cells[cells[-1]]
        if before["cells"][cells[-1]]:
            return Refusal("occupied", f"{where} is not empty", where)
        if before["turn"] == 1:
            return Refusal("one-stone", "the first turn of the game is a single stone", where)
        if cells[0] == cells[1]:
            return Refusal("same-cell", f"both stones are on {where}", where)
        colour = COLOURS[steps[-1] % 2]
        reason = f"both stones are of your {colour} colour; two stones must be of different colours"
        return Refusal("same-colour", reason, where)

    def stones(self, state: Record) -> list[tuple[int, int, int]]:
        return [
            (cell, (colour - 1) // 2 + 1, (colour - 1) % 2 + 1)
            for cell, colour in enumerate(cells_of(state))
            if colour
        ]

    def captured(self, before: Record, after: Record) -> list[int]:
        taken = (before["cells"] != 0) & (after["cells"] == 0)
        cells: list[int] = np.flatnonzero(taken).tolist()
        return cells

    def scores(self, board: Board, state: Record) -> tuple[int, int]:
        del board
        one, two = state["captured"]
        return int(one), int(two)


RULES: Final = BloomsRules()
