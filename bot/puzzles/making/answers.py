"""Every right answer of a puzzle: the turns that are as good as its solution."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import engine
from bot.puzzles.making.forcing import winning_turns
from bot.puzzles.making.uniqueness import RIVALS, SWEPT, Rival, after
from engine.players.judge import Judge

# The problem: the search places one stone after the other and soon looks at few turns only. A turn
# that is as good as the solution may get no playout at all, and its player is told that it is
# wrong.
#
# The idea: each turn gets a search of its own, of the position after it. The first searches are
# short, and most turns are refused by them. The few that are left get longer ones, the last with
# all playouts. A proof decides at once. In HeXO, which has too many turns, these are the turns that
# a search names; those that win by threats are found in another way.

STAGES: Final = ((60, 40), (600, 6))
"""Playouts of each search of a stage, and how many turns without a proof go on to the next one."""


@dataclass(frozen=True)
class Answers:
    """The right answers beside those known before, and the best of the wrong ones."""

    right: tuple[str, ...]
    wrong: Rival | None


def answers_of(
    judge: Judge, position: engine.Position, known: Sequence[str], playouts: int, least: float
) -> Answers:
    """Search the turns of a position that could be right, one by one.

    Args:
        judge: Of the game.
        position: The position to solve.
        known: The solution, and the other answers known before.
        playouts: Of the longest searches.
        least: The chance to win from which a turn without a proof is a right answer.
    """
    others = judge.judge(position, playouts, excluded=tuple(known), count=SWEPT).candidates
    named = [other.turn for other in others]
    right = list[str]()
    if position.game.board.is_bounded:
        named += position.legal_turns()
    else:
        right += _different(position, known, winning_turns(judge, position))
    left = _different(position, (*known, *right), named)
    always = set(left[:RIVALS])
    for count, kept in STAGES:
        proved, open_ = _searched(judge, position, left, count)
        right += proved
        left = [
            each.turn for place, each in enumerate(open_) if place < kept or each.turn in always
        ]
    proved, open_ = _searched(judge, position, left, playouts)
    right += proved
    right += [rival.turn for rival in open_ if rival.chance >= least]
    wrong = next((rival for rival in open_ if rival.chance < least), None)
    return Answers(tuple(right), wrong)


def _different(position: engine.Position, known: Iterable[str], turns: Iterable[str]) -> list[str]:
    """Return the turns that lead to different stones, without those that are known."""
    seen = {_stones(position, turn) for turn in known}
    found = []
    for turn in turns:
        stones = _stones(position, turn)
        if stones not in seen:
            seen.add(stones)
            found.append(turn)
    return found


def _stones(position: engine.Position, turn: str) -> frozenset[object]:
    return frozenset(position.play(turn).stones.items())


def _searched(
    judge: Judge, position: engine.Position, turns: Iterable[str], playouts: int
) -> tuple[list[str], list[Rival]]:
    """Return the turns that win by force, and those without a proof, best first."""
    proved, open_ = list[str](), list[Rival]()
    for turn in turns:
        chance, _, is_won = after(judge, position, turn, playouts)
        if is_won:
            proved.append(turn)
        else:
            open_.append(Rival(turn, chance))
    return proved, sorted(open_, key=lambda rival: -rival.chance)
