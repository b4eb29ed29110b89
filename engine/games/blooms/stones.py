"""Fenced blooms and their capture. A bloom is fenced when it has no contacts."""

from engine.games.groups import find, remove_group
from engine.kernel.bits import int64
from engine.kernel.generic import Record, jitable


@jitable
def player_of(colour: int) -> int:
    """Return the player, 1 or 2, who owns a colour; 0 for an empty cell."""
    return (colour + 1) // 2


@jitable
def note_if_fenced(state: Record, cell: int, player: int, count: int) -> int:
    """Add the bloom at `cell` to `state.fenced` if it is fenced and belongs to `player`.

    The list contains each bloom at most once.

    Returns:
        The new length of the list, whose old length is `count`.
    """
    if player_of(int64(state.cells[cell])) != player:
        return count
    root = find(state, cell)
    if state.contacts[root] != 0:
        return count
    for i in range(count):
        if state.fenced[i] == root:
            return count
    state.fenced[count] = root
    return count + 1


@jitable
def capture_fenced(board: Record, state: Record, player: int) -> int:
    """Remove all fenced blooms of `player` from the board and return the number of stones.

    A fenced bloom must touch or contain a stone of this turn or of the turn of `player` before it:
    blooms that were fenced earlier have been removed already.
    """
    count = 0
    for side in range(2):
        for i in range(2):
            cell = state.placed[side, i]
            if cell < 0:
                continue
            count = note_if_fenced(state, cell, player, count)
            for k in range(int64(board.degree[cell])):
                count = note_if_fenced(state, int64(board.neighbours[cell, k]), player, count)
    taken = 0
    for i in range(count):
        taken += remove_group(board, state, int64(state.fenced[i]))
    return taken
