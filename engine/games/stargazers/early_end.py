"""The early end of Stargazers in Ludii: the game stops when a test finds a player ahead for good.

This is part of the rule set `ludii`. Source: the game description in Ludii 1.3.13 (game 4097),
whose behaviour was measured by running it. The test is not sound: a few of these games would have
had another result. The names follow the description. A player's *life* is the set of cells through
which the player's stones may come to see a star. A cell is *blocked* for a player if it can no
longer be connected to the player's life. Blocked cells are remembered.
"""

from engine.games.stargazers.inspiration import is_inspired, opposite
from engine.kernel.bits import int64
from engine.kernel.generic import Record, jitable

_REACHED = 1
_BESIDE = 2


@jitable
def is_assured(board: Record, state: Record, cell: int, side: int) -> bool:
    """Return whether a stone of player `side` + 1 on an empty cell is inspired directly.

    It is if it sees a star, or a friendly stone that will still see one after the placement.
    """
    if state.gaze[cell]:
        return True
    for direction in range(6):
        friend = int64(state.seen[cell, direction])
        if friend < 0 or state.cells[friend] != side + 1 or not state.gaze[friend]:
            continue
        safe = int64(state.gaze[friend])
        if board.beside[cell] >> opposite(direction) & 1:
            safe &= ~(1 << opposite(direction))
        if safe:
            return True
    return False


@jitable
def reach_life(board: Record, state: Record, side: int) -> None:
    """Mark in `state.reached` the cells connected to the player's life.

    Connections run through empty cells and the player's stones.
    """
    depth = 0
    for cell in range(board.n_cells):
        state.reached[cell] = 0
    for cell in range(board.n_cells):
        if state.cells[cell] or not board.beside[cell]:
            continue
        for direction in range(6):
            across = int64(board.lines[cell, opposite(direction)])
            if not board.beside[cell] >> direction & 1 or across < 0:
                continue
            alive = cell if state.cells[across] == 0 else across
            if state.cells[across] in (0, side + 1) and not state.reached[alive]:
                state.reached[alive] = _REACHED
                state.stack[depth] = alive
                depth += 1
    while depth:
        depth -= 1
        cell = int64(state.stack[depth])
        for direction in range(6):
            other = int64(board.lines[cell, direction])
            if other >= 0 and not state.reached[other] and state.cells[other] in (0, side + 1):
                state.reached[other] = _REACHED
                state.stack[depth] = other
                depth += 1


@jitable
def touches(board: Record, state: Record, cell: int, player: int) -> bool:
    """Return whether a stone of `player` is next to `cell`."""
    for direction in range(6):
        other = int64(board.lines[cell, direction])
        if other >= 0 and state.cells[other] == player:
            return True
    return False


@jitable
def remember(board: Record, state: Record, side: int) -> None:
    """Record the cells that are blocked now for player `side` + 1.

    These are empty cells next to enemy stones, and the player's uninspired stones.
    """
    reach_life(board, state, side)
    for cell in range(board.n_cells):
        if state.blocked[side, cell] or state.reached[cell]:
            continue
        there = state.cells[cell]
        if (there == 0 and touches(board, state, cell, 2 - side)) or (
            there == side + 1 and not is_inspired(state, cell)
        ):
            state.blocked[side, cell] = 1


@jitable
def mark_permanent(board: Record, state: Record, side: int) -> None:
    """Mark in `state.reached` the player's stones that count as permanently alive, and the cells
    next to them.

    These stones are inspired and connected to an empty cell that is blocked for the enemy.
    """
    depth = 0
    for cell in range(board.n_cells):
        state.reached[cell] = 0
    for cell in range(board.n_cells):
        if state.cells[cell] != side + 1 or not is_inspired(state, cell):
            continue
        for direction in range(6):
            other = int64(board.lines[cell, direction])
            if (
                other >= 0
                and state.cells[other] == 0
                and state.blocked[1 - side, other]
                and state.reached[cell] != _REACHED
            ):
                state.reached[cell] = _REACHED
                state.stack[depth] = cell
                depth += 1
    while depth:
        depth -= 1
        cell = int64(state.stack[depth])
        for direction in range(6):
            other = int64(board.lines[cell, direction])
            if other < 0 or state.reached[other] == _REACHED:
                continue
            if state.cells[other] == side + 1 and is_inspired(state, other):
                state.reached[other] = _REACHED
                state.stack[depth] = other
                depth += 1
            else:
                state.reached[other] = _BESIDE


@jitable
def is_ahead_for_good(board: Record, state: Record, side: int) -> bool:
    """Return whether the player has fewer endangered stones and cells than the enemy has lost
    stones; write both numbers into `early` then.
    """
    lost = 0
    for cell in range(board.n_cells):
        if state.cells[cell] == 2 - side and state.blocked[1 - side, cell]:
            lost += 1
    if lost == 0:
        return False
    mark_permanent(board, state, side)
    endangered = 0
    for cell in range(board.n_cells):
        there = state.cells[cell]
        if state.reached[cell] or there == 2 - side:
            continue
        if there == side + 1 or not state.blocked[side, cell]:
            endangered += 1
    if endangered >= lost:
        return False
    state.early[0], state.early[1] = lost, endangered
    return True


@jitable
def early_winner(board: Record, state: Record, cell: int, side: int, assured: bool) -> int:
    """Return the winner, 1 or 2, if the stone just placed on `cell` ends the game early, else 0.

    `assured` is the result of `is_assured` before the placement.
    """
    if not assured:
        remember(board, state, side)
    remember(board, state, 1 - side)
    state.blocked[1 - side, cell] = 0
    for winner in range(2):
        if is_ahead_for_good(board, state, winner):
            return winner + 1
    return 0
