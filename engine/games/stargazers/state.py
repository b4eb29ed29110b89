"""The board record and the state record of Stargazers.

One compilation serves all three boards. The kernel accesses only the part of an array that the
board uses.
"""

from typing import Final

import numpy as np

from engine.boards.stars import STAR, StarBoard
from engine.kernel.generic import Record
from engine.kernel.uncompiled import record_dtype

MAX_CELLS: Final = 112

BOARD_DTYPE: Final = record_dtype(
    [
        ("n_steps", np.int64),
        ("n_cells", np.int64),
        ("stones_a_turn", np.int64),  # 2, or 1 in the alternating protocol
        ("ludii", np.int64),  # 1: that rule set, 0: the official one
        ("lines", np.int16, (MAX_CELLS, 6)),  # the next cell in each direction, STAR or EDGE
        ("gaze", np.uint8, (MAX_CELLS,)),  # mask: stars seen across a gap on the empty board
        ("beside", np.uint8, (MAX_CELLS,)),  # mask: directions in which a star is next to it
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
        ("winner", np.int64),  # once the game is over
        ("n_empty", np.int64),
        ("n_stones", np.int64, (2,)),
        ("uninspired", np.int64, (2,)),  # how many stones of each player
        ("empty", np.int16, (MAX_CELLS,)),  # unordered list; `empty_at` has indices
        ("empty_at", np.int16, (MAX_CELLS,)),
        ("stones", np.int16, (2, MAX_CELLS)),  # each player's, in the order of placing
        ("cells", np.uint8, (MAX_CELLS,)),  # 0 empty | 1 | 2
        # The first object that each cell, empty or not, sees in each direction: a stone, STAR or
        # EDGE. `gaze` is the mask of the directions in which it is a star beyond a gap.
        ("seen", np.int16, (MAX_CELLS, 6)),
        ("gaze", np.uint8, (MAX_CELLS,)),
        # Stones of one player that see each other, directly or through others, share a label.
        # `views` counts, by label, how often its stones see a star.
        ("label", np.int16, (MAX_CELLS,)),
        ("views", np.int16, (MAX_CELLS,)),
        ("blocked", np.uint8, (2, MAX_CELLS)),  # rule set `ludii`: see `early_end`
        ("early", np.int64, (2,)),  # if the game ended early: the two numbers, else zeros
        # Working memory, not part of the position.
        ("stack", np.int16, (MAX_CELLS,)),
        ("reached", np.uint8, (MAX_CELLS,)),
        ("worths", np.int16, (MAX_CELLS,)),
        # The same for `bounds`; by player where there are two.
        ("open", np.uint8, (2, MAX_CELLS)),
        ("kept", np.uint8, (MAX_CELLS,)),
        ("exposed", np.int64, (2,)),
        ("least", np.int64, (2,)),
        ("most", np.int64, (2,)),
    ]
)


def board_record(shape: StarBoard, *, stones_a_turn: int, ludii: bool) -> Record:
    """Return the board record of a board for the kernel."""
    record = np.zeros(1, BOARD_DTYPE)[0]
    record["n_steps"] = record["n_cells"] = len(shape.lines)
    record["stones_a_turn"] = stones_a_turn
    record["ludii"] = ludii
    for cell, line in enumerate(shape.lines):
        record["lines"][cell] = line
        for direction, following in enumerate(line):
            if following == STAR:
                record["beside"][cell] |= 1 << direction
            elif _sees_star(shape, following, direction):
                record["gaze"][cell] |= 1 << direction
    return record


def _sees_star(shape: StarBoard, cell: int, direction: int) -> bool:
    """Return whether a line through `cell` in a direction ends at a star on the empty board."""
    while cell >= 0:
        cell = shape.lines[cell][direction]
    return cell == STAR
