"""Stones on HeXO's window, with the counts of all lines that they are on, made and unmade.

A *window* is six cells in a row. It is *live* for a player if it has a stone of that player and
none of the other, and no cell of the rim. A live window with four or more stones can be completed
in one turn: it is a *threat*.
"""

from engine.games.hexo.state import (
    AREA,
    BLOCKED,
    GROUPS,
    LENGTH,
    LISTED,
    OUTSIDE,
    PLAYER_2,
    WINDOWS,
)
from engine.kernel.bits import int64, uint64
from engine.kernel.generic import Record, jitable

TWOS, THREES, FOURS, FIVES = 0, 1, 2, 3
"""The groups of live windows, by their stones; FIVES has those with six too."""


@jitable
def clear(board: Record, state: Record) -> None:
    """Take all stones off. Sets the fields that this module owns, whatever they were."""
    state.winner = 0
    state.n_stones = 0
    state.n_near = 0
    state.unlisted = 0
    state.balance = 0
    state.hash = uint64(0)
    for group in range(2 * GROUPS):
        state.n_listed[group] = 0
    for cell in range(AREA):
        state.cells[cell] = OUTSIDE * board.outside[cell]
        state.stones_near[cell] = 0
    for window in range(WINDOWS):
        state.counts[window] = BLOCKED * board.blocked[window]


@jitable
def place(board: Record, state: Record, cell: int, player: int) -> bool:
    """Place a stone on an empty cell; return whether it completes six in a row."""
    if state.stones_near[cell]:
        remove_near(state, cell)
    wins = place_on_lines(board, state, cell, player)
    for k in range(board.around.size):
        other = cell + board.around[k]
        state.stones_near[other] += 1
        if state.stones_near[other] == 1 and state.cells[other] == 0:
            add_near(state, other)
    return wins


@jitable
def unplace(board: Record, state: Record) -> None:
    """Take the last stone off."""
    cell = int64(state.placed[state.n_stones - 1])
    for k in range(board.around.size):
        other = cell + board.around[k]
        state.stones_near[other] -= 1
        if state.stones_near[other] == 0 and state.cells[other] == 0:
            remove_near(state, other)
    unplace_on_lines(board, state)
    if state.stones_near[cell]:
        add_near(state, cell)


@jitable
def place_on_lines(board: Record, state: Record, cell: int, player: int) -> bool:
    """Place a stone but leave the list `near` as it is; return whether it completes six.

    It takes about half of the time of `place`. `unplace_on_lines` must take the stone off again.
    """
    state.placed[state.n_stones] = cell
    state.n_stones += 1
    state.cells[cell] = player
    state.hash ^= board.keys[player - 1, cell]
    stone = int64(1) if player == 1 else int64(PLAYER_2)
    wins = False
    for axis in range(3):
        window = axis * AREA + cell
        for _ in range(LENGTH):
            count = int64(state.counts[window]) + stone
            set_count(board, state, window, count)
            wins |= count == LENGTH * stone
            window -= board.strides[axis]
    if wins:
        state.winner = player
    return wins


@jitable
def unplace_on_lines(board: Record, state: Record) -> None:
    """Take the last stone off, which `place_on_lines` placed."""
    state.n_stones -= 1
    cell = int64(state.placed[state.n_stones])
    player = int64(state.cells[cell])
    stone = int64(1) if player == 1 else int64(PLAYER_2)
    for axis in range(3):
        window = axis * AREA + cell
        for _ in range(LENGTH):
            set_count(board, state, window, int64(state.counts[window]) - stone)
            window -= board.strides[axis]
    state.hash ^= board.keys[player - 1, cell]
    state.cells[cell] = 0
    state.winner = 0


@jitable
def set_count(board: Record, state: Record, window: int, count: int) -> None:
    """Set the count of a window, and move the window to the list of its new group."""
    before = int64(state.counts[window])
    state.counts[window] = count
    state.balance += board.worth[count] - board.worth[before]
    old, new = int64(board.group[before]), int64(board.group[count])
    if old != new:
        if old >= 0:
            unlist(state, window, old)
        if new >= 0:
            enlist(state, window, new)


@jitable
def enlist(state: Record, window: int, group: int) -> None:
    count = state.n_listed[group]
    if count == LISTED:
        state.listed_at[window] = -1
        state.unlisted += 1
        return
    state.listed[group, count] = window
    state.listed_at[window] = count
    state.n_listed[group] = count + 1


@jitable
def unlist(state: Record, window: int, group: int) -> None:
    at = int64(state.listed_at[window])
    if at < 0:
        state.unlisted -= 1
        return
    end = state.n_listed[group] - 1
    last = int64(state.listed[group, end])
    state.listed[group, at] = last
    state.listed_at[last] = at
    state.n_listed[group] = end


@jitable
def add_near(state: Record, cell: int) -> None:
    state.near[state.n_near] = cell
    state.near_at[cell] = state.n_near
    state.n_near += 1


@jitable
def remove_near(state: Record, cell: int) -> None:
    at, end = int64(state.near_at[cell]), state.n_near - 1
    last = int64(state.near[end])
    state.near[at] = last
    state.near_at[last] = at
    state.n_near = end


@jitable
def n_threats(state: Record, player: int) -> int:
    """Return the number of live windows in which the player has four stones or more."""
    group = (player - 1) * GROUPS
    return int64(state.n_listed[group + FOURS] + state.n_listed[group + FIVES])


@jitable
def empty_cell(board: Record, state: Record, window: int, number: int) -> int:
    """Return an empty cell of a window: the first for `number` 0; -1 if it has no more."""
    stride = board.strides[window // AREA]
    cell = window % AREA
    for _ in range(LENGTH):
        if state.cells[cell] == 0:
            if number == 0:
                return int64(cell)
            number -= 1
        cell += stride
    return -1


@jitable
def copy_stones(dst: Record, src: Record) -> None:
    """Copy the fields that this module owns."""
    dst.winner = src.winner
    dst.n_stones = src.n_stones
    dst.n_near = src.n_near
    dst.unlisted = src.unlisted
    dst.balance = src.balance
    dst.hash = src.hash
    for cell in range(AREA):
        dst.cells[cell] = src.cells[cell]
        dst.stones_near[cell] = src.stones_near[cell]
    for window in range(WINDOWS):
        dst.counts[window] = src.counts[window]
    for i in range(src.n_stones):
        dst.placed[i] = src.placed[i]
    for i in range(src.n_near):
        cell = int64(src.near[i])
        dst.near[i] = cell
        dst.near_at[cell] = i
    copy_lists(dst, src)


@jitable
def copy_lists(dst: Record, src: Record) -> None:
    for group in range(2 * GROUPS):
        dst.n_listed[group] = src.n_listed[group]
        for i in range(src.n_listed[group]):
            window = int64(src.listed[group, i])
            dst.listed[group, i] = window
            dst.listed_at[window] = i
    if src.unlisted:
        for window in range(WINDOWS):
            dst.listed_at[window] = src.listed_at[window]
