"""An exact search for forced wins in HeXO: a proof is never wrong.

`solve` looks for turns of the attacker that win against every defence, if each of them threatens to
complete six in a row with the next one.

What it cannot see:

- wins that need a *quiet* turn, after which the defender need not answer
- a turn with a single threat that one stone covers, if the line has `singles` of them already
- such a turn, or one whose first stone alone needs both answers, if its other stone is not on a
  live line of two or more own stones
- wins longer than the search goes, and those for which the nodes do not suffice
- lines on which the defender comes within five cells of the window's rim
"""

# The problem: with two stones a turn, a position has thousands of turns, and most games are decided
# by a player who threatens until the other cannot answer. That takes five or ten turns in a row.
#
# The idea: search only turns that force. A turn that leaves needs which no two cells cover wins.
# If two cells are needed, the defender has at most four answers. So the tree is narrow on both
# sides, and a depth-first search with a table and rising depth goes through it.
#
# If one cell covers all, the defender has a free stone that may be anywhere. It is tried nowhere
# first: a proof without that stone has a *zone*, the cells on which the stone could matter. Then
# the stone is tried on each cell of the zone, and nowhere else.
#
# A zone is sound if the attacker wins although up to `free` more stones of the defender are on
# cells outside of it. It has
# - the attacker's stones on all lines of the proof, and all needs that the defender must cover,
# - the empty cells of each line on which the defender lacks few stones: those live for him with
#   four stones less `free` or more, after a turn of the attacker. Only on these could free stones
#   make a threat that the proof did not have to block.
# This is the relevance zone of Wu and Lin (Relevance-zone-oriented proof search for Connect6,
# IEEE TCIAIG 2010).
#
# Lines across the rim of the window are unknown. A stone of the defender near the rim could be on
# one, so no proof has such a stone.
#
# Rejected:
# - Trying a free stone on all cells: a turn with a single threat costs hundreds of searches.
# - A recursive search, which Numba cannot compile through `jitable`. The plies are in arrays.

from typing import Final

from engine.games.hexo.forcing import (
    LEVELS,
    ROWS,
    find_covers,
    find_needs,
    generate,
    is_stopped,
    note_halt,
)
from engine.games.hexo.proof_table import (
    FAILED,
    OPEN,
    WON,
    add_turn,
    recall,
    remember,
    remember_turn,
)
from engine.games.hexo.state import AREA, GROUPS, LENGTH, RADIUS, RIM, WIDTH
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
from engine.kernel.bits import int64, lowest_one, uint64
from engine.kernel.generic import Array, Record, jitable

STOPPED: Final = 3
"""What is known of a ply when no nodes are left or the search is halted. See also
`engine.games.hexo.proof_table`.
"""
MOST_TURNS: Final = LEVELS // 2 - 2
"""Turns of the longest proof."""
MOST_FREE: Final = 2
"""Free stones on a line of a proof."""


@jitable
def solve(
    board: Record,
    state: Record,
    memory: Record,
    attacker: int,
    stones: int,
    singles: int,
    free: int,
    nodes: int,
    halt: Array,
) -> int:
    """Search for a forced win of `attacker`, who places one or two `stones` now.

    Only the stones in `state` count, not whose turn it is there. The state is as before when this
    returns. `singles` is how many turns of a line may have a single threat. With `free` above 0,
    `zone[0]` of the memory has the zone of the proof.

    Returns:
        The number of turns that the win takes, 0 if none was found or `halt` came first. The first
        turn is in the memory: `one[0]` and `other[0]`, which is -1 if one stone is enough.
    """
    memory.attacker = attacker
    memory.nodes = 0
    memory.limit = nodes
    memory.look = 0
    if state.unlisted > 0 or state.over or is_defender_near_rim(state, 3 - attacker):
        return 0
    for allowed in range(singles + 1):
        if allowed > 0 and free + allowed > MOST_FREE:
            break
        for turns in range(1, MOST_TURNS + 1):
            result = search(board, state, memory, stones, turns, allowed, free, halt)
            if result == WON:
                return turns
            if result == STOPPED:
                return 0
            if memory.cut[0] == 0:
                break
    return 0


@jitable
def is_defender_near_rim(state: Record, defender: int) -> bool:
    """Return whether a stone of the defender is near the rim."""
    for i in range(state.n_stones):
        cell = int64(state.placed[i])
        if state.cells[cell] == defender and is_near_rim(cell):
            return True
    return False


@jitable
def is_near_rim(cell: int) -> bool:
    """Return whether a line of six through a cell may reach the rim."""
    q, r = cell % WIDTH - RADIUS, cell // WIDTH - RADIUS - RIM
    return max(abs(q), abs(r)) > RADIUS - LENGTH + 1


@jitable
def search(
    board: Record,
    state: Record,
    memory: Record,
    stones: int,
    turns: int,
    singles: int,
    free: int,
    halt: Array,
) -> int:
    """Search for a win within `turns` turns of the attacker; return WON, FAILED or STOPPED."""
    memory.top = 1  # the first entry is for the winning turn
    memory.turns[0], memory.singles[0], memory.free[0] = turns, singles, free
    level = 0
    known = open_attack(board, state, memory, level, stones, halt)
    while True:
        if known != WON and note_halt(memory, halt):
            known = STOPPED  # even if no turn is left: some were not listed
        if known == OPEN and is_stopped(memory):
            known = STOPPED
        if known == OPEN:
            turn = next_turn(memory, level)
            if turn >= 0:
                descend(board, state, memory, level, turn)
                level += 1
                known = open_ply(board, state, memory, level, halt)
                continue
            known = WON if level % 2 else FAILED
        if level % 2 == 0 and known != STOPPED:
            remember(board, state, memory, level, stones if level == 0 else 2, known)
        if level == 0:
            return known
        take_back(board, state, memory, level - 1)
        level -= 1
        if known != STOPPED:
            known = after_child(state, memory, level, known)


@jitable
def open_ply(board: Record, state: Record, memory: Record, level: int, halt: Array) -> int:
    if level % 2:
        return open_defence(board, state, memory, level)
    return open_attack(board, state, memory, level, 2, halt)


@jitable
def open_attack(
    board: Record, state: Record, memory: Record, level: int, stones: int, halt: Array
) -> int:
    """List the attacker's turns; return OPEN, or WON or FAILED if no turn need be tried."""
    memory.start[level] = memory.next[level] = memory.end[level] = memory.top
    memory.cut[level] = 0
    clear_zone(memory, level)
    if wins_now(board, state, memory, level, stones):
        return WON
    turns = memory.turns[level]
    if turns < 2:
        memory.cut[level] = 1
        return FAILED
    known = recall(board, state, memory, level, stones)
    if known != OPEN or memory.end[level] > memory.start[level]:
        return known
    if generate(board, state, memory, level, stones, halt):
        return OPEN
    if turns == 2:
        memory.cut[level] = 1
        return FAILED
    return OPEN


@jitable
def wins_now(board: Record, state: Record, memory: Record, level: int, stones: int) -> bool:
    """Return whether the attacker completes six now; list that turn, and set its zone."""
    row = (memory.attacker - 1) * GROUPS
    group = FIVES if state.n_listed[row + FIVES] else FOURS
    if state.n_listed[row + group] == 0 or (group == FOURS and stones == 1):
        return False
    window = int64(state.listed[row + group, 0])
    one, other = empty_cell(board, state, window, 0), empty_cell(board, state, window, 1)
    memory.one[0], memory.other[0] = one, other
    add_to_zone(memory, level, one)
    add_to_zone(memory, level, other)
    remember_turn(memory, level, one, other)
    return True


@jitable
def open_defence(board: Record, state: Record, memory: Record, level: int) -> int:
    """List the defender's answers; return OPEN, or WON or FAILED if none need be tried."""
    memory.start[level] = memory.next[level] = memory.end[level] = memory.top
    defender, parent = 3 - memory.attacker, level - 1
    memory.turns[level] = memory.turns[parent] - 1
    memory.singles[level], memory.free[level] = memory.singles[parent], memory.free[parent]
    memory.cut[level] = 0
    clear_zone(memory, level)
    if n_threats(state, defender) > 0:
        return FAILED
    count = find_needs(board, state, memory, memory.attacker)
    if count == 0:
        return FAILED
    if memory.free[level] > 0:
        for i in range(count):
            add_to_zone(memory, level, memory.needs[i, 0])
            add_to_zone(memory, level, memory.needs[i, 1])
        add_threats_to_come(board, state, memory, level, defender)
    answers = find_covers(memory, count)
    if answers == 0:
        return WON
    if memory.turns[level] < 2:
        memory.cut[level] = 1
        return FAILED
    return list_answers(memory, level, answers)


@jitable
def list_answers(memory: Record, level: int, answers: int) -> int:
    """Write the covers to the pool, those with a free stone first; return OPEN or FAILED."""
    if memory.covers[0, 1] < 0:
        if memory.singles[level] == 0:
            return FAILED
        memory.singles[level] -= 1
    for i in range(answers):
        one, other = memory.covers[i, 0], memory.covers[i, 1]
        if is_near_rim(one) or (other >= 0 and is_near_rim(other)):
            return FAILED
        if not add_turn(memory, level, one, other, 1 if other < 0 else 0):
            return FAILED
    return OPEN


@jitable
def next_turn(memory: Record, level: int) -> int:
    """Return the index of the most promising turn not yet tried, -1 if there is none."""
    here, end = memory.next[level], memory.end[level]
    if here == end:
        return -1
    best = here
    for i in range(here + 1, end):
        if memory.score[i] > memory.score[best]:
            best = i
    one, other, score = memory.one[best], memory.other[best], memory.score[best]
    memory.one[best], memory.other[best] = memory.one[here], memory.other[here]
    memory.score[best] = memory.score[here]
    memory.one[here], memory.other[here], memory.score[here] = one, other, score
    memory.next[level] = here + 1
    return int64(here)


@jitable
def descend(board: Record, state: Record, memory: Record, level: int, turn: int) -> None:
    """Place the stones of a turn."""
    player = memory.attacker if level % 2 == 0 else 3 - memory.attacker
    one, other = int64(memory.one[turn]), int64(memory.other[turn])
    place_on_lines(board, state, one, player)
    if other >= 0:
        place_on_lines(board, state, other, player)
    if level % 2:
        memory.nodes += 1
        memory.turns[level + 1] = memory.turns[level]
        memory.singles[level + 1] = memory.singles[level]
        memory.free[level + 1] = memory.free[level] + (1 if other < 0 else 0)


@jitable
def take_back(board: Record, state: Record, memory: Record, level: int) -> None:
    """Take off the stones of the last turn tried, and forget the turns after it."""
    if memory.other[memory.next[level] - 1] >= 0:
        unplace_on_lines(board, state)
    unplace_on_lines(board, state)
    memory.top = memory.end[level]


@jitable
def after_child(state: Record, memory: Record, level: int, known: int) -> int:
    """Return what is known of a ply after one of its turns was found to be WON or FAILED."""
    turn = memory.next[level] - 1
    one, other = int64(memory.one[turn]), int64(memory.other[turn])
    if level % 2 == 0:
        if known == FAILED:
            memory.cut[level] |= memory.cut[level + 1]
            return OPEN
        if memory.free[level] > 0:
            merge_zone(memory, level)
            add_to_zone(memory, level, one)
            add_to_zone(memory, level, other)
        remember_turn(memory, level, one, other)
        return WON
    if known == FAILED:
        memory.cut[level] = memory.cut[level + 1]
        return FAILED
    if memory.free[level] > 0:
        merge_zone(memory, level)
    if other < 0 and not add_free_stones(state, memory, level, one):
        return FAILED
    return OPEN


@jitable
def add_free_stones(state: Record, memory: Record, level: int, cover: int) -> bool:
    """Add the answers of `cover` and a free stone in the zone of the proof without that stone."""
    for row in range(ROWS):
        bits = memory.zone[level + 1, row]
        for half in range(2):
            part = int64(bits >> uint64(32 * half) & uint64(0xFFFFFFFF))
            while part:
                cell = row * WIDTH + 32 * half + lowest_one(part)
                part &= part - 1
                if state.cells[cell] != 0 or cell == cover:
                    continue
                if is_near_rim(cell) or not add_turn(memory, level, cover, cell, 0):
                    return False
    return True


@jitable
def clear_zone(memory: Record, level: int) -> None:
    if memory.free[level] > 0:
        for row in range(ROWS):
            memory.zone[level, row] = uint64(0)


@jitable
def add_to_zone(memory: Record, level: int, cell: int) -> None:
    """Add a cell to the zone of a ply; -1 is no cell."""
    if cell >= 0:
        memory.zone[level, cell // WIDTH] |= uint64(1) << uint64(cell % WIDTH)


@jitable
def merge_zone(memory: Record, level: int) -> None:
    """Add the zone of the next ply to that of `level`."""
    for row in range(ROWS):
        memory.zone[level, row] |= memory.zone[level + 1, row]


@jitable
def add_threats_to_come(
    board: Record, state: Record, memory: Record, level: int, defender: int
) -> None:
    """Add the empty cells of lines on which free stones could give the defender a threat."""
    for group in range(THREES, TWOS - 1, -1):
        if group == TWOS and memory.free[level] < 2:
            break
        row = (defender - 1) * GROUPS + group
        for i in range(state.n_listed[row]):
            window = int64(state.listed[row, i])
            stride, cell = board.strides[window // AREA], window % AREA
            for _ in range(LENGTH):
                if state.cells[cell] == 0:
                    add_to_zone(memory, level, cell)
                cell += stride
