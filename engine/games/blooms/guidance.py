"""Heuristics for Blooms: the blooms that two stones can capture, and the cells that lose a stone.

A bloom with one or two *liberties* (empty cells that it touches) can be captured in one turn. So a
guided player first captures such blooms of the enemy, then rescues their own. The player avoids
cells with few liberties and their own eyes.
"""

from typing import Final

from engine.games.blooms.evaluation import expectation
from engine.games.blooms.kernel import can_continue, end_turn, place_step, random_turn
from engine.games.blooms.state import STATE_DTYPE
from engine.games.blooms.stones import player_of
from engine.games.groups import find
from engine.games.liberties import MANY, NO_CELL, liberties
from engine.kernel import generic as kernel
from engine.kernel.bits import int64, random_below
from engine.kernel.generic import STOP, Array, Record, implements, jitable

DRAWS: Final = 4
"""The number of draws before a playout accepts a bad cell or stops after one stone."""
GUIDED_TURNS: Final = 4
"""The number of guided turns at the start of a playout. They settle the current fights."""
RANDOM_TURNS: Final = 4
"""The number of random turns after the guided ones, before the evaluation of the position.

They show which blooms are safe. With more random turns, chance hides the merits of the position.
"""
PLAIN: Final = 4
"""One of PLAIN stones of the guided turns, on average, ignores blooms that can be captured.

Playouts that always play well mislead the search.
"""
MOST_PROMISING: Final = 50
"""The upper bound on the prior of a placement."""


@jitable
def room(board: Record, state: Record, cell: int, colour: int) -> int:
    """Return about how many liberties a stone on an empty cell would have, at most MANY.

    The result is -1 for an own eye, a cell with neither an empty nor an enemy neighbour.
    """
    friends = enemies = 0
    player = player_of(colour)
    for k in range(int64(board.degree[cell])):
        other = int64(board.neighbours[cell, k])
        there = int64(state.cells[other])
        if there == colour:
            count, _, _ = liberties(board, state, find(state, other))
            friends += count - 1
        elif there and player_of(there) != player:
            enemies += 1
    empty = int64(state.free[cell])
    if empty == 0 and enemies == 0:
        return -1
    return min(empty + friends, MANY)


@jitable
def has_room(board: Record, state: Record, cell: int, colour: int) -> bool:
    """Return whether `room` is at least 2, without a full count."""
    return bool(state.free[cell] >= 2 or room(board, state, cell, colour) >= 2)


@jitable
def in_reach(board: Record, state: Record, most: int) -> tuple[int, int, int, int]:
    """Find the blooms that two stones can capture next to the stones of the last two turns.

    Returns:
        - The first liberty of the enemy's largest bloom with 1 to `most` liberties, or NO_CELL.
        - The colour of the mover's largest bloom with one or two liberties; 0 if there is none, or
          if a bloom of the enemy was found first.
        - The two liberties of that bloom, NO_CELL if there is none or only one.
    """
    prey_size, prey, own_size, colour, one, two = 0, NO_CELL, 0, 0, NO_CELL, NO_CELL
    for side in range(2):
        for i in range(2):
            cell = int64(state.placed[side, i])
            if cell < 0:
                continue
            for k in range(-1, int64(board.degree[cell])):
                other = cell if k < 0 else int64(board.neighbours[cell, k])
                there = int64(state.cells[other])
                if there == 0 or state.free[other] >= MANY:
                    continue
                root = find(state, other)
                size = int64(state.size[root])
                if player_of(there) != state.player:
                    if size > prey_size:
                        count, a, b = liberties(board, state, root)
                        if 1 <= count <= most:
                            prey_size, prey = size, a
                elif size > own_size and prey_size == 0:
                    count, a, b = liberties(board, state, root)
                    if 1 <= count < MANY:
                        own_size, colour, one, two = size, there, a, b
    return prey, colour, one, two


@jitable
def random_kind(state: Record, rng: Array) -> int:
    """Return the kind, 0 or 1, of the next stone; it is random for the first stone of a turn."""
    if state.step == 0:
        return random_below(rng, 2)
    return int64(1 - (state.first & 1))


@jitable
def rescue(board: Record, state: Record, colour: int, one: int, two: int, rng: Array) -> int:
    """Return a step that gives a bloom with these liberties MANY liberties, or -1."""
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


@jitable
def quiet_step(board: Record, state: Record, rng: Array) -> int:
    """Return a random step to a cell with room.

    If the draws find none, return the last step drawn for a first stone, and STOP for a second.
    """
    step = STOP
    for _ in range(DRAWS):
        kind = random_kind(state, rng)
        cell = int64(state.empty[random_below(rng, state.n_empty)])
        step = 2 * cell + kind
        if has_room(board, state, cell, 2 * state.player - 1 + kind):
            return step
    return step if state.step == 0 else STOP


@jitable
def urgent_step(board: Record, state: Record, rng: Array) -> int:
    """Return a step that captures in the rest of the turn, else one that rescues, else -1."""
    if random_below(rng, PLAIN) == 0:
        return NO_CELL
    most = 2 if state.step == 0 and state.turn > 1 else 1
    prey, colour, one, two = in_reach(board, state, most)
    if prey >= 0:
        return 2 * prey + random_kind(state, rng)
    return rescue(board, state, colour, one, two, rng) if colour else NO_CELL


@jitable
def guided_turn(board: Record, state: Record, rng: Array) -> None:
    """Play the rest of a turn.

    If no urgent first stone was found, the second stone is not searched for an urgent step either.
    """
    step = urgent_step(board, state, rng)
    is_urgent = step >= 0
    if not is_urgent:
        step = quiet_step(board, state, rng)
    if state.step == 0:
        place_step(board, state, step)
        if can_continue(state):
            step = urgent_step(board, state, rng) if is_urgent else NO_CELL
            if step < 0:
                step = quiet_step(board, state, rng)
        else:
            step = STOP
    if step >= 0:
        place_step(board, state, step)
    end_turn(board, state)


@implements(kernel.guided_playout, STATE_DTYPE)
def guided_playout(board: Record, state: Record, rng: Array) -> int:
    last = state.turn + GUIDED_TURNS
    while not state.over and state.turn < last:
        guided_turn(board, state, rng)
    last += RANDOM_TURNS
    while not state.over and state.turn < last:
        random_turn(board, state, rng)
    if state.over:
        return kernel.result_of(kernel.outcome(board, state))
    return expectation(board, state)


@jitable
def promise(board: Record, state: Record, step: int) -> int:
    """Return the prior of a placement, from adjacent blooms that can be captured, and its room.

    The weights come from a logit model of the choices of long searches, with 100 for six nats. The
    results of evaluated playouts differ less than wins and losses, so priors have more influence.
    """
    cell, side = step >> 1, state.player - 1
    colour = 2 * side + 1 + (step & 1)
    space = room(board, state, cell, colour)
    prey = near = rescued = 0
    for k in range(int64(board.degree[cell])):
        other = int64(board.neighbours[cell, k])
        there = int64(state.cells[other])
        if there == 0:
            continue
        if other == state.placed[1 - side, 0] or other == state.placed[1 - side, 1]:
            near = 14
        elif state.step == 1 and other == state.placed[side, 0]:
            near = max(near, 6)
        root = find(state, other)
        count, _, _ = liberties(board, state, root)
        size = min(int64(state.size[root]), 4)
        if player_of(there) != side + 1:
            if count == 1:
                prey = max(prey, 12 + 11 * size)
            elif count == 2 and state.step == 0:
                prey = max(prey, 8 * size)
        elif there == colour and count < MANY and space == MANY:
            rescued = 11
    crowded = 32 if space < 0 else 8 if space < 2 else 0
    edge = 4 * (6 - int64(board.degree[cell]))
    return min(prey + near + rescued - crowded - edge, MOST_PROMISING)


@implements(kernel.priors, STATE_DTYPE)
def priors(board: Record, state: Record, steps: Array, count: int, out: Array) -> None:
    for i in range(count):
        out[i] = promise(board, state, int64(steps[i])) if steps[i] >= 0 else 0


@implements(kernel.revised_priors, STATE_DTYPE)
def revised_priors(board: Record, state: Record, steps: Array, count: int, out: Array) -> None:
    pass
