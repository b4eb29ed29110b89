"""The board record and the state record of Bluestone.

The capacities are 400 cells and 64 blue stones, so that one compilation serves every board up to
`pent-13`, `limping-11` and `hexhex-11`. The kernel accesses only the part of an array that the
board uses.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.boards.grid import Board
from engine.kernel.generic import Record
from engine.kernel.uncompiled import record_dtype

MAX_CELLS: Final = 400
MAX_BLUE: Final = 64
ABSENT: Final = 0xFFFF
"""In `open_at`: the cell is not in the list."""

BOARD_DTYPE: Final = record_dtype(
    [
        ("n_steps", np.int64),
        ("n_cells", np.int64),
        ("abstractplay", np.int64),  # 1: that rule set, 0: the official one
        ("degree", np.uint8, (MAX_CELLS,)),
        ("at_edge", np.uint8, (MAX_CELLS,)),
        ("neighbours", np.uint16, (MAX_CELLS, 6)),  # in rotational order
        ("reverse", np.uint8, (MAX_CELLS, 6)),  # which neighbour of that neighbour this cell is
        ("blue", np.uint64, (MAX_CELLS,)),  # bit set of the blue stones that the cell touches
        ("runs", np.uint8, (7, 64)),  # [degree, neighbour mask]: cyclic runs of ones
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
        ("n_empty", np.int64),
        # The lengths of the lists `open`: the cells on which a player may place a first stone,
        # unordered. `open_at` has each cell's index in the list.
        ("n_open", np.int64, (2,)),
        # The length of the part of the mover's list that the second stone may use. Under
        # `abstractplay` the cells that the first stone opens come after it.
        ("second_open", np.int64),
        ("cells", np.uint8, (MAX_CELLS,)),  # 0 empty | 1 | 2
        ("links", np.uint8, (2, MAX_CELLS)),  # mask of the neighbours that hold the player's stones
        ("open", np.uint16, (2, MAX_CELLS)),
        ("open_at", np.uint16, (2, MAX_CELLS)),
        # Chains of stones as a union-find forest; the root holds the chain's data.
        ("parent", np.uint16, (MAX_CELLS,)),
        ("chain_edge", np.uint8, (MAX_CELLS,)),
        ("chain_blue", np.uint64, (MAX_CELLS,)),
        # Working memory, not part of the position.
        ("mark", np.int64),
        ("marks", np.int64, (MAX_CELLS,)),
        ("region", np.uint16, (MAX_CELLS,)),
        ("stack", np.uint16, (MAX_CELLS,)),
        ("tally", np.int64, (MAX_BLUE + 1,)),
    ]
)


def board_record(board: Board, *, abstractplay: bool) -> Record:
    """Return the board record of `board` for the kernel."""
    records = np.zeros(1, BOARD_DTYPE)
    record = records[0]
    record["n_steps"] = record["n_cells"] = len(board.cells)
    record["abstractplay"] = abstractplay
    record["runs"] = _run_table()
    for cell, around in enumerate(board.adjacency):
        record["degree"][cell] = len(around)
        record["neighbours"][cell, : len(around)] = around
        record["reverse"][cell, : len(around)] = [
            board.adjacency[other].index(cell) for other in around
        ]
    for cell in board.perimeter:
        record["at_edge"][cell] = 1
    for number, stone in enumerate(board.blue_stones):
        for cell in stone.touches:
            record["blue"][cell] |= np.uint64(1 << number)
    return record


def _run_table() -> NDArray[np.uint8]:
    """Return the number of cyclic runs of ones in each mask, by degree and mask."""
    table = np.zeros((7, 64), np.uint8)
    for degree in range(1, 7):
        for mask in range(1 << degree):
            turned = (mask << 1 | mask >> (degree - 1)) & ((1 << degree) - 1)
            table[degree, mask] = (mask & ~turned).bit_count()
    return table
