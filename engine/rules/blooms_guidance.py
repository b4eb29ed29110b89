"""What is known of good play in Blooms: whom two stones can capture, and where a stone is lost.

A bloom with one or two *liberties* (empty cells that it touches) can be captured in one turn. So a
player looks first for such blooms of the enemy, then for his own; and he keeps his stones out of
places where they have no room and out of his own eyes.
"""

from typing import Final

from engine.rules import kernel
from engine.rules.bits import int64, random_below
from engine.rules.blooms import can_continue, end_turn, place_step
from engine.rules.blooms_state import STATE
from engine.rules.blooms_stones import find, player_of
from engine.rules.kernel import STOP, Array, Record, compiled, implements

MANY: Final = 3
"""Liberties that no single turn can fill; more are not counted."""
MOST_CONTACTS: Final = 12
"""Two cells touch at most so many stones: a bloom with more contacts has many liberties."""
DRAWS: Final = 4
"""How often a playout draws another cell before it takes a bad one, or stops after one stone."""
NO_CELL: Final = -1


@compiled
def liberties(board: Record, state: Record, root: int) -> tuple[int, int, int]:
    """How many liberties a bloom has, up to MANY, and the first two of them."""
    if state.contacts[root] > MOST_CONTACTS:
        return MANY, NO_CELL, NO_CELL
    one = two = NO_CELL
    cell = root
    for _ in range(int64(state.size[root])):
        for k in range(int64(board.degree[cell])):
            other = int64(board.neighbours[cell, k])
            if state.cells[other] == 0 and other not in (one, two):
                if one < 0:
                    one = other
                elif two < 0:
                    two = other
                else:
                    return MANY, one, two
        cell = int64(state.after[cell])
    return (one >= 0) + (two >= 0), one, two


@compiled
def room(board: Record, state: Record, cell: int, colour: int) -> int:
    """About how many liberties a stone on an empty cell would have, up to MANY; -1 in an own eye.

    A cell with no empty neighbour and none of the enemy's is an own eye.
    """
    empty = friends = enemies = 0
    player = player_of(colour)
    for k in range(int64(board.degree[cell])):
        other = int64(board.neighbours[cell, k])
        there = int64(state.cells[other])
        if there == 0:
            empty += 1
        elif there == colour:
            count, _, _ = liberties(board, state, find(state, other))
            friends += count - 1
        elif player_of(there) != player:
            enemies += 1
    if empty == 0 and enemies == 0:
        return -1
    return min(empty + friends, MANY)


@compiled
def largest_in_reach(
    board: Record, state: Record, player: int, most: int
) -> tuple[int, int, int, int]:
    """The largest bloom of `player` near the last stones that has 1 to `most` liberties.

    Returns its size, 0 if there is none, its root, and its liberties.
    """
    size, found, one, two = 0, NO_CELL, NO_CELL, NO_CELL
    for side in range(2):
        for i in range(2):
            cell = state.placed[side, i]
            if cell < 0:
                continue
            for k in range(-1, int64(board.degree[cell])):
                other = cell if k < 0 else int64(board.neighbours[cell, k])
                if player_of(int64(state.cells[other])) != player:
                    continue
                root = find(state, other)
                if state.size[root] > size:
                    count, a, b = liberties(board, state, root)
                    if 1 <= count <= most:
                        size, found, one, two = int64(state.size[root]), root, a, b
    return size, found, one, two


@compiled
def random_kind(state: Record, rng: Array) -> int:
    """The kind, 0 or 1, of the next stone: free for the first of a turn."""
    if state.step == 0:
        return random_below(rng, 2)
    return int64(1 - (state.first & 1))


@compiled
def rescue(board: Record, state: Record, rng: Array) -> int:
    """A step that gives the player's largest bloom in danger room again, or -1."""
    size, root, one, two = largest_in_reach(board, state, state.player, MANY - 1)
    if size == 0:
        return NO_CELL
    colour = int64(state.cells[root])
    kind = (colour - 1) & 1
    if state.step == 1 and kind == (state.first & 1):
        return NO_CELL
    if two >= 0 and random_below(rng, 2) == 0:
        one, two = two, one
    if room(board, state, one, colour) == MANY:
        return 2 * one + kind
    if two >= 0 and room(board, state, two, colour) == MANY:
        return 2 * two + kind
    return NO_CELL


@compiled
def quiet_step(board: Record, state: Record, rng: Array) -> int:
    """A random step to a cell with room; STOP or, for a first stone, any step if none is found."""
    step = STOP
    for _ in range(DRAWS):
        kind = random_kind(state, rng)
        cell = int64(state.empty[random_below(rng, state.n_empty)])
        step = 2 * cell + kind
        if room(board, state, cell, 2 * state.player - 1 + kind) >= 2:
            return step
    return step if state.step == 0 else STOP


@compiled
def guided_step(board: Record, state: Record, rng: Array) -> int:
    """Capture if that is possible in what is left of the turn, else rescue, else play anywhere."""
    in_reach = 2 if state.step == 0 and state.turn > 1 else 1
    size, _, one, _ = largest_in_reach(board, state, 3 - state.player, in_reach)
    if size:
        return 2 * one + random_kind(state, rng)
    step = rescue(board, state, rng)
    return step if step >= 0 else quiet_step(board, state, rng)


@implements(kernel.guided_playout, STATE)
def guided_playout(board: Record, state: Record, rng: Array) -> int:
    while not state.over:
        if state.step == 0:
            place_step(board, state, guided_step(board, state, rng))
        if can_continue(state):
            step = guided_step(board, state, rng)
            if step >= 0:
                place_step(board, state, step)
        end_turn(board, state)
    return kernel.outcome(board, state)


@compiled
def promise(board: Record, state: Record, step: int) -> int:
    """What a placement seems worth: blooms in reach at that cell, on either side, and room."""
    cell, player = step >> 1, state.player
    colour = 2 * player - 1 + (step & 1)
    worth = 0
    for k in range(int64(board.degree[cell])):
        other = int64(board.neighbours[cell, k])
        there = int64(state.cells[other])
        if there == 0:
            continue
        root = find(state, other)
        count, _, _ = liberties(board, state, root)
        size = int64(state.size[root])
        if player_of(there) != player and (count == 1 or (count == 2 and state.step == 0)):
            worth = max(worth, min(40 + 15 * size, 100) if count == 1 else min(20 + 10 * size, 80))
        elif there == colour and count < MANY and room(board, state, cell, colour) == MANY:
            worth = max(worth, min(15 + 10 * size, 80))
    if worth == 0:
        space = room(board, state, cell, colour)
        if space < 2:
            return -60 if space < 1 else -30
    return worth


@implements(kernel.priors, STATE)
def priors(board: Record, state: Record, steps: Array, count: int, out: Array) -> None:
    for i in range(count):
        out[i] = promise(board, state, int64(steps[i])) if steps[i] >= 0 else 0
