"""What is known of good play in Blooms: whom two stones can capture, and where a stone is lost.

A bloom with one or two *liberties* (empty cells that it touches) can be captured in one turn. So a
player looks first for such blooms of the enemy, then for their own; and they keep stones out of
places where those have no room and out of their own eyes.
"""

from typing import Final

from engine.games.blooms.evaluation import expectation
from engine.games.blooms.kernel import can_continue, end_turn, place_step, random_turn
from engine.games.blooms.state import STATE
from engine.games.blooms.stones import find, player_of
from engine.kernel import generic as kernel
from engine.kernel.bits import int64, random_below
from engine.kernel.generic import STOP, Array, Record, implements, jitable

MANY: Final = 3
"""Liberties that no single turn can fill; more are not counted."""
MOST_CONTACTS: Final = 12
"""Two cells touch at most so many stones: a bloom with more contacts has many liberties."""
DRAWS: Final = 4
"""How often a playout draws another cell before it takes a bad one, or stops after one stone."""
GUIDED_TURNS: Final = 4
"""Turns of a playout that are guided: the fights at hand are settled then."""
RANDOM_TURNS: Final = 4
"""Turns at random after them, before the position is evaluated. They show which blooms are sound;
longer, chance hides what the position was."""
PLAIN: Final = 4
"""Every so many stones of them looks for no bloom in reach: always to play well misleads."""
MOST_PROMISING: Final = 50
"""Bounds what one stone promises."""
NO_CELL: Final = -1


@jitable
def liberties(board: Record, state: Record, root: int) -> tuple[int, int, int]:
    """How many liberties a bloom has, up to MANY, and the first two of them."""
    if state.contacts[root] > MOST_CONTACTS:
        return MANY, NO_CELL, NO_CELL
    one = two = NO_CELL
    cell = root
    for _ in range(int64(state.size[root])):
        if state.free[cell] >= MANY:
            return MANY, one, two
        if state.free[cell] > 0:
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
    return int64(one >= 0) + int64(two >= 0), one, two


@jitable
def room(board: Record, state: Record, cell: int, colour: int) -> int:
    """About how many liberties a stone on an empty cell would have, up to MANY; -1 in an own eye.

    A cell with no empty neighbour and none of the enemy's is an own eye.
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
    """Whether `room` is two at least, without counting further."""
    return bool(state.free[cell] >= 2 or room(board, state, cell, colour) >= 2)


@jitable
def in_reach(board: Record, state: Record, most: int) -> tuple[int, int, int, int]:
    """What two stones can capture near the last ones.

    The first liberty of the enemy's largest bloom that has 1 to `most`, or NO_CELL; then the colour
    of the mover's own largest bloom that has one or two, 0 if there is none, and these.
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
    """The kind, 0 or 1, of the next stone: free for the first of a turn."""
    if state.step == 0:
        return random_below(rng, 2)
    return int64(1 - (state.first & 1))


@jitable
def rescue(board: Record, state: Record, colour: int, one: int, two: int, rng: Array) -> int:
    """A step that gives a bloom with these liberties room again, or -1."""
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
    """A random step to a cell with room; STOP or, for a first stone, any step if none is found."""
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
    """Capture if that is possible in what is left of the turn, else rescue; -1 if nothing calls."""
    if random_below(rng, PLAIN) == 0:
        return NO_CELL
    most = 2 if state.step == 0 and state.turn > 1 else 1
    prey, colour, one, two = in_reach(board, state, most)
    if prey >= 0:
        return 2 * prey + random_kind(state, rng)
    return rescue(board, state, colour, one, two, rng) if colour else NO_CELL


@jitable
def guided_turn(board: Record, state: Record, rng: Array) -> None:
    """Play what is left of a turn; where nothing called for a first stone, nothing will for a
    second.
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


@implements(kernel.guided_playout, STATE)
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
    """What a placement seems worth: blooms in reach at that cell, on either side, and room.

    The weights are those of a logit model of what long searches chose, a hundred for six nats:
    evaluated playouts differ less than won and lost ones, so that promises weigh more beside them.
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


@implements(kernel.priors, STATE)
def priors(board: Record, state: Record, steps: Array, count: int, out: Array) -> None:
    for i in range(count):
        out[i] = promise(board, state, int64(steps[i])) if steps[i] >= 0 else 0


@implements(kernel.revised_priors, STATE)
def revised_priors(board: Record, state: Record, steps: Array, count: int, out: Array) -> None:
    pass
