"""Verifies puzzles by longer searches with other random numbers."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from bot.puzzles.making.mining import USUAL
from bot.puzzles.making.uniqueness import SWEPT, after, strongest, value_of
from bot.puzzles.model import Puzzle, game_of
from engine.players.judge import Judge

OTHER_TURN: Final = "other_turn"
NOT_UNIQUE: Final = "not_unique"


@dataclass(frozen=True)
class Verified:
    """The searches of a puzzle. Chances are the solver's."""

    puzzle: Puzzle
    turn: str
    """The turn that the search chooses."""
    chance: float
    """The solver's chance in a search of all turns."""
    without: float
    """The solver's chance without the solution: in a search of the position, or after the turn that
    short searches find strongest."""
    failure: str | None
    """None, `OTHER_TURN` or `NOT_UNIQUE`."""


def sample(puzzles: Sequence[Puzzle], count: int, seed: int) -> list[Puzzle]:
    """Return `count` random puzzles, or all if there are no more."""
    return random.Random(seed).sample(puzzles, min(count, len(puzzles)))


def verify(puzzles: Sequence[Puzzle], playouts: int, seed: int) -> Iterator[Verified]:
    """Search each puzzle with all turns, without the solution, and after its strongest rival.

    A puzzle fails if the first search chooses another turn, or if the chance falls by less than
    the usual gap without the solution.
    """
    judges: dict[object, Judge] = {}
    for puzzle in puzzles:
        game = game_of(puzzle)
        judge = judges.setdefault(game, Judge(game, seed=seed))
        yield verified(judge, puzzle, playouts)


def verified(judge: Judge, puzzle: Puzzle, playouts: int) -> Verified:
    """Return the verdict on one puzzle."""
    position = puzzle.position
    best = judge.judge(position, playouts).best
    others = judge.judge(position, playouts, excluded=(puzzle.solution,), count=SWEPT).candidates
    chance, without = value_of(best), 0.0
    if others:
        rival = strongest(judge, position, [other.turn for other in others])
        without = max(value_of(others[0]), after(judge, position, rival, playouts)[0])
    failure = None
    if not puzzle.is_solved_by(best.turn):
        failure = OTHER_TURN
    elif chance - without < USUAL.gap:
        failure = NOT_UNIQUE
    return Verified(puzzle, best.turn, chance, without, failure)
