"""What a search asks of HeXO's threats: a forced win, a lost position, or the turns that defend.

A player who has no forced win asks what the opponent could force if this turn did nothing. The
proof of that has a zone (`engine.games.hexo.threats`): a turn without a stone in it loses.
"""

from typing import Final

import numpy as np

from engine.games.hexo.forcing import MEMORY_DTYPE, find_covers, find_needs, is_stopped
from engine.games.hexo.replies import stones_left
from engine.games.hexo.state import STATE_DTYPE, WIDTH
from engine.games.hexo.threats import solve
from engine.games.hexo.windows import n_threats
from engine.kernel import generic as kernel
from engine.kernel.bits import int64, uint64
from engine.kernel.generic import NO_PROOF, UNPROVED, Array, Record, implements, jitable

DEEP: Final = 4000
"""Nodes from which the search also tries turns with a single threat."""


def new_memory() -> Record:
    """Return an empty memory for `kernel.prove`."""
    return np.zeros(1, MEMORY_DTYPE)[0]


@implements(kernel.prove, STATE_DTYPE)
def prove(
    board: Record,
    state: Record,
    memory: Record,
    nodes: int,
    halt: Array,
    steps: Array,
    count: int,
) -> tuple[int, int]:
    if state.over or state.turn == 1 or not is_whole(state):
        return NO_PROOF, count
    player, stones = int64(state.player), stones_left(state)
    singles = 1 if nodes >= DEEP else 0
    turns = solve(board, state, memory, player, stones, singles, int64(0), nodes, halt)
    if turns and is_in_time(board, state, 2 * turns - 2):
        steps[0], steps[1] = memory.one[0], memory.other[0]
        return player, 1 if memory.other[0] < 0 else 2
    known = UNPROVED if singles == 0 or is_stopped(memory) else NO_PROOF
    opponent = 3 - player
    if n_threats(state, opponent) > 0:
        lost = is_lost(board, state, memory, opponent, stones) and is_in_time(
            board, state, int64(1)
        )
        return opponent if lost else known, count
    turns = solve(board, state, memory, opponent, int64(2), int64(0), stones, nodes, halt)
    if turns and is_in_time(board, state, 2 * turns - 1):
        return known, keep_zone(memory, steps, count)
    return UNPROVED if is_stopped(memory) else known, count


@jitable
def is_whole(state: Record) -> bool:
    """Return whether the window has all stones of the game. Lines outside are unknown."""
    return bool(state.n_stones == 2 * state.turn - 3 + state.step)


@jitable
def is_in_time(board: Record, state: Record, turns: int) -> bool:
    """Return whether the turn that comes after `turns` more turns is not beyond the cap."""
    return bool(board.cap == 0 or state.turn + turns <= board.cap)


@jitable
def is_lost(board: Record, state: Record, memory: Record, opponent: int, stones: int) -> bool:
    """Return whether `stones` cells cannot cover the threats of the opponent."""
    answers = find_covers(memory, find_needs(board, state, memory, opponent))
    return bool(answers == 0 or (stones == 1 and memory.covers[0, 1] >= 0))


@jitable
def keep_zone(memory: Record, steps: Array, count: int) -> int:
    """Keep the steps in the zone of the last proof; return their number, `count` if none is.

    If two stones are left, one of them must be in the zone; it is played first.
    """
    kept = 0
    for i in range(count):
        cell = int64(steps[i])
        if memory.zone[0, cell // WIDTH] >> uint64(cell % WIDTH) & uint64(1):
            steps[i], steps[kept] = steps[kept], cell
            kept += 1
    return kept or count
