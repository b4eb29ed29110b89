"""The board record and the state record of Blooms.

A stone's *colour* is 1 or 2 for player 1 and 3 or 4 for player 2; 0 is an empty cell. One
compilation serves every board up to `hexhex-10`. The kernel accesses only the part of an array that
the board uses.
"""

from typing import Final

import numpy as np

from engine.boards.grid import Board
from engine.kernel.generic import Record
from engine.kernel.uncompiled import record_dtype

MAX_CELLS: Final = 272

BOARD_DTYPE: Final = record_dtype(
    [
        ("n_steps", np.int64),
        ("n_cells", np.int64),
        ("captures", np.int64),  # stones to capture to win
        ("handicap_1", np.int64),  # captures that player 1 has from the start
        ("handicap_2", np.int64),
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
        # The cells of the stones of each player's last turn, -1 for none. New captures and threats
        # are possible only near them.
        ("placed", np.int64, (2, 2)),
        ("n_empty", np.int64),
        ("empty", np.uint16, (MAX_CELLS,)),  # unordered list; `empty_at` has indices
        ("empty_at", np.uint16, (MAX_CELLS,)),
        ("cells", np.uint8, (MAX_CELLS,)),
        ("free", np.uint8, (MAX_CELLS,)),  # how many neighbours of each cell are empty
        # Blooms as a union-find forest. The root holds the size and the number of contacts,
        # adjacent pairs of a stone and an empty cell. `after` links a bloom's stones in a ring.
        ("parent", np.uint16, (MAX_CELLS,)),
        ("after", np.uint16, (MAX_CELLS,)),
        ("size", np.uint16, (MAX_CELLS,)),
        ("contacts", np.int16, (MAX_CELLS,)),
        # Working memory, not part of the position. `played` holds the player who first made each
        # placement since the record was initialised or copied.
        ("played", np.int8, (2 * MAX_CELLS,)),
        ("fenced", np.uint16, (MAX_CELLS,)),
    ]
)


def board_record(board: Board, *, captures: int, handicap: tuple[int, int] = (0, 0)) -> Record:
    """Return the board record of `board` for the kernel."""
    record = np.zeros(1, BOARD_DTYPE)[0]
    record["n_cells"] = len(board.cells)
    record["n_steps"] = 2 * len(board.cells)
    record["captures"] = captures
    record["handicap_1"], record["handicap_2"] = handicap
    for cell, around in enumerate(board.adjacency):
        record["degree"][cell] = len(around)
        record["neighbours"][cell, : len(around)] = around
    return record
