"""The turns of a forced win in HeXO: what an attacker may play, and how a defender must answer.

A *need* is the one or two empty cells of a threat. A turn of the attacker threatens to complete
every need, so the defender must *cover* them all: place a stone in each. Two stones are all that he
has.
"""

from typing import Final

import numpy as np

from engine.games.hexo.state import AREA, GROUPS, LENGTH, WIDTH
from engine.games.hexo.windows import (
    FIVES,
    FOURS,
    THREES,
    TWOS,
    empty_cell,
    n_threats,
    place_on_lines,
    unplace_on_lines,
)
from engine.kernel.bits import int64
from engine.kernel.generic import Array, Record, jitable
from engine.kernel.halt import is_halted
from engine.kernel.uncompiled import record_dtype

LEVELS: Final = 64
"""Plies of a search: a turn of the attacker, then one of the defender."""
POOL: Final = 2**14
"""Turns that wait to be tried, in all plies."""
TABLE: Final = 2**15
"""Positions in the transposition table."""
NEEDS: Final = 64
"""Needs that are looked at. If there are more, a cover of the first ones must do."""
ROWS: Final = AREA // WIDTH
LOOK_EVERY: Final = 200
"""Nodes between two looks at the clock, about a tenth of a millisecond."""

MEMORY_DTYPE: Final = record_dtype(
    [
        ("attacker", np.int64),
        ("nodes", np.int64),  # turns looked at
        ("limit", np.int64),  # of `nodes`; -1 after a halt
        ("look", np.int64),  # `nodes` at which the search looks whether it is halted
        ("top", np.int64),  # the length of the pool
        # A ply of the search: its part of the pool, and the next turn to try; the attacker's turns
        # left, those of them that need not take both stones of the answer; and free stones of the
        # defender (see `engine.games.hexo.threats`).
        ("start", np.int64, (LEVELS,)),
        ("next", np.int64, (LEVELS,)),
        ("end", np.int64, (LEVELS,)),
        ("turns", np.int64, (LEVELS,)),
        ("singles", np.int64, (LEVELS,)),
        ("free", np.int64, (LEVELS,)),
        ("cut", np.int64, (LEVELS,)),  # 1 if a search with more turns may find more
        ("zone", np.uint64, (LEVELS, ROWS)),
        # The pool: turns, and how promising they are.
        ("one", np.int16, (POOL + 1,)),
        ("other", np.int16, (POOL + 1,)),
        ("score", np.int64, (POOL + 1,)),
        # Needs and covers, the last ones found; and the blocks that the attacker must make.
        ("needs", np.int64, (NEEDS, 2)),
        ("covers", np.int64, (4, 2)),
        ("blocks", np.int64, (4, 2)),
        # Cells that the attacker's first stone may take, and the number of each; cells for the
        # second, and the threes on which each is.
        ("n_firsts", np.int64),
        ("firsts", np.int16, (AREA,)),
        ("number", np.int16, (AREA,)),
        ("n_seconds", np.int64),
        ("seconds", np.int16, (AREA,)),
        ("threes", np.uint8, (AREA,)),
        ("seen", np.uint8, (AREA,)),
        # The transposition table.
        ("keys", np.uint64, (TABLE,)),
        ("facts", np.int64, (TABLE,)),
    ]
)


@jitable
def is_stopped(memory: Record) -> bool:
    """Return whether the nodes are used up, or the search was halted."""
    return bool(memory.nodes > memory.limit)


@jitable
def note_halt(memory: Record, halt: Array) -> bool:
    """Return whether the search is halted; the clock is read once every `LOOK_EVERY` nodes."""
    if memory.nodes >= memory.look:
        memory.look = memory.nodes + LOOK_EVERY
        if is_halted(halt):
            memory.limit = -1
    return bool(memory.limit < 0)


@jitable
def find_needs(board: Record, state: Record, memory: Record, player: int) -> int:
    """Write the needs of the player's threats to `needs`, fives first; return their number.

    A need of one cell has it twice.
    """
    count = 0
    for group in (FIVES, FOURS):
        row = (player - 1) * GROUPS + group
        for i in range(state.n_listed[row]):
            if count == NEEDS:
                return count
            window = int64(state.listed[row, i])
            first = empty_cell(board, state, window, 0)
            second = first if group == FIVES else empty_cell(board, state, window, 1)
            memory.needs[count, 0] = first
            memory.needs[count, 1] = second
            count += 1
    return count


@jitable
def uncovered(memory: Record, count: int, one: int, other: int) -> int:
    """Return the first of `count` needs that has neither cell; -1 if there is none."""
    for i in range(count):
        first, second = memory.needs[i, 0], memory.needs[i, 1]
        if first != one and first != other and second != one and second != other:
            return i
    return -1


@jitable
def find_covers(memory: Record, count: int) -> int:
    """Write every way to cover the first `count` needs to `covers`; return their number.

    A single cell that covers all has -1 beside it, and comes before the pairs. Pairs that contain
    such a cell are left out.
    """
    found = 0
    for i in range(2):
        one = memory.needs[0, i]
        if (i == 0 or one != memory.needs[0, 0]) and uncovered(memory, count, one, one) < 0:
            memory.covers[found, 0] = one
            memory.covers[found, 1] = -1
            found += 1
    for i in range(2):
        one = memory.needs[0, i]
        open_need = uncovered(memory, count, one, one)
        if open_need < 0 or (i == 1 and one == memory.needs[0, 0]):
            continue
        for k in range(2):
            other = memory.needs[open_need, k]
            if uncovered(memory, count, one, other) < 0 and is_new(memory, found, one, other):
                memory.covers[found, 0] = one
                memory.covers[found, 1] = other
                found += 1
    return found


@jitable
def is_new(memory: Record, count: int, one: int, other: int) -> bool:
    """Return whether a pair is not among the first `count` covers and has no single one."""
    for i in range(count):
        first, second = memory.covers[i, 0], memory.covers[i, 1]
        if second < 0 and first in (one, other):
            return False
        if (first == one and second == other) or (first == other and second == one):
            return False
    return True


@jitable
def generate(
    board: Record, state: Record, memory: Record, level: int, stones: int, halt: Array
) -> bool:
    """Write the attacker's forcing turns of one or two `stones` to the pool.

    Returns True if one of them cannot be answered; it is then the only one. A turn blocks all
    threats of the defender. It is left out if it leaves no need, or one that a single cell covers
    while `singles` does not allow that, or any that can be covered if this turn is the last but
    one. After a halt some turns are missing.
    """
    memory.start[level] = memory.next[level] = memory.end[level] = memory.top
    defender = 3 - memory.attacker
    if n_threats(state, defender) > NEEDS:
        return False
    count = find_needs(board, state, memory, defender)
    if count > 0:
        return generate_blocks(board, state, memory, level, stones, find_covers(memory, count))
    # With one stone left, the other one of this turn may have made threats already.
    note_firsts(board, state, memory, stones == 1 or memory.turns[level] > 2)
    found = False
    for i in range(memory.n_firsts):
        cell = int64(memory.firsts[i])
        if stones == 1:
            place_on_lines(board, state, cell, memory.attacker)
            found = consider(board, state, memory, level, cell, -1)
            unplace_on_lines(board, state)
        else:
            found = with_first(board, state, memory, level, cell)
        if found or note_halt(memory, halt):
            break
    for i in range(memory.n_firsts):
        memory.number[memory.firsts[i]] = 0
    return found


@jitable
def generate_blocks(
    board: Record, state: Record, memory: Record, level: int, stones: int, count: int
) -> bool:
    """Write the turns that make one of the `count` covers; return as `generate` does."""
    for i in range(count):
        memory.blocks[i, 0] = memory.covers[i, 0]
        memory.blocks[i, 1] = memory.covers[i, 1]
    for i in range(count):
        one, other = memory.blocks[i, 0], memory.blocks[i, 1]
        if stones == 1 and other >= 0:
            continue
        if stones == 2 and other < 0:
            if with_first(board, state, memory, level, one):
                return True
            continue
        place_on_lines(board, state, one, memory.attacker)
        if other >= 0:
            place_on_lines(board, state, other, memory.attacker)
        found = consider(board, state, memory, level, one, other)
        if other >= 0:
            unplace_on_lines(board, state)
        unplace_on_lines(board, state)
        if found:
            return True
    return False


@jitable
def note_firsts(board: Record, state: Record, memory: Record, with_twos: bool) -> None:
    """Collect the empty cells of the attacker's lines of three or more and, if asked for, twos.

    Each gets a number, from 1.
    """
    memory.n_firsts = 0
    for group in (THREES, FOURS, TWOS):
        if group == TWOS and not with_twos:
            break
        row = (memory.attacker - 1) * GROUPS + group
        for i in range(state.n_listed[row]):
            window = int64(state.listed[row, i])
            stride, cell = board.strides[window // AREA], window % AREA
            for _ in range(LENGTH):
                if state.cells[cell] == 0 and memory.number[cell] == 0:
                    memory.firsts[memory.n_firsts] = cell
                    memory.n_firsts += 1
                    memory.number[cell] = memory.n_firsts
                cell += stride


@jitable
def note_seconds(board: Record, state: Record, memory: Record, with_twos: bool) -> None:
    """Collect the empty cells of the attacker's lines of three or more and, if asked for, twos."""
    memory.n_seconds = 0
    for group in (THREES, FOURS, FIVES, TWOS):
        if group == TWOS and not with_twos:
            break
        row = (memory.attacker - 1) * GROUPS + group
        for i in range(state.n_listed[row]):
            window = int64(state.listed[row, i])
            stride, cell = board.strides[window // AREA], window % AREA
            for _ in range(LENGTH):
                if state.cells[cell] == 0:
                    if memory.seen[cell] == 0:
                        memory.seen[cell] = 1
                        memory.seconds[memory.n_seconds] = cell
                        memory.n_seconds += 1
                    if group == THREES:
                        memory.threes[cell] += 1
                cell += stride


@jitable
def with_first(board: Record, state: Record, memory: Record, level: int, first: int) -> bool:
    """Write the turns that begin with `first`; return as `generate` does."""
    attacker = memory.attacker
    place_on_lines(board, state, first, attacker)
    base = n_threats(state, attacker)
    least = 3 if memory.turns[level] <= 2 else 1 if memory.singles[level] > 0 else 2
    note_seconds(board, state, memory, base >= least)
    found = False
    for i in range(memory.n_seconds):
        second = int64(memory.seconds[i])
        threats = base + int64(memory.threes[second])
        memory.threes[second] = 0
        memory.seen[second] = 0
        earlier = 0 < memory.number[second] < memory.number[first]
        if found or earlier or threats < least:
            continue
        place_on_lines(board, state, second, attacker)
        found = consider(board, state, memory, level, first, second)
        unplace_on_lines(board, state)
    unplace_on_lines(board, state)
    return found


@jitable
def consider(
    board: Record, state: Record, memory: Record, level: int, one: int, other: int
) -> bool:
    """Add a turn, whose stones are placed, to the pool if it forces; return as `generate` does."""
    memory.nodes += 1
    count = find_needs(board, state, memory, memory.attacker)
    if count == 0:
        return False
    answers = find_covers(memory, count)
    end = memory.end[level]
    if answers == 0:
        end = memory.start[level]
    elif memory.turns[level] <= 2 or end == POOL:
        memory.cut[level] = 1
        return False
    elif memory.covers[0, 1] < 0 and memory.singles[level] == 0:
        return False
    balance = state.balance if memory.attacker == 1 else -state.balance
    memory.one[end] = one
    memory.other[end] = other
    memory.score[end] = balance - 20 * answers - (1000 if memory.covers[0, 1] < 0 else 0)
    memory.end[level] = memory.top = end + 1
    return answers == 0
