"""Verifies puzzles by longer searches with other random numbers."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from bot.puzzles.making.answers import answers_of
from bot.puzzles.making.mining import USUAL
from bot.puzzles.making.uniqueness import Rival, after
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
    """The solver's chance after the solution."""
    without: float
    """The solver's chance after the best turn that the puzzle does not accept; 0 without one."""
    failure: str | None
    """None, `OTHER_TURN` or `NOT_UNIQUE`."""
    right: tuple[str, ...]
    """Right answers that the puzzle does not accept."""
    wrong: Rival | None
    """The best of the wrong answers."""

    @property
    def mended(self) -> Puzzle | None:
        """The puzzle with all right answers; None if its solution is not the best turn."""
        if self.failure == OTHER_TURN:
            return None
        changes: dict[str, object] = {"answers": (*self.puzzle.answers, *self.right)}
        if self.wrong is not None and self.puzzle.second_turn in self.right:
            chance = round(self.wrong.chance, 3)
            changes |= {"second": chance, "second_turn": self.wrong.turn}
        return self.puzzle.model_copy(update=changes)


def sample(puzzles: Sequence[Puzzle], count: int, seed: int) -> list[Puzzle]:
    """Return `count` random puzzles, or all if there are no more."""
    return random.Random(seed).sample(puzzles, min(count, len(puzzles)))


def verify(puzzles: Sequence[Puzzle], playouts: int, seed: int) -> Iterator[Verified]:
    """Search each puzzle with all turns, and after each turn that could be right.

    A puzzle fails if the first search chooses a turn that the puzzle does not accept, or if the
    chance after another such turn is less than the usual gap below that after the solution.
    """
    judges: dict[object, Judge] = {}
    for puzzle in puzzles:
        game = game_of(puzzle)
        judge = judges.setdefault(game, Judge(game, seed=seed))
        yield verified(judge, puzzle, playouts)


def verified(judge: Judge, puzzle: Puzzle, playouts: int) -> Verified:
    """Return the verdict on one puzzle."""
    position, known = puzzle.position, (puzzle.solution, *puzzle.answers)
    best = judge.judge(position, playouts).best
    chance = after(judge, position, puzzle.solution, playouts)[0]
    found = answers_of(judge, position, known, playouts, chance - USUAL.gap)
    wrong = 0.0 if found.wrong is None else found.wrong.chance
    without, failure = chance if found.right else wrong, None
    if not puzzle.is_solved_by(best.turn):
        failure = OTHER_TURN
    elif found.right:
        failure = NOT_UNIQUE
    verdict = best.turn, chance, without, failure
    return Verified(puzzle, *verdict, found.right, found.wrong)
