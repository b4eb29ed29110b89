"""A whole game as an engine sees it: what each turn gave away against the engine's own choice.

Values of one search are not compared with those of another position: a search favours the player
to move, and the best of many noisy values is too high. So the position after the turn and the one
after the engine's choice get a search each, the same for both, and a turn that is the choice itself
gives nothing away.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import pairwise
from math import sqrt
from typing import Final

import engine
from bot.terminal.analysis import Analysis, Line

# From which loss on a turn is a mistake, and from which a blunder.
#
# `make lab ARGS=review` measures what noise alone makes good turns lose; see docs/performance.md.

FEWEST_PLAYOUTS: Final = 1_000
"""Taken for an engine that tells no playouts, and for searches of fewer."""
NOISE: Final = 0.2
"""Searches with that few playouts find as large a loss in fewer than 2 of 100 good turns. It goes
down with the square root of their number, as chance does."""
SMALLEST_MISTAKE: Final = 0.06
"""However little noise there is."""
BLUNDER_LOSS: Final = 0.15
BLUNDER_NOISE: Final = 2.0
"""A blunder loses as much of a game, and this many times what may be noise."""


class Mark(StrEnum):
    """As in notes on games of chess."""

    NONE = ""
    MISTAKE = "?"
    BLUNDER = "??"


@dataclass(frozen=True)
class Thresholds:
    """The losses, as shares of a won game, from which a turn is marked."""

    mistake: float
    blunder: float

    def mark(self, loss: float | None) -> Mark:
        """What a turn with that loss is; nothing where the loss is not known."""
        if loss is None or loss < self.mistake:
            return Mark.NONE
        return Mark.BLUNDER if loss >= self.blunder else Mark.MISTAKE


def thresholds(playouts: int | None) -> Thresholds:
    """The thresholds for searches with so many playouts of the built-in engine."""
    playouts = max(FEWEST_PLAYOUTS, playouts or 0)
    mistake = max(SMALLEST_MISTAKE, NOISE * sqrt(FEWEST_PLAYOUTS / playouts))
    return Thresholds(mistake, max(BLUNDER_LOSS, BLUNDER_NOISE * mistake))


Analyse = Callable[[engine.Position], Analysis]


@dataclass(frozen=True)
class Judgement:
    """What the mover's chance to win is after a turn; `playouts` if the engine tells them.

    The chance is the result itself where the turn ended the game, and None where the engine said
    nothing.
    """

    value: float | None
    playouts: int | None


@dataclass(frozen=True)
class ReviewedTurn:
    """A turn beside the engine's choice; the values are those of its mover."""

    number: int
    player: int
    turn: str
    value: float | None
    choice: str
    choice_value: float | None
    agrees: bool
    playouts: int | None
    """Of the longer search of the two that were compared: the shorter one ended by a proof."""
    lines: tuple[Line, ...] = ()
    """What the search before the turn thought of the best ones; their values are of one search."""

    @property
    def loss(self) -> float | None:
        """How much the turn gave away, never below 0."""
        if self.value is None or self.choice_value is None:
            return None
        return max(0.0, self.choice_value - self.value)


def positions_of(last: engine.Position) -> list[engine.Position]:
    """Every position of the game from its start to `last`."""
    positions = [last.game.start()]
    for turn in last.turns:
        positions.append(positions[-1].play(turn))
    return positions


def review(positions: Sequence[engine.Position], analyse: Analyse) -> Iterator[ReviewedTurn]:
    """Each turn as soon as what it led to has been searched.

    A position of the game is searched once, and so is the one after a choice that was not played.
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
    """The turn from `before` to `after`, whose search is `reply`, beside the engine's choice."""
    played = judgement(before.to_play, after, reply)
    chosen = before.play(choice)
    agrees = chosen.stones == after.stones  # the order of two stones is no other turn
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


def judgement(mover: int, position: engine.Position, reply: Analysis | None) -> Judgement:
    """What the player who led to this position may hope for; `reply` is None if it is the end."""
    if reply is None:
        return Judgement({mover: 1.0, None: 0.5}.get(position.winner, 0.0), None)
    return Judgement(None if reply.value is None else 1 - reply.value, reply.nodes)
