"""What is known of good play in Stargazers: darken enemy stones, and keep one's own eyes for last.

A player's *eye* is a cell where he may place and the enemy may not: a stone in hand for the time
when places run out.
"""

from typing import Final

from engine.rules import kernel
from engine.rules.bits import count_ones, int64, random_below, uint64
from engine.rules.kernel import Array, Record, compiled, implements
from engine.rules.stargazers import end_stuck, place_stone, random_cell
from engine.rules.stargazers_sight import may_place, opposite
from engine.rules.stargazers_state import STATE
from engine.star_boards import STAR

MOST_VIEWS_ENDED: Final = 3
"""A stone stands in three lines, and ends one view of a star in each at most."""
DRAWS: Final = 3
"""How many cells a playout looks at before it takes the best of them."""
PLAIN: Final = 4
"""Every so many stones of a playout is placed without thought: always to play well misleads."""
EYES_MATTER: Final = 10
"""With fewer empty cells, a player who is ahead may want to run out of places first."""


@compiled
def may_darken(state: Record, cell: int, side: int) -> bool:
    """Whether a stone of `side` on an empty cell could leave any enemy stone uninspired.

    It cannot where every view of a star that it ends is one of several of its stone, or of more
    than one stone can end at all, and where both enemies between whom it comes have views.
    """
    enemy = 2 - side
    for direction in range(6):
        stone = int64(state.seen[cell, direction])
        if stone < 0 or state.cells[stone] != enemy:
            continue
        beyond = int64(state.seen[cell, opposite(direction)])
        if beyond == STAR:
            views = int64(state.views[int64(state.label[stone])])
            if views <= MOST_VIEWS_ENDED and count_ones(uint64(state.gaze[stone])) == 1:
                return True
        elif beyond >= 0 and state.cells[beyond] == enemy and state.gaze[stone] == 0:
            return True
    return False


@compiled
def darkened(state: Record, cell: int, side: int) -> int:
    """How many enemy stones a stone of `side` on an empty cell would leave uninspired."""
    if not may_darken(state, cell, side):
        return 0
    enemy = 1 - side
    count = state.n_stones[enemy]
    for i in range(count):
        state.reached[int64(state.stones[enemy, i])] = 0
    dark = 0
    for i in range(count):
        start = int64(state.stones[enemy, i])
        if state.reached[start]:
            continue
        state.reached[start] = 1
        state.stack[0] = start
        views, size, depth = 0, 0, 1
        while depth:
            depth -= 1
            here = int64(state.stack[depth])
            size += 1
            hidden = hidden_by(state, cell, here)
            views += count_ones(uint64(int64(state.gaze[here]) & ~hidden))
            for direction in range(6):
                other = int64(state.seen[here, direction])
                if (
                    other >= 0
                    and state.cells[other] == enemy + 1
                    and not state.reached[other]
                    and not hidden >> direction & 1
                ):
                    state.reached[other] = 1
                    state.stack[depth] = other
                    depth += 1
        if views == 0:
            dark += size
    return int64(dark - state.uninspired[enemy])


@compiled
def hidden_by(state: Record, cell: int, stone: int) -> int:
    """The mask of the direction, if any, in which a stone on the empty `cell` would stand before
    `stone`.
    """
    for direction in range(6):
        if state.seen[cell, direction] == stone:
            return 1 << opposite(direction)
    return 0


@compiled
def revived(state: Record, cell: int, side: int) -> int:
    """In how many directions a stone of `side` would see an uninspired friend, and inspire it."""
    count = 0
    for direction in range(6):
        stone = int64(state.seen[cell, direction])
        if stone >= 0 and state.cells[stone] == side + 1:
            count += state.views[int64(state.label[stone])] == 0
    return count


@compiled
def promise(board: Record, state: Record, cell: int, side: int) -> int:
    """How good a legal placement looks in a playout, from -100 to 100."""
    worth = min(30 * darkened(state, cell, side), 90) + 12 * revived(state, cell, side)
    if state.n_empty > EYES_MATTER and not may_place(board, state, cell, 1 - side):
        worth -= 70
    return worth


@compiled
def guided_cell(board: Record, state: Record, rng: Array) -> int:
    """The most promising of a few random legal cells, or -1 if there is none."""
    best = random_cell(board, state, rng)
    if best < 0 or random_below(rng, PLAIN) == 0:
        return best
    side = state.player - 1
    best_worth = promise(board, state, best, side)
    for _ in range(DRAWS - 1):
        cell = random_cell(board, state, rng)
        worth = promise(board, state, cell, side)
        if worth > best_worth:
            best, best_worth = cell, worth
    return best


@implements(kernel.guided_playout, STATE)
def guided_playout(board: Record, state: Record, rng: Array) -> int:
    while not state.over:
        cell = guided_cell(board, state, rng)
        if cell < 0:
            end_stuck(board, state)
        else:
            place_stone(board, state, cell)
    return int64(state.winner)


@compiled
def prior(board: Record, state: Record, cell: int, side: int) -> int:
    """How good a legal placement looks in the tree, in which small hints do more than large ones.

    The weights are those of a logit model of what long searches chose: stones in the thick of
    things at first, what darkens enemy stones, what the enemy would like to do, no early eyes.
    """
    early = state.n_empty > EYES_MATTER
    worth = 8 * min(darkened(state, cell, side), 2)
    if may_place(board, state, cell, 1 - side):
        worth += 6 * min(darkened(state, cell, 1 - side), 1)
    elif early:
        worth -= 9
    if early:
        for direction in range(6):
            if state.seen[cell, direction] >= 0:
                worth += 6
    return worth


@implements(kernel.priors, STATE)
def priors(board: Record, state: Record, steps: Array, count: int, out: Array) -> None:
    for i in range(count):
        out[i] = prior(board, state, int64(steps[i]), state.player - 1)
