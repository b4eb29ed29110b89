"""What is known of good play in Stargazers: darken enemy stones, and keep one's own eyes for last.

A player's *eye* is a cell where he may place and the enemy may not: a stone in hand for the time
when places run out.
"""

from typing import Final

from engine.rules import kernel
from engine.rules.bits import int64, random_below
from engine.rules.kernel import Array, Record, compiled, implements
from engine.rules.stargazers import end_stuck, place_stone, random_cell
from engine.rules.stargazers_inspiration import opposite
from engine.rules.stargazers_sight import views_ended
from engine.rules.stargazers_state import STATE

DRAWS: Final = 3
"""How many cells a playout looks at before it takes the best of them."""
PLAIN: Final = 4
"""Every so many stones of a playout is placed without thought: always to play well misleads."""
EYES_MATTER: Final = 10
"""With fewer empty cells, a player who is ahead may want to run out of places first."""


@compiled
def outlook(board: Record, state: Record, cell: int, side: int) -> tuple[int, int, int, bool]:
    """What a stone of player `side` + 1 on an empty cell would do in the directions of the stones
    that it sees.

    How often it ends the only view of a star that an enemy group has, comes between two enemies of
    whom one sees no star, and inspires an uninspired friend; and whether the enemy may not place
    there. Not counted are groups that lose several views at once: rare, and dear to look for.
    """
    darkened, parted, revived = 0, 0, 0
    is_eye = state.gaze[cell] == 0
    for direction in range(6):
        stone = int64(state.seen[cell, direction])
        if stone < 0:
            continue
        label = int64(state.label[stone])
        views = int64(state.views[label])
        if state.cells[stone] == side + 1:
            revived += views == 0
            continue
        darkened += views == 1 and int64(state.gaze[stone]) >> opposite(direction) & 1
        if direction < 3:
            across = int64(state.seen[cell, direction + 3])
            if across >= 0 and state.cells[across] == state.cells[stone]:
                parted += state.gaze[stone] == 0 or state.gaze[across] == 0
        if is_eye and views > views_ended(board, state, cell, 1 - side, label):
            is_eye = False
    return darkened, parted, revived, is_eye


@compiled
def promise(board: Record, state: Record, cell: int, side: int) -> int:
    """How good a legal placement looks in a playout."""
    darkened, parted, revived, is_eye = outlook(board, state, cell, side)
    worth = min(60 * darkened, 90) + 20 * parted + 12 * revived
    if is_eye and state.n_empty > EYES_MATTER:
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
        if cell == best:
            continue
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
    darkened, _, _, is_eye = outlook(board, state, cell, side)
    worth = 8 * min(darkened, 2)
    early = state.n_empty > EYES_MATTER
    if not is_eye:
        at_risk, _, _, _ = outlook(board, state, cell, 1 - side)
        worth += 6 * min(at_risk, 1)
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
