"""A reviewed game in tables and words, no wider than 80 columns."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import Final

from rich.table import Table
from rich.text import Text

from bot.engines.lines import EngineLine
from bot.terminal.review import Mark, ReviewedTurn, Thresholds, thresholds


@dataclass(frozen=True)
class ReviewedPlayer:
    """One player's turns; `mistakes` and `blunders` have the numbers of such turns.

    `mean_loss` is None if the engine reports no values.
    """

    player: int
    turns: int
    agreed: int
    mean_loss: float | None
    mistakes: tuple[int, ...]
    blunders: tuple[int, ...]


@dataclass(frozen=True)
class TurningPoint:
    """The loser's turn after which `winner` was ahead until the end, by more than noise."""

    number: int
    player: int
    turn: str
    loss: float | None
    winner: int


@dataclass(frozen=True)
class ReviewSummary:
    """The review of a game in figures.

    `turning_point` is None without a winner, or if the winner was always or never ahead. `playouts`
    is the median of the searches that did not solve their position.
    """

    players: tuple[ReviewedPlayer, ReviewedPlayer]
    turning_point: TurningPoint | None
    thresholds: Thresholds
    playouts: int | None


def summarize(turns: Sequence[ReviewedTurn], winner: int | None) -> ReviewSummary:
    """Summarize a game. `winner` is None in a draw and in an unfinished game."""
    playouts = _usual_playouts(turns)
    limits = thresholds(playouts)
    return ReviewSummary(
        players=(_player(turns, 1, limits), _player(turns, 2, limits)),
        turning_point=None if winner is None else turning_point(turns, winner, limits),
        thresholds=limits,
        playouts=playouts,
    )


def _usual_playouts(turns: Sequence[ReviewedTurn]) -> int | None:
    known = [turn.playouts for turn in turns if turn.playouts and turn.value not in (0, 1)]
    return round(median(known)) if known else None


def _player(turns: Sequence[ReviewedTurn], player: int, limits: Thresholds) -> ReviewedPlayer:
    own = [turn for turn in turns if turn.player == player]
    losses = [turn.loss for turn in own if turn.loss is not None]
    return ReviewedPlayer(
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
    """Return the loser's turn after which the winner stayed ahead.

    The balance is the mean of two successive evaluations: a search favours the player to move, so
    each player is favoured once. A player is ahead by at least the threshold of a mistake.
    """
    # A game starts even, so its second turn can be the turning point.
    chances = [0.5, *(_chance_of(winner, turn) for turn in turns)]
    open_until = [
        place
        for place, (one, two) in enumerate(pairwise(chances))
        if one is not None and two is not None and (one + two) / 2 < 0.5 + limits.mistake
    ]
    if not open_until or open_until[-1] + 2 > len(turns):
        return None
    # The change from that mean to the next has two turns. Only the loser's turn can have caused it.
    between = turns[open_until[-1] : open_until[-1] + 2]
    turn = next(turn for turn in between if turn.player != winner)
    return TurningPoint(turn.number, turn.player, turn.turn, turn.loss, winner)


def _chance_of(player: int, turn: ReviewedTurn) -> float | None:
    if turn.value is None:
        return None
    return turn.value if turn.player == player else 1 - turn.value


_STYLES = {Mark.MISTAKE: "yellow", Mark.BLUNDER: "bold red"}
"""Colours repeat what the marks say."""
_PLAYER_WIDTH = 32
UNSURE: Final = 0.02
"""A line with less than this share of the most playouts of a line has no value to rely on."""


def review_table(turns: Sequence[ReviewedTurn], limits: Thresholds) -> Table:
    """Return one row per turn. Both chances to win are those of the player who made it."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("turn", "player"):
        table.add_column(heading, justify="right")
    table.add_column("played", no_wrap=True)
    for heading in ("chance", "loss"):
        table.add_column(heading, justify="right")
    table.add_column("", no_wrap=True)
    table.add_column("engine's choice", no_wrap=True)
    table.add_column("chance", justify="right")
    for turn in turns:
        mark = limits.mark(turn.loss)
        table.add_row(
            *(str(turn.number), str(turn.player), turn.turn),
            *(percent(turn.value), percent(turn.loss)),
            mark,
            "the same" if turn.agrees else turn.choice,
            "" if turn.agrees else percent(turn.choice_value),
            style=_STYLES.get(mark),
        )
    return table


def lines_table(turns: Sequence[ReviewedTurn], count: int) -> Table:
    """Return the `count` best turns before each turn, with their values and visits."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("turn", justify="right")
    table.add_column("best turns", no_wrap=True)
    for heading in ("value", "visits"):
        table.add_column(heading, justify="right")
    table.add_column("expected turns")
    for turn in turns:
        for place, cells in enumerate(lines_cells(turn.lines[:count])):
            table.add_row("" if place else str(turn.number), *cells)
    return table


def lines_cells(lines: Sequence[EngineLine]) -> list[tuple[str, str, str, str]]:
    """Return turn, value, visits and expected turns of each line; unknown values are empty.

    A value that rests on few playouts has the prefix `~`.
    """
    most = max((line.visits or 0 for line in lines), default=0)
    # The best line may have few playouts: it is then proved, or there are no others.
    least = [0.0, *[UNSURE * most] * len(lines)]
    return [_line_cells(line, fewest) for line, fewest in zip(lines, least, strict=False)]


def _line_cells(line: EngineLine, least: float) -> tuple[str, str, str, str]:
    visits = "" if line.visits is None else str(line.visits)
    is_unsure = line.value is not None and line.visits is not None and line.visits < least
    value = f"{'~' if is_unsure else ''}{percent(line.value)}"
    return line.turn, value, visits, " ".join(line.pv[1:])


def summary_table(summary: ReviewSummary, names: tuple[str, str]) -> Table:
    """Return one column per player."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("")
    for number, name in enumerate(names, start=1):
        table.add_column(f"{number} {name}", max_width=_PLAYER_WIDTH)
    columns = zip(*(_player_cells(player) for player in summary.players), strict=True)
    headings = ("turns", "as the engine", "mean loss", "mistakes ?", "blunders ??")
    for heading, cells in zip(headings, columns, strict=True):
        table.add_row(heading, *cells)
    return table


def _player_cells(player: ReviewedPlayer) -> tuple[str, ...]:
    return (
        str(player.turns),
        _agreement(player),
        percent(player.mean_loss),
        _listed(player.mistakes),
        _listed(player.blunders),
    )


def summary_text(summary: ReviewSummary) -> Text:
    """Return the turning point, and the meaning of the marks."""
    point = summary.turning_point
    turning = () if point is None else (Text(_turning_words(point, summary.thresholds)),)
    return Text("\n").join((*turning, Text(_marks_words(summary))))


def percent(figure: float | None) -> str:
    """Format a fraction of 1 as a percentage; empty if unknown."""
    return "" if figure is None else f"{figure:.1%}"


def _agreement(player: ReviewedPlayer) -> str:
    share = f" ({player.agreed / player.turns:.0%})" if player.turns else ""
    return f"{player.agreed}{share}"


def _listed(numbers: Sequence[int]) -> str:
    if not numbers:
        return "none"
    return f"{len(numbers)}: {', '.join(str(number) for number in numbers)}"


def _turning_words(point: TurningPoint, limits: Thresholds) -> str:
    is_mistake = limits.mark(point.loss) is not Mark.NONE
    lost = f", which lost {point.loss:.1%}" if is_mistake else ", not a mistake by itself"
    return (
        f"Turning point: turn {point.number}, {point.turn} by player {point.player}{lost}. "
        f"From then on player {point.winner} was ahead."
    )


def _marks_words(summary: ReviewSummary) -> str:
    limits = summary.thresholds
    searched = "" if summary.playouts is None else f" of {summary.playouts:,} playouts"
    return (
        f"Chances to win are those of the player who made the turn. ? lost {limits.mistake:.1%} "
        f"or more against the engine's choice, ?? {limits.blunder:.1%}; smaller losses may be "
        f"noise of searches{searched}."
    )
