"""What is known of good play in Stargazers: darken enemy stones, and keep one's own eyes for last.

A player's *eye* is a cell where he may place and the enemy may not: a stone in hand for the time
when places run out.
"""

from typing import Final

from engine.rules import kernel
from engine.rules.bits import count_ones, int64, uint64
from engine.rules.kernel import Array, Record, compiled, implements
from engine.rules.stargazers import end_stuck, place_stone, random_cell
from engine.rules.stargazers_sight import may_place, opposite
from engine.rules.stargazers_state import STATE
from engine.star_boards import STAR

DRAWS: Final = 3
"""How many cells a playout looks at before it takes the best of them."""


@compiled
def cuts(state: Record, cell: int, side: int) -> bool:
    """Whether a stone on `cell` comes between an enemy stone and a star or another of his."""
    for direction in range(6):
        stone = int64(state.seen[cell, direction])
        if stone >= 0 and state.cells[stone] == 2 - side:
            beyond = int64(state.seen[cell, opposite(direction)])
            if beyond == STAR or (beyond >= 0 and state.cells[beyond] == 2 - side):
                return True
    return False


@compiled
def darkened(state: Record, cell: int, side: int) -> int:
    """How many enemy stones a stone of `side` on an empty cell would leave uninspired."""
    if not cuts(state, cell, side):
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
def promise(board: Record, state: Record, cell: int, side: int) -> int:
    """How good a legal placement looks, from -100 to 100."""
    worth = min(30 * darkened(state, cell, side), 90)
    if not may_place(board, state, cell, 1 - side):
        worth -= 40
    return worth


@implements(kernel.guided_playout, STATE)
def guided_playout(board: Record, state: Record, rng: Array) -> int:
    while not state.over:
        side = state.player - 1
        best, best_worth = -1, -1000
        for _ in range(DRAWS):
            cell = random_cell(board, state, rng)
            if cell < 0:
                break
            worth = promise(board, state, cell, side)
            if worth > best_worth:
                best, best_worth = cell, worth
        if best < 0:
            end_stuck(board, state)
        else:
            place_stone(board, state, best)
    return int64(state.winner)


@implements(kernel.priors, STATE)
def priors(board: Record, state: Record, steps: Array, count: int, out: Array) -> None:
    for i in range(count):
        out[i] = promise(board, state, int64(steps[i]), state.player - 1)
