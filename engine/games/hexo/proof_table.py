"""The table of positions that the search for forced wins in HeXO has decided.

A fact has the turn, each cell in 13 bits (8191 is no cell), the turns and singles of the search
that found it, and WON or FAILED. What is won with few turns is won with more, and what failed with
many fails with fewer.
"""

from typing import Final

from engine.games.hexo.forcing import POOL, TABLE
from engine.kernel.bits import int64, uint64
from engine.kernel.generic import Record, jitable

FAILED, OPEN, WON = 0, 1, 2
"""What is known of a ply: no win found, more to try, or a win."""
ANY_TURNS: Final = 63
"""In a fact: more turns find no win either."""


@jitable
def add_turn(memory: Record, level: int, one: int, other: int, score: int) -> bool:
    """Add a turn to the part of a ply, which is the last in the pool; False if it is full."""
    end = memory.end[level]
    if end == POOL:
        memory.cut[level] = 1
        return False
    memory.one[end], memory.other[end], memory.score[end] = one, other, score
    memory.end[level] = memory.top = end + 1
    return True


@jitable
def key_of(board: Record, state: Record, memory: Record, stones: int) -> int:
    """Return the hash of a position in which the attacker places `stones` now."""
    key: int = state.hash ^ board.keys[memory.attacker - 1, 0] ^ board.keys[stones - 1, 1]
    return key


@jitable
def remember_turn(memory: Record, level: int, one: int, other: int) -> None:
    """Note the winning turn of a ply where `remember` finds it."""
    start = memory.start[level]
    if level == 0:
        start = int64(0)
    memory.one[start], memory.other[start] = one, other


@jitable
def remember(
    board: Record, state: Record, memory: Record, level: int, stones: int, known: int
) -> None:
    """Put what was found at a ply of the attacker into the table."""
    start = memory.start[level] if level else int64(0)
    one, other = int64(memory.one[start]) & 8191, int64(memory.other[start]) & 8191
    key = key_of(board, state, memory, stones)
    place = int64(key & uint64(TABLE - 1))
    memory.keys[place] = key
    turns = memory.turns[level] if known == WON or memory.cut[level] else int64(ANY_TURNS)
    fact = one | other << 13 | turns << 26 | memory.singles[level] << 32
    memory.facts[place] = fact | known << 36


@jitable
def recall(board: Record, state: Record, memory: Record, level: int, stones: int) -> int:
    """Return what the table knows of a position of the attacker; OPEN if it knows nothing.

    If a zone is wanted, a won position is OPEN, with the winning turn as the only one.
    """
    key = key_of(board, state, memory, stones)
    place = int64(key & uint64(TABLE - 1))
    if memory.keys[place] != key:
        return OPEN
    fact = memory.facts[place]
    turns, singles, known = fact >> 26 & 63, fact >> 32 & 15, fact >> 36
    if known == FAILED:
        if turns < memory.turns[level] or singles < memory.singles[level]:
            return OPEN
        memory.cut[level] = 0 if turns == ANY_TURNS else 1
        return FAILED
    if turns > memory.turns[level] or singles > memory.singles[level]:
        return OPEN
    one, other = fact & 8191, fact >> 13 & 8191
    if other == 8191:
        other = int64(-1)
    if memory.free[level] == 0:
        remember_turn(memory, level, one, other)
        return WON
    add_turn(memory, level, one, other, int64(0))
    return OPEN
