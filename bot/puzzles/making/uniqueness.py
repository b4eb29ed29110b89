"""Whether a position has one best turn, and how much worse the best other turn is.

The search places one stone after the other, so a turn is a path of two edges, and both orders of
the stones are one turn. A search that has found the best turn hardly looks at others. So the second
best is found in three steps:

1. A search without the best turn, in either order, spends all its playouts on the others.
2. The first few turns of that search, and of the usual search, are the rivals.
3. Many more turns of that search get a very short search of the position after them, in which the
   game's prover takes part. The best of them is a rival too: of several wins by force, a search
   without proofs may see none.
4. The positions after the best turn and after each rival get searches of equal length. Their values
   are comparable; those of one search with very different visits are not.

The highest value of a rival counts, also that of the search without the best turn.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import engine
from engine.contract import Candidate
from engine.players.judge import Judge

SWEPT: Final = 200
"""Turns of that search that get a short one."""
SHORT: Final = 100
"""Playouts of the short searches."""
RIVALS: Final = 2
"""Turns of the search without the best turn that are searched on their own."""


@dataclass(frozen=True)
class Rival:
    """A turn and its player's chance to win afterwards."""

    turn: str
    chance: float


@dataclass(frozen=True)
class Comparison:
    """The best turn of a position, the second best, and the line after the best."""

    best: Rival
    second: Rival
    line: tuple[str, ...]
    proved: bool

    @property
    def gap(self) -> float:
        return self.best.chance - self.second.chance


def compare(
    judge: Judge,
    position: engine.Position,
    best: str,
    playouts: int,
    *,
    demanded: float,
    rivals: int = RIVALS,
) -> Comparison | None:
    """Compare the turn `best` with its rivals; None if no other turn can be found.

    A rival that is less than `demanded` behind ends the comparison: one refuses the puzzle.
    """
    others = judge.judge(position, playouts, excluded=(best,), count=SWEPT).candidates
    if not others:
        return None
    chance, line, proved = after(judge, position, best, playouts)
    second = Rival(others[0].turn, value_of(others[0]))
    turns = [other.turn for other in others]
    for turn in (strongest(judge, position, turns), *turns[:rivals]):
        if chance - second.chance < demanded:
            break
        rival = Rival(turn, after(judge, position, turn, playouts)[0])
        second = max(second, rival, key=lambda each: each.chance)
    return Comparison(Rival(best, chance), second, line, proved)


def strongest(judge: Judge, position: engine.Position, turns: Sequence[str]) -> str:
    """Return the turn after which a short search gives its player the best chance.

    Returns the first turn that is found to win for certain.
    """
    best, chance = turns[0], -1.0
    for turn in turns:
        value = after(judge, position, turn, SHORT)[0]
        if value > chance:
            best, chance = turn, value
        if chance == 1.0:
            break
    return best


def after(
    judge: Judge, position: engine.Position, turn: str, playouts: int
) -> tuple[float, tuple[str, ...], bool]:
    """Return the mover's chance after a turn, the expected line, and whether a win is proved."""
    reached = position.play(turn)
    if reached.over:
        won = {position.to_play: 1.0, None: 0.5}.get(reached.winner, 0.0)
        return won, (), won == 1.0
    best = judge.judge(reached, playouts).best
    chance = 1.0 - value_of(best)
    return chance, best.line, best.result == 0.0


def value_of(candidate: Candidate) -> float:
    """Return a candidate's chance, or its result if that is proved."""
    return candidate.value if candidate.result is None else candidate.result
