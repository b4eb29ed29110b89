"""The board record and the state record of HeXO: a rhombus window of the unbounded grid.

A cell has axial coordinates q and r. The window has the cells with |q| <= 29 and |r| <= 29, and a
*code* is the index of a cell in the window's rows. An offset between the coordinates of a game and
those of the window is kept outside of the kernel.
"""

# The problem: the board has no edge, but records have a fixed size, and a code must mean the same
# cell in every position of a search.
#
# The idea: 59 rows of 64 codes, of which the last five are a *rim*. The rim ends every line, so
# loops along the three axes need no bounds tests: +1, +64 and +63 lead to the next cell, and the
# rim of one row is also what comes before the next. Five rows of rim come first, because a window
# of six cells may begin up to five rows above a cell.
#
# 1,110 games between bots spanned at most 39 cells. A window of 101 rows makes a copy of a state
# eight times as expensive (3.1 us instead of 0.4 us), and all-moves-as-first tables of the search
# three times as large.
#
# Rejected: a hash table of stones, where codes are assigned as cells appear. A code would mean
# different cells in different parts of a tree.

from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from engine.kernel.generic import Record
from engine.kernel.splitmix import random_words
from engine.kernel.uncompiled import record_dtype

RADIUS: Final = 29
"""The largest |q| and |r| in the window."""
SIDE: Final = 2 * RADIUS + 1
RIM: Final = 5
WIDTH: Final = SIDE + RIM
"""Codes a row."""
AREA: Final = (RIM + SIDE + 2) * WIDTH
"""Codes of the window with its rim; two rows below let cells have neighbours at distance 2."""
STRIDES: Final = (1, WIDTH, WIDTH - 1)
"""What leads to the next cell along each axis."""
LENGTH: Final = 6
"""Stones in a row that win."""
WINDOWS: Final = 3 * AREA
"""Numbers of *windows*, six cells in a row: `axis * AREA` and the lowest code of the six."""

OUTSIDE: Final = 3
"""In `cells`: a cell of the rim."""
BLOCKED: Final = 64
"""In `counts`: added for a window that has a cell of the rim."""
PLAYER_2: Final = 8
"""In `counts`: what a stone of player 2 adds; one of player 1 adds 1."""

GROUPS: Final = 4
"""Groups of live windows for each player, by the number of stones: 2, 3, 4, and 5 or more."""
LISTED: Final = 1024
"""Windows that the list of a group has room for."""
WORTHS: Final = (0, 1, 4, 12, 40, 60, 0)
"""What a live window adds to `balance`, by the number of stones."""
BUILDS: Final = (1, 3, 10, 28, 20, 20)
"""What a stone gains on a line that has only stones of the same player, by their number."""
BREAKS: Final = (0, 3, 8, 24, 30, 30)
"""What a stone gains on a line that has only stones of the other player, by their number."""

BOARD_DTYPE: Final = record_dtype(
    [
        ("n_steps", np.int64),
        ("n_cells", np.int64),
        ("cap", np.int64),  # turns after which the game is a draw, or 0
        ("strides", np.int64, (3,)),
        ("outside", np.uint8, (AREA,)),  # 1 in the rim
        ("blocked", np.uint8, (WINDOWS,)),  # 1 for a window that has a cell of the rim
        ("around", np.int64, (18,)),  # what leads to the cells within distance 2
        ("group", np.int8, (128,)),  # by the count of a window: player - 1 * GROUPS + group, or -1
        ("worth", np.int64, (128,)),  # by the count of a window: WORTHS, negative for player 2
        ("gain", np.int64, (2, 128)),  # by player and count of a window: what his stone there gains
        ("keys", np.uint64, (2, AREA)),  # of Zobrist hashing, by player and cell
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
        ("winner", np.int64),  # 0 while nobody has six in a row
        ("n_stones", np.int64),
        ("n_near", np.int64),
        ("unlisted", np.int64),  # windows for which a list had no room
        ("balance", np.int64),  # the sum of `worth` over all windows
        ("hash", np.uint64),
        ("n_listed", np.int64, (2 * GROUPS,)),
        ("cells", np.uint8, (AREA,)),  # 0 empty | 1 | 2 | OUTSIDE
        ("placed", np.int16, (AREA,)),  # the stones in order of placement
        # Empty cells within distance 2 of a stone, unordered; each cell's index in the list; and
        # for every cell the number of stones within distance 2.
        ("near", np.int16, (AREA,)),
        ("near_at", np.int16, (AREA,)),
        ("stones_near", np.uint8, (AREA,)),
        # The stones in each window, and lists of the windows that have two or more stones of one
        # player and none of the other; each listed window's index in its list, or -1 if the list
        # was full.
        ("counts", np.uint8, (WINDOWS,)),
        ("listed", np.int16, (2 * GROUPS, LISTED)),
        ("listed_at", np.int16, (WINDOWS,)),
        # Working memory, not part of the position.
        ("steps", np.int16, (AREA,)),
    ]
)


def code_of(q: int, r: int) -> int:
    """Return the code of a cell, which must be in the window."""
    if max(abs(q), abs(r)) > RADIUS:
        raise ValueError(f"({q}, {r}) is outside of the window")
    return (r + RADIUS + RIM) * WIDTH + q + RADIUS


def coordinates(code: int) -> tuple[int, int]:
    """Return the axial coordinates q and r of a code."""
    row, column = divmod(code, WIDTH)
    return column - RADIUS, row - RADIUS - RIM


def board_record(cap: int = 0) -> Record:
    """Return the board record for the kernel. After `cap` turns the game is a draw; 0 for none."""
    record = np.empty(1, BOARD_DTYPE)
    record[0] = _uncapped()
    record["cap"] = cap
    return record[0]


@cache  # it takes 20 ms, and strangers choose the cap
def _uncapped() -> Record:
    record = np.zeros(1, BOARD_DTYPE)[0]
    record["n_steps"] = record["n_cells"] = AREA
    record["strides"] = STRIDES
    outside = np.ones((AREA // WIDTH, WIDTH), np.uint8)
    outside[RIM : RIM + SIDE, :SIDE] = 0
    record["outside"] = outside.ravel()
    record["blocked"] = _blocked(outside.ravel())
    record["around"] = [dr * WIDTH + dq for dq, dr in within(2)]
    record["group"] = -1
    for count in range(1, LENGTH + 1):
        for player, stone in ((0, 1), (1, PLAYER_2)):
            if count >= 2:
                record["group"][count * stone] = player * GROUPS + min(count, 5) - 2
            record["worth"][count * stone] = WORTHS[count] * (1 - 2 * player)
    record["gain"] = _gains()
    record["keys"] = random_words(2 * AREA).reshape(2, AREA)
    return record


def _gains() -> NDArray[np.int64]:
    """Return what a stone in a window gains, by the player and the count before the stone."""
    gains = np.zeros((2, 128), np.int64)
    for own, enemy in ((0, 1), (1, 0)):
        mine, theirs = (1, PLAYER_2)[own], (1, PLAYER_2)[enemy]
        gains[own, 0] = BUILDS[0]
        for count in range(1, LENGTH):
            gains[own, count * mine] = BUILDS[count]
            gains[own, count * theirs] = BREAKS[count]
    return gains


def within(distance: int) -> list[tuple[int, int]]:
    """Return the differences of coordinates to the cells from distance 1 to `distance`."""
    reach = range(-distance, distance + 1)
    return [(q, r) for r in reach for q in reach if (q or r) and abs(q + r) <= distance]


def _blocked(outside: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return for each window whether one of its cells is in the rim or past the last row."""
    blocked = np.ones((3, AREA), np.uint8)
    for axis, stride in enumerate(STRIDES):
        for start in range(AREA - 5 * stride):
            blocked[axis, start] = outside[start : start + 5 * stride + 1 : stride].max()
    return blocked.ravel()
