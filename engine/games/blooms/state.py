"""The records of Blooms: what the kernel knows of a board, and a position.

A stone's *colour* is 1 or 2 for player 1 and 3 or 4 for player 2; 0 is an empty cell. One
compilation serves every board up to `hexhex-10`. Only the part of the arrays that a board uses is
ever touched.
"""

from typing import Final

import numpy as np
from numba import from_dtype

from engine.boards.grid import Board
from engine.kernel.generic import Record
from engine.kernel.uncompiled import record_dtype

MAX_CELLS: Final = 272

BOARD_DTYPE: Final = record_dtype(
    [
        ("n_steps", np.int64),
        ("n_cells", np.int64),
        ("captures", np.int64),  # stones to capture to win
        ("degree", np.uint8, (MAX_CELLS,)),
        ("neighbours", np.uint16, (MAX_CELLS, 6)),
    ]
)

STATE_DTYPE: Final = record_dtype(
    [
        ("player", np.int64),
        ("step", np.int64),
        ("first", np.int64),
        ("turn", np.int64),
        ("passes", np.int64),
        ("over", np.int64),
        ("n_cells", np.int64),
        ("captured", np.int64, (2,)),  # stones that each player has captured
        # The cells that each player's last turn placed on, -1 for none: only near them can anything
        # have changed that a player has not seen to.
        ("placed", np.int64, (2, 2)),
        ("n_empty", np.int64),
        ("empty", np.uint16, (MAX_CELLS,)),  # a list without order, and each cell's place in it
        ("empty_at", np.uint16, (MAX_CELLS,)),
        ("cells", np.uint8, (MAX_CELLS,)),
        ("free", np.uint8, (MAX_CELLS,)),  # how many neighbours of each cell are empty
        # Blooms as a union-find forest, whose roots keep the size and the number of pairs of a
        # stone and an empty cell that touch; `after` makes a ring of the stones of a bloom.
        ("parent", np.uint16, (MAX_CELLS,)),
        ("after", np.uint16, (MAX_CELLS,)),
        ("size", np.uint16, (MAX_CELLS,)),
        ("contacts", np.int16, (MAX_CELLS,)),
        # Working memory, no part of the position. `played`: who was the first to make each
        # placement since the record was copied or began.
        ("played", np.int8, (2 * MAX_CELLS,)),
        ("fenced", np.uint16, (MAX_CELLS,)),
    ]
)

STATE: Final = from_dtype(STATE_DTYPE)


def board_record(board: Board, *, captures: int) -> Record:
    """`board` as the kernel reads it."""
    record = np.zeros(1, BOARD_DTYPE)[0]
    record["n_cells"] = len(board.cells)
    record["n_steps"] = 2 * len(board.cells)
    record["captures"] = captures
    for cell, around in enumerate(board.adjacency):
        record["degree"][cell] = len(around)
        record["neighbours"][cell, : len(around)] = around
    return record
