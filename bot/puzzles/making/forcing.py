"""The turns of HeXO that win by force, also those that a search of the position hardly looks at."""

from collections.abc import Iterable, Iterator
from itertools import combinations
from typing import Final

import engine
from bot.puzzles.making.uniqueness import after
from bot.puzzles.themes.hexo import PER_TURN, THREAT, live_rows, threats
from engine.boards.plane import Cell, cell_name, cell_of, distance
from engine.players.judge import Judge

# The problem: a position has some 2,000 turns that make a threat. One of them is proved to win
# after hundreds of playouts, and has a low value until then, so that short searches refuse it.
#
# The idea: search the position after each first stone. Such a search soon finds the second stone
# with which a turn wins, and its prover takes part. A turn is missed only if each of its stones
# wins with another stone too; so all pairs of the stones that win are searched as well.
#
# If one stone is enough, the other may be anywhere. That is so if the turn wins with a stone that
# is far away.

FIRST_STONE: Final = 1_000
"""Playouts of each search; the proofs of most wins take 100 to 600."""

Pair = frozenset[Cell]


def winning_turns(judge: Judge, position: engine.Position) -> Iterator[str]:
    """Yield the turns that win by force and make a threat or complete six in a row, each once."""
    solver, cells = position.to_play, _legal_cells(position)
    wins = threats(position, solver)
    if wins:
        pairs = {Pair((*win, cell)) for win in wins for cell in cells if len({*win, cell}) <= 2}
    else:
        rows = live_rows(position, solver, THREAT - PER_TURN)
        pairs = set(_found(judge, position, sorted(set().union(*rows) & cells)))
        stones = sorted(set().union(*pairs))
        more = {Pair(pair) for pair in combinations(stones, PER_TURN)} - pairs
        pairs |= {pair for pair in more if _wins(judge, position, pair)}
        far = _far_cell(position, cells)
        for stone in stones:
            if _wins(judge, position, (stone, far)):
                pairs |= {Pair((stone, cell)) for cell in cells if cell != stone}
    yield from (_named(pair) for pair in sorted(pairs, key=sorted))


def _found(judge: Judge, position: engine.Position, stones: Iterable[Cell]) -> Iterator[Pair]:
    for stone in stones:
        begun = position.begin(cell_name(stone))
        best = judge.judge(begun, FIRST_STONE, count=1).candidates
        second = cell_of(best[0].turn) if best and best[0].result == 1.0 else None
        if second is not None:
            yield Pair((stone, second))


def _wins(judge: Judge, position: engine.Position, pair: Iterable[Cell]) -> bool:
    turn = _named(pair)
    return position.is_legal(turn) and after(judge, position, turn, FIRST_STONE)[2]


def _named(cells: Iterable[Cell]) -> str:
    return ",".join(cell_name(cell) for cell in sorted(cells))


def _legal_cells(position: engine.Position) -> frozenset[Cell]:
    found = (cell_of(name) for name in position.choices().legal)
    return frozenset(cell for cell in found if cell is not None)


def _far_cell(position: engine.Position, cells: Iterable[Cell]) -> Cell:
    """Return the legal cell on which a stone matters least."""
    stones = [cell for name in position.stones if (cell := cell_of(name)) is not None]
    return max(sorted(cells), key=lambda cell: min(distance(cell, stone) for stone in stones))
