"""A review of a game: how much each turn lost compared with the engine's choice.

Values from searches of different positions are not comparable: a search favours the player to move,
and the best of many noisy values is too high. So the positions after the turn and after the
engine's choice get one search each, of the same length. A turn that is the engine's choice loses
nothing.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import pairwise
from math import sqrt
from typing import Final

import engine
from bot.engines.lines import EngineLine
from bot.terminal.analysis import Analysis

# Thresholds: the losses from which a turn is a mistake, or a blunder.
#
# `make lab ARGS=review` measures what noise alone makes good turns lose; see docs/performance.md.

FEWEST_PLAYOUTS: Final = 1_000
"""Assumed for engines that report no playouts, and for shorter searches."""
NOISE: Final = 0.2
"""Noise with that number of playouts: fewer than 2 of 100 good turns seem to lose this much.

The noise falls with the square root of the number of playouts.
"""
SMALLEST_MISTAKE: Final = 0.06
"""The smallest loss that counts as a mistake, however little noise there is."""
BLUNDER_LOSS: Final = 0.15
BLUNDER_NOISE: Final = 2.0
"""A blunder loses `BLUNDER_LOSS`, and this many times the threshold of a mistake."""


class Mark(StrEnum):
    """The marks of chess annotations."""

    NONE = ""
    MISTAKE = "?"
    BLUNDER = "??"


@dataclass(frozen=True)
class Thresholds:
    """The losses, as shares of a won game, from which a turn is marked."""

    mistake: float
    blunder: float

    def mark(self, loss: float | None) -> Mark:
        """Return the mark of a turn with that loss; `NONE` if the loss is unknown."""
        if loss is None or loss < self.mistake:
            return Mark.NONE
        return Mark.BLUNDER if loss >= self.blunder else Mark.MISTAKE


def thresholds(playouts: int | None) -> Thresholds:
    """Return the thresholds for searches with that many playouts of the built-in engine."""
    playouts = max(FEWEST_PLAYOUTS, playouts or 0)
    mistake = max(SMALLEST_MISTAKE, NOISE * sqrt(FEWEST_PLAYOUTS / playouts))
    return Thresholds(mistake, max(BLUNDER_LOSS, BLUNDER_NOISE * mistake))


Analyse = Callable[[engine.Position], Analysis]


@dataclass(frozen=True)
class ReviewJudgement:
    """The mover's chance to win after a turn, and the playouts if the engine reports them.

    If the turn ended the game, the chance is the result: 1, 0.5 or 0. It is None if the engine
    reports none.
    """

    value: float | None
    playouts: int | None


@dataclass(frozen=True)
class ReviewedTurn:
    """A turn compared with the engine's choice; values are the mover's chances to win."""

    number: int
    player: int
    turn: str
    value: float | None
    choice: str
    choice_value: float | None
    agrees: bool
    playouts: int | None
    """Playouts of the longer of the two searches; a proof may have ended the shorter one."""
    lines: tuple[EngineLine, ...] = ()
    """The best lines in the search before the turn; their values come from one search."""

    @property
    def loss(self) -> float | None:
        """The loss of the turn, at least 0; None if unknown."""
        if self.value is None or self.choice_value is None:
            return None
        return max(0.0, self.choice_value - self.value)


def positions_of(last: engine.Position) -> list[engine.Position]:
    """Return every position of the game from its start to `last`."""
    positions = [last.game.start()]
    for turn in last.turns:
        positions.append(positions[-1].play(turn))
    return positions


def review(positions: Sequence[engine.Position], analyse: Analyse) -> Iterator[ReviewedTurn]:
    """Yield each turn as soon as the position after it has been searched.

    Each position of the game is searched once, and each position after an unplayed choice as well.
    """
    if len(positions) < 2:
        return
    analysis = analyse(positions[0])
    for before, after in pairwise(positions):
        reply = None if after.over else analyse(after)
        turn = reviewed_turn(before, after, analysis.lines[0].turn, reply, analyse)
        yield replace(turn, lines=analysis.lines)
        if reply is not None:
            analysis = reply


def reviewed_turn(
    before: engine.Position,
    after: engine.Position,
    choice: str,
    reply: Analysis | None,
    analyse: Analyse,
) -> ReviewedTurn:
    """Compare the turn from `before` to `after` with the engine's choice.

    `reply` is the search of `after`, None if the game is over there.
    """
    played = judgement(before.to_play, after, reply)
    chosen = before.play(choice)
    agrees = chosen.stones == after.stones  # the order of two stones makes no difference
    best = played
    if not agrees:
        best = judgement(before.to_play, chosen, None if chosen.over else analyse(chosen))
    return ReviewedTurn(
        number=before.turn_number,
        player=before.to_play,
        turn=after.turns[-1],
        value=played.value,
        choice=after.turns[-1] if agrees else chosen.turns[-1],
        choice_value=best.value,
        agrees=agrees,
        playouts=max(played.playouts or 0, best.playouts or 0) or None,
    )


def judgement(mover: int, position: engine.Position, reply: Analysis | None) -> ReviewJudgement:
    """Return the chance of the player who moved to this position; `reply` is None at the end."""
    if reply is None:
        return ReviewJudgement({mover: 1.0, None: 0.5}.get(position.winner, 0.0), None)
    return ReviewJudgement(None if reply.value is None else 1 - reply.value, reply.nodes)
