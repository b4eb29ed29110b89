"""Heuristics for Stargazers: darken enemy stones, and keep your own eyes for last.

To *darken* a group means to end its last view of a star. A player's *eye* is a cell where the
player may place a stone and the enemy may not. It is a placement in reserve for the end of the
game, when the players run out of legal cells.
"""

from typing import Final

from engine.games.stargazers.inspiration import group_size, opposite
from engine.games.stargazers.kernel import draw_cell, end_stuck, place_stone, random_cell
from engine.games.stargazers.sight import may_place, views_ended
from engine.games.stargazers.state import STATE_DTYPE
from engine.kernel import generic as kernel
from engine.kernel.bits import count_ones, int64, random_below, uint64
from engine.kernel.generic import Array, Record, implements, jitable
from engine.kernel.scratch import scratch_record

DRAWS: Final = 3
"""The number of cells that a playout draws to choose the best of them."""
PLAIN: Final = 4
"""One of PLAIN stones of a playout, on average, is uniformly random.

Playouts that always play well mislead the search.
"""


@jitable
def is_opening(state: Record) -> bool:
    """Return whether so many cells are empty that guidance is no better than random play."""
    return bool(2 * state.n_empty > state.n_cells + 1)


@jitable
def outlook(board: Record, state: Record, cell: int, side: int) -> tuple[int, int, int, bool]:
    """Return the effects that a stone of player `side` + 1 on an empty cell would have.

    The effects of groups that lose several views at once are not counted: they are rare and
    expensive to find.

    Returns:
        - How often the stone ends the only view of a star of an enemy group.
        - How often it separates two enemy stones of which at least one sees no star.
        - How often it inspires an uninspired friendly stone.
        - Whether the cell is an eye: the enemy may not place there.
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
    """Return the heuristic value of a legal placement in a playout; higher is better."""
    darkened, parted, revived, is_eye = outlook(board, state, cell, side)
    worth = min(60 * darkened, 90) + 20 * parted + 12 * revived
    return worth - 30 * is_eye


@jitable
def darkening_cell(board: Record, state: Record, rng: Array) -> int:
    """Return a random legal cell that darkens the largest enemy group possible, or -1.

    A stone there takes the group's last view of a star. -1 means that no group can be darkened.
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
    """Return the most promising of a few random legal cells, or -1 if there is none.

    If `presses` is true, a cell that darkens an enemy group has priority.
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


@implements(kernel.guided_playout, STATE_DTYPE)
def guided_playout(board: Record, state: Record, rng: Array) -> int:
    """Play a guided playout, in which players press only if it starts early in the game.

    Early in the game few playouts with pressing suffice to find the player who is ahead. Late in
    the game such playouts overrate stones that are not the best ones.
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
    """Return the prior of a legal placement in the search tree.

    The prior adds up the stone's effects for its player and the effects that it denies to the
    enemy. The weights are proportional to a logit model of which stones won solved positions.
    """
    darkened, parted, revived, is_eye = outlook(board, state, cell, side)
    worth = 9 * min(darkened, 2) + 6 * parted + 8 * revived
    worth += 3 * count_ones(uint64(state.gaze[cell]))
    if is_eye:
        return worth - 7
    darkened, parted, revived, _ = outlook(board, state, cell, 1 - side)
    return worth + 3 * min(darkened, 2) + 3 * parted + 5 * revived


@implements(kernel.priors, STATE_DTYPE)
def priors(board: Record, state: Record, steps: Array, count: int, out: Array) -> None:
    for i in range(count):
        out[i] = hint(board, state, int64(steps[i]), state.player - 1)


@jitable
def room_left(board: Record, state: Record, side: int) -> int:
    """Return the total value of the empty cells for player `side` + 1.

    A cell counts by who may place there: the player alone, the enemy alone, or both.
    """
    worth = 0
    for i in range(state.n_empty):
        cell = int64(state.empty[i])
        own = may_place(board, state, cell, side)
        enemy = may_place(board, state, cell, 1 - side)
        worth += -3 if own and enemy else 4 if own else -9 if enemy else 0
    return worth


@implements(kernel.revised_priors, STATE_DTYPE)
def revised_priors(board: Record, state: Record, steps: Array, count: int, out: Array) -> None:
    """After the opening, try each stone and rate the legal cells that it leaves to both players.

    The prior is the difference from the mean of all steps, because a common offset of all priors
    misleads the search.
    """
    if is_opening(state):
        return
    side = state.player - 1
    then = scratch_record(state)
    total = 0
    for i in range(count):
        cell = int64(steps[i])
        darkened, _, revived, _ = outlook(board, state, cell, side)
        kernel.copy_state(then, state)
        place_stone(board, then, cell)
        worth = room_left(board, then, side) + 9 * revived + 3 * darkened
        state.worths[i] = worth
        total += worth
    mean = total / max(count, 1)
    for i in range(count):
        out[i] = max(-100, min(100, int64(state.worths[i] - mean)))
