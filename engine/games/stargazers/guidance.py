"""What is known of good play in Stargazers: darken enemy stones, and keep one's own eyes for last.

A player's *eye* is a cell where they may place and the enemy may not: a stone in hand for the time
when places run out.
"""

from typing import Final

import numpy as np

from engine.games.stargazers.inspiration import group_size, opposite
from engine.games.stargazers.kernel import draw_cell, end_stuck, place_stone, random_cell
from engine.games.stargazers.sight import may_place, views_ended
from engine.games.stargazers.state import STATE, STATE_DTYPE
from engine.kernel import generic as kernel
from engine.kernel.bits import count_ones, int64, random_below, uint64
from engine.kernel.generic import Array, Record, implements, jitable

DRAWS: Final = 3
"""How many cells a playout looks at before it takes the best of them."""
PLAIN: Final = 4
"""Every so many stones of a playout is placed without thought: always to play well misleads."""


@jitable
def is_opening(state: Record) -> bool:
    """Whether so much of the board is empty that guidance tells no more than chance does."""
    return bool(2 * state.n_empty > state.n_cells + 1)


@jitable
def outlook(board: Record, state: Record, cell: int, side: int) -> tuple[int, int, int, bool]:
    """What a stone of player `side` + 1 on an empty cell would do in the directions of the stones
    that it sees.

    How often it ends the only view of a star that an enemy group has, comes between two enemies of
    whom one sees no star, and inspires an uninspired friend; and whether the enemy may not place
    there. Not counted are groups that lose several views at once: rare, and dear to look for.
    """
    darkened, parted, revived = 0, 0, 0
    is_eye = state.gaze[cell] == 0
    for direction in range(6):
        stone = int64(state.seen[cell, direction])
        if stone < 0:
            continue
        label = int64(state.label[stone])
        views = int64(state.views[label])
        if state.cells[stone] == side + 1:
            revived += views == 0
            continue
        darkened += views == 1 and int64(state.gaze[stone]) >> opposite(direction) & 1
        if direction < 3:
            across = int64(state.seen[cell, direction + 3])
            if across >= 0 and state.cells[across] == state.cells[stone]:
                parted += state.gaze[stone] == 0 or state.gaze[across] == 0
        if is_eye and views > views_ended(board, state, cell, 1 - side, label):
            is_eye = False
    return darkened, parted, revived, is_eye


@jitable
def promise(board: Record, state: Record, cell: int, side: int) -> int:
    """How good a legal placement looks in a playout."""
    darkened, parted, revived, is_eye = outlook(board, state, cell, side)
    worth = min(60 * darkened, 90) + 20 * parted + 12 * revived
    return worth - 30 * is_eye


@jitable
def darkening_cell(board: Record, state: Record, rng: Array) -> int:
    """A random one of the legal cells that take the last view of a star from the largest enemy
    group that can lose it so, or -1 if there is none.
    """
    side, enemy = state.player - 1, 2 - state.player
    best, best_size, count = -1, 0, 0
    for i in range(state.n_stones[enemy]):
        stone = int64(state.stones[enemy, i])
        label = int64(state.label[stone])
        if state.gaze[stone] == 0 or state.views[label] > 1:
            continue
        size = group_size(state, label, enemy)
        if size < best_size:
            continue
        for direction in range(6):
            if not state.gaze[stone] >> direction & 1:
                continue
            cell = int64(board.lines[stone, direction])
            while cell >= 0:
                if may_place(board, state, cell, side):
                    count = count + 1 if size == best_size else 1
                    best_size = size
                    if random_below(rng, count) == 0:
                        best = cell
                cell = int64(board.lines[cell, direction])
    return best


@jitable
def guided_cell(board: Record, state: Record, rng: Array, presses: bool) -> int:
    """The most promising of a few random legal cells, or -1 if there is none; to one who `presses`,
    a cell that darkens comes before all others.
    """
    plain = random_below(rng, PLAIN) == 0
    if presses and not plain:
        best = darkening_cell(board, state, rng)
        if best >= 0:
            return best
    best, count = draw_cell(board, state, rng, state.n_empty)
    if best < 0 or plain:
        return best
    side = state.player - 1
    best_worth = promise(board, state, best, side)
    for _ in range(DRAWS - 1):
        cell, count = draw_cell(board, state, rng, count)
        if cell == best:
            continue
        worth = promise(board, state, cell, side)
        if worth > best_worth:
            best, best_worth = cell, worth
    return best


@implements(kernel.guided_playout, STATE)
def guided_playout(board: Record, state: Record, rng: Array) -> int:
    """Players press only in playouts that begin early: few of those then tell who is better off,
    but late in the game they make more of stones that are not the right ones.
    """
    presses = bool(3 * state.n_empty >= 2 * state.n_cells)
    while not state.over:
        if is_opening(state):
            cell = random_cell(board, state, rng)
        else:
            cell = guided_cell(board, state, rng, presses)
        if cell < 0:
            end_stuck(board, state)
        else:
            place_stone(board, state, cell)
    return kernel.result_of(state.winner)


@jitable
def hint(board: Record, state: Record, cell: int, side: int) -> int:
    """How good a legal placement looks in the tree at first sight.

    What a stone does for its player, and keeps the enemy from doing there, in proportion to a logit
    model of which stones won solved positions.
    """
    darkened, parted, revived, is_eye = outlook(board, state, cell, side)
    worth = 9 * min(darkened, 2) + 6 * parted + 8 * revived
    worth += 3 * count_ones(uint64(state.gaze[cell]))
    if is_eye:
        return worth - 7
    darkened, parted, revived, _ = outlook(board, state, cell, 1 - side)
    return worth + 3 * min(darkened, 2) + 3 * parted + 5 * revived


@implements(kernel.priors, STATE)
def priors(board: Record, state: Record, steps: Array, count: int, out: Array) -> None:
    for i in range(count):
        out[i] = hint(board, state, int64(steps[i]), state.player - 1)


@jitable
def room_left(board: Record, state: Record, side: int) -> int:
    """The worth of the cells that are open to player `side` + 1 alone, to the enemy alone, and to
    both.
    """
    worth = 0
    for i in range(state.n_empty):
        cell = int64(state.empty[i])
        own = may_place(board, state, cell, side)
        enemy = may_place(board, state, cell, 1 - side)
        worth += -3 if own and enemy else 4 if own else -9 if enemy else 0
    return worth


@implements(kernel.revised_priors, STATE, allocates=True)
def revised_priors(board: Record, state: Record, steps: Array, count: int, out: Array) -> None:
    """After the opening, by trying, what places a stone leaves to whom, compared with the mean of
    all: stones that promise more or less together mislead the search.
    """
    if is_opening(state):
        return
    side = state.player - 1
    then = np.empty(1, STATE_DTYPE)
    worths = np.empty(count, np.int64)
    total = 0
    for i in range(count):
        cell = int64(steps[i])
        darkened, _, revived, _ = outlook(board, state, cell, side)
        # Indexed anew each time: a record by itself does not keep its array from being freed.
        kernel.copy_state(then[0], state)
        place_stone(board, then[0], cell)
        worths[i] = room_left(board, then[0], side) + 9 * revived + 3 * darkened
        total += worths[i]
    mean = total / max(count, 1)
    for i in range(count):
        out[i] = max(-100, min(100, int64(worths[i] - mean)))
