"""Heuristics for Free Go: groups that one stone captures or saves, eyes, and points without room.

A group with one liberty can be captured. So a guided player first captures such groups next to the
last two stones, saves their own, answers the last stone with a good local shape, or places a random
stone that is neither in an own eye nor suicide. A playout ends when no such stone is left.
"""

from typing import Final

from engine.games.freego.kernel import may_place, play_at
from engine.games.freego.state import STATE_DTYPE
from engine.games.groups import find
from engine.games.liberties import MANY, NO_CELL, liberties
from engine.kernel import generic as kernel
from engine.kernel.bits import int64, random_below
from engine.kernel.generic import WIN, Array, Record, implements, jitable

DRAWS: Final = 4
"""The number of draws before a playout looks at all empty points."""
PLAIN: Final = 5
"""One of PLAIN guided stones, on average, ignores groups that can be captured."""
MOST_TOUCHES: Final = 4
"""The most stones that a point can touch. A group with more contacts has two liberties."""
SHAPE: Final = 18
"""What a good shape adds to the prior of a placement."""
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

    The result is NO_CELL without such a point, and at random in one of PLAIN calls.
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
            if there == 0 or state.free[other] > 1:
                continue
            root = find(state, other)
            if state.contacts[root] > MOST_TOUCHES:
                continue
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
def is_good_shape(board: Record, state: Record, cell: int) -> bool:
    """Return whether the points around an empty point are a shape where a stone is often good."""
    code = int64(state.code[cell])
    return bool(int64(board.shapes[state.player - 1, code >> 3]) >> (code & 7) & 1)


@jitable
def shape_cell(board: Record, state: Record, rng: Array) -> int:
    """Return a point of a good shape next to the enemy's last stone, or NO_CELL."""
    last = int64(state.placed[2 - state.player])
    if last < 0:
        return NO_CELL
    start = random_below(rng, 8)
    for turned in range(8):
        cell = int64(board.around[last, (start + turned) & 7])
        if cell < 0 or state.cells[cell] != 0 or not is_good_shape(board, state, cell):
            continue
        if may_place(state, cell) and room(board, state, cell, state.player) >= MANY - 1:
            return cell
    return NO_CELL


@jitable
def is_useful(board: Record, state: Record, cell: int) -> bool:
    """Return whether a stone on an empty point is neither in an own eye nor suicide."""
    if not may_place(state, cell):
        return False
    if state.free[cell] > 0:
        return True
    player, has_enemy, has_room = state.player, False, False
    for k in range(int64(board.degree[cell])):
        other = int64(board.neighbours[cell, k])
        root = find(state, other)
        # Neighbouring stones of one chain can touch the point more than once.
        touches = touches_of(board, state, cell, root)
        if state.cells[other] == player:
            has_room |= bool(state.contacts[root] > touches)
        else:
            has_enemy = True
            has_room |= bool(state.contacts[root] == touches)
    return has_enemy and has_room


@jitable
def touches_of(board: Record, state: Record, cell: int, root: int) -> int:
    """Return how many stones of a chain are next to a point."""
    count = 0
    for k in range(int64(board.degree[cell])):
        other = int64(board.neighbours[cell, k])
        count += int64(state.cells[other] != 0 and find(state, other) == root)
    return count


@jitable
def useful_cell(board: Record, state: Record, rng: Array) -> int:
    """Return a random useful point, or NO_CELL without one."""
    for _ in range(DRAWS):
        cell = int64(state.empty[random_below(rng, state.n_empty)])
        if is_useful(board, state, cell):
            return cell
    start = random_below(rng, state.n_empty)
    for i in range(state.n_empty):
        cell = int64(state.empty[(start + i) % state.n_empty])
        if is_useful(board, state, cell):
            return cell
    return NO_CELL


@jitable
def lead(board: Record, state: Record) -> int:
    """Return how many more turns player 1 can wait than player 2 when all useful points are taken.

    A player waits by filling an own eye, or by suicide, which costs a captured stone.
    """
    ahead = int64(state.captured[0] - state.captured[1])
    for i in range(state.n_empty):
        cell = int64(state.empty[i])
        player = int64(state.cells[int64(board.neighbours[cell, 0])])
        for k in range(1, int64(board.degree[cell])):
            if state.cells[int64(board.neighbours[cell, k])] != player:
                player = 0
        if player:
            ahead += 3 - 2 * player
    return ahead


@implements(kernel.guided_playout, STATE_DTYPE)
def guided_playout(board: Record, state: Record, rng: Array) -> int:
    waits = ahead = 0
    while not state.over and waits < 2:
        cell = urgent_cell(board, state, rng)
        if cell < 0:
            cell = shape_cell(board, state, rng)
        if cell < 0:
            cell = useful_cell(board, state, rng)
        if cell >= 0:
            waits = 0
            play_at(board, state, cell)
        else:
            waits += 1
            ahead += 2 * state.player - 3
            state.player = 3 - state.player
            state.ko = -1
    if not state.over:
        ahead += lead(board, state)
        if ahead == 0:
            ahead = 2 * state.player - 3
        return WIN if ahead > 0 else 0
    return kernel.result_of(kernel.outcome(board, state))


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
    shape = SHAPE if is_good_shape(board, state, cell) else 0
    crowded = 50 if space < 0 else 24 if space < 2 else 0
    edge = 8 * (4 - int64(board.degree[cell]))
    return max(min(prey + near + shape + saved - crowded - edge, MOST_PROMISING), -100)


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
