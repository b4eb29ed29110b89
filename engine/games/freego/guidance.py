"""Heuristics for Free Go: groups that one stone captures or saves, eyes, and points without room.

A group with one liberty can be captured. So a guided player first captures such groups next to the
last two stones, then saves their own, and avoids own eyes and stones without room.
"""

from typing import Final

from engine.games.freego.evaluation import expectation
from engine.games.freego.kernel import may_place, play_at, random_cell
from engine.games.freego.state import STATE_DTYPE
from engine.games.groups import find
from engine.games.liberties import MANY, NO_CELL, liberties
from engine.kernel import generic as kernel
from engine.kernel.bits import int64, random_below
from engine.kernel.generic import Array, Record, implements, jitable

DRAWS: Final = 6
"""The number of draws before a playout accepts a bad point."""
GUIDED_TURNS: Final = 10
"""The number of guided turns at the start of a playout. They settle the current fights."""
PLAIN: Final = 5
"""One of PLAIN guided stones, on average, ignores groups that can be captured."""
MOST_PROMISING: Final = 60
"""The upper bound on the prior of a placement."""


@jitable
def room(board: Record, state: Record, cell: int, player: int) -> int:
    """Return about how many liberties a stone on an empty point would have, at most MANY.

    The result is -1 for an own eye, a point with neither an empty nor an enemy neighbour. An enemy
    group that the stone captures gives room.
    """
    friends = enemies = prey = 0
    for k in range(int64(board.degree[cell])):
        other = int64(board.neighbours[cell, k])
        there = int64(state.cells[other])
        if there == 0:
            continue
        count, _, _ = liberties(board, state, find(state, other))
        if there == player:
            friends += count - 1
        else:
            enemies += 1
            if count == 1:
                prey += int64(state.size[find(state, other)])
    empty = int64(state.free[cell])
    if empty == 0 and enemies == 0:
        return -1
    return min(empty + friends + prey, MANY)


@jitable
def urgent_cell(board: Record, state: Record, rng: Array) -> int:
    """Return a point that captures or saves the largest group next to the last two stones.

    The result is NO_CELL if there is none, and at random for one of PLAIN calls.
    """
    if random_below(rng, PLAIN) == 0:
        return NO_CELL
    best, found = 0, NO_CELL
    for side in range(2):
        cell = state.placed[side]
        if cell < 0:
            continue
        for k in range(-1, int64(board.degree[cell])):
            other = cell if k < 0 else int64(board.neighbours[cell, k])
            there = int64(state.cells[other])
            if there == 0 or state.free[other] >= MANY:
                continue
            root = find(state, other)
            count, liberty, _ = liberties(board, state, root)
            if count != 1 or not may_place(state, liberty):
                continue
            size = 2 * int64(state.size[root]) + int64(there != state.player)
            if size <= best or (
                there == state.player and room(board, state, liberty, there) < MANY - 1
            ):
                continue
            best, found = size, liberty
    return found


@jitable
def guided_cell(board: Record, state: Record, rng: Array) -> int:
    """Return an urgent point, else a random one with room, else any."""
    cell = urgent_cell(board, state, rng)
    if cell >= 0:
        return cell
    for _ in range(DRAWS):
        cell = random_cell(state, rng)
        if state.free[cell] >= MANY - 1 or room(board, state, cell, state.player) >= MANY - 1:
            return cell
    return cell


@implements(kernel.guided_playout, STATE_DTYPE)
def guided_playout(board: Record, state: Record, rng: Array) -> int:
    last = state.turn + GUIDED_TURNS
    while not state.over and state.turn < last:
        play_at(board, state, guided_cell(board, state, rng))
    if state.over:
        return kernel.result_of(kernel.outcome(board, state))
    return expectation(board, state)


@jitable
def promise(board: Record, state: Record, cell: int) -> int:
    """Return the prior of a placement, from groups that it captures, threatens or saves."""
    player = state.player
    space = room(board, state, cell, player)
    prey = near = saved = 0
    for k in range(int64(board.degree[cell])):
        other = int64(board.neighbours[cell, k])
        there = int64(state.cells[other])
        if there == 0:
            continue
        if other == state.placed[2 - player]:
            near = 14
        root = find(state, other)
        count, _, _ = liberties(board, state, root)
        size = min(int64(state.size[root]), 4)
        if there != player:
            if count == 1:
                prey = max(prey, 20 + 10 * size)
            elif count == 2:
                prey = max(prey, 4 * size)
        elif count == 1 and space >= MANY - 1:
            saved = 12 + 6 * size
        elif count == 2 and space == MANY:
            saved = max(saved, 8)
    crowded = 50 if space < 0 else 24 if space < 2 else 0
    edge = 8 * (4 - int64(board.degree[cell]))
    return max(min(prey + near + saved - crowded - edge, MOST_PROMISING), -100)


@implements(kernel.priors, STATE_DTYPE)
def priors(board: Record, state: Record, steps: Array, count: int, out: Array) -> None:
    for i in range(count):
        out[i] = promise(board, state, int64(steps[i])) if steps[i] >= 0 else 0


@implements(kernel.revised_priors, STATE_DTYPE)
def revised_priors(board: Record, state: Record, steps: Array, count: int, out: Array) -> None:
    pass


@implements(kernel.features, STATE_DTYPE)
def features(board: Record, state: Record, codes: Array, numbers: Array) -> int:  # noqa: ARG001
    return 0
