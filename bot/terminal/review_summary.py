"""What a reviewed game comes to: figures for each player, and where the game turned."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from bot.terminal.review import Mark, ReviewedTurn, Thresholds, thresholds


@dataclass(frozen=True)
class PlayerSummary:
    """One player's turns; `mistakes` and `blunders` are the numbers of those.

    `mean_loss` is None where the engine said nothing.
    """

    player: int
    turns: int
    agreed: int
    mean_loss: float | None
    mistakes: tuple[int, ...]
    blunders: tuple[int, ...]


@dataclass(frozen=True)
class TurningPoint:
    """The loser's turn after which `winner` was ahead to the end, by more than noise."""

    number: int
    player: int
    turn: str
    loss: float | None
    winner: int


@dataclass(frozen=True)
class ReviewSummary:
    """`playouts` are the median of the searches that did not solve their position.

    `turning_point` is None if nobody won, or the winner was ahead all the time, or never.
    """

    players: tuple[PlayerSummary, PlayerSummary]
    turning_point: TurningPoint | None
    thresholds: Thresholds
    playouts: int | None


def summarize(turns: Sequence[ReviewedTurn], winner: int | None) -> ReviewSummary:
    """The summary of a game that `winner` won; None for a draw, and for a game that goes on."""
    playouts = _usual_playouts(turns)
    limits = thresholds(playouts)
    return ReviewSummary(
        players=(_player(turns, 1, limits), _player(turns, 2, limits)),
        turning_point=None if winner is None else turning_point(turns, winner, limits),
        thresholds=limits,
        playouts=playouts,
    )


def _usual_playouts(turns: Sequence[ReviewedTurn]) -> int | None:
    told = [turn.playouts for turn in turns if turn.playouts and turn.value not in (0, 1)]
    return round(median(told)) if told else None


def _player(turns: Sequence[ReviewedTurn], player: int, limits: Thresholds) -> PlayerSummary:
    own = [turn for turn in turns if turn.player == player]
    losses = [turn.loss for turn in own if turn.loss is not None]
    return PlayerSummary(
        player=player,
        turns=len(own),
        agreed=sum(turn.agrees for turn in own),
        mean_loss=sum(losses) / len(losses) if losses else None,
        mistakes=_marked(own, limits, Mark.MISTAKE),
        blunders=_marked(own, limits, Mark.BLUNDER),
    )


def _marked(turns: Sequence[ReviewedTurn], limits: Thresholds, mark: Mark) -> tuple[int, ...]:
    return tuple(turn.number for turn in turns if limits.mark(turn.loss) is mark)


def turning_point(
    turns: Sequence[ReviewedTurn], winner: int, limits: Thresholds
) -> TurningPoint | None:
    """The loser's turn with which the balance went over to the winner for good.

    The balance is the mean of two evaluations in succession: a search favours the player to move,
    and so each of them has been favoured once. What a mistake loses is needed to be ahead.
    """
    # A game begins even, so that its second turn can be the one already.
    chances = [0.5, *(_chance_of(winner, turn) for turn in turns)]
    open_until = [
        place
        for place, (one, two) in enumerate(pairwise(chances))
        if one is not None and two is not None and (one + two) / 2 < 0.5 + limits.mistake
    ]
    if not open_until or open_until[-1] + 2 > len(turns):
        return None
    # Two turns lead from that mean to the next; only the loser's can have changed it this way.
    between = turns[open_until[-1] : open_until[-1] + 2]
    turn = next(turn for turn in between if turn.player != winner)
    return TurningPoint(turn.number, turn.player, turn.turn, turn.loss, winner)


def _chance_of(player: int, turn: ReviewedTurn) -> float | None:
    if turn.value is None:
        return None
    return turn.value if turn.player == player else 1 - turn.value
