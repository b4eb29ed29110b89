"""The board record and the state record of Free Go.

One compilation serves every board up to `square-19`.
"""

from typing import Final

import numpy as np

from engine.boards.grid import Board
from engine.games.freego.shapes import N_CODES, ORDER, OUTSIDE, good_shapes
from engine.kernel.generic import Record
from engine.kernel.uncompiled import record_dtype

MAX_CELLS: Final = 368
"""19 × 19, and seven more so that records have no gaps, which copies would leave undefined."""

BOARD_DTYPE: Final = record_dtype(
    [
        ("n_steps", np.int64),
        ("n_cells", np.int64),
        ("captures", np.int64),  # stones to capture to win
        ("degree", np.uint8, (MAX_CELLS,)),
        ("neighbours", np.uint16, (MAX_CELLS, 4)),
        ("around", np.int16, (MAX_CELLS, 8)),  # in the order of the shapes; -1 beyond the edge
        ("blank_code", np.uint16, (MAX_CELLS,)),  # the codes of an empty board
        ("shapes", np.uint8, (2, N_CODES // 8)),  # `shapes.good_shapes` of each player
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
        ("captured", np.int64, (2,)),  # stones of the other player that are off the board
        ("ko", np.int64),  # the point where the next stone may not be placed, or -1
        ("placed", np.int64, (2,)),  # where each player's last stone was placed, or -1
        ("n_cells", np.int64),
        # The fields of engine.games.groups.
        ("n_empty", np.int64),
        ("empty", np.uint16, (MAX_CELLS,)),
        ("empty_at", np.uint16, (MAX_CELLS,)),
        ("cells", np.uint8, (MAX_CELLS,)),  # 0 empty | 1 | 2
        ("free", np.uint8, (MAX_CELLS,)),
        ("parent", np.uint16, (MAX_CELLS,)),
        ("after", np.uint16, (MAX_CELLS,)),
        ("size", np.uint16, (MAX_CELLS,)),
        ("contacts", np.int16, (MAX_CELLS,)),
        ("code", np.uint16, (MAX_CELLS,)),  # what is around each point, as `shapes` has it
        # Working memory, not part of the position. `played` holds the player who first placed a
        # stone on each point since the record was initialised or copied.
        ("played", np.int8, (MAX_CELLS,)),
        ("fenced", np.uint16, (MAX_CELLS,)),
    ]
)


def board_record(board: Board, *, captures: int) -> Record:
    """Return the board record of `board` for the kernel."""
    record = np.zeros(1, BOARD_DTYPE)[0]
    record["n_steps"] = record["n_cells"] = len(board.cells)
    record["captures"] = captures
    for cell, around in enumerate(board.adjacency):
        record["degree"][cell] = len(around)
        record["neighbours"][cell, : len(around)] = around
        row, column = divmod(cell, board.size)
        for place, (down, right) in enumerate(ORDER):
            y, x = row + down - 1, column + right - 1
            is_inside = 0 <= y < board.size and 0 <= x < board.size
            record["around"][cell, place] = y * board.size + x if is_inside else -1
            record["blank_code"][cell] |= 0 if is_inside else OUTSIDE << (2 * place)
    for player in (1, 2):
        record["shapes"][player - 1] = good_shapes(player)
    return record
