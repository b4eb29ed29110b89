"""A whole game as an engine sees it: what each turn gained or gave away."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from rich.table import Table

import engine
from bot.terminal.analysis import Analysis


@dataclass(frozen=True)
class ReviewedTurn:
    """A turn between the evaluation before it and the one after it, both from its mover's side.

    `after` is the result itself where the turn ended the game. None where the engine said nothing.
    """

    number: int
    player: int
    turn: str
    before: float | None
    after: float | None
    best: str

    @property
    def loss(self) -> float | None:
        """How much the turn gave away, never below 0."""
        if self.before is None or self.after is None:
            return None
        return max(0.0, self.before - self.after)


def positions_of(last: engine.Position) -> list[engine.Position]:
    """Every position of the game from its start to `last`."""
    positions = [last.game.start()]
    for turn in last.turns:
        positions.append(positions[-1].play(turn))
    return positions


def review(
    positions: Sequence[engine.Position], analyse: Callable[[engine.Position], Analysis]
) -> Iterator[ReviewedTurn]:
    """Each turn as soon as the positions on both of its sides have been analysed."""
    analysis = analyse(positions[0])
    for number, (position, following) in enumerate(pairwise(positions), start=1):
        reply = None if following.over else analyse(following)
        yield ReviewedTurn(
            number=number,
            player=position.to_play,
            turn=following.turns[-1],
            before=analysis.value,
            after=_after(following, position.to_play, reply),
            best=analysis.lines[0].turn,
        )
        if reply is not None:
            analysis = reply


def _after(position: engine.Position, mover: int, reply: Analysis | None) -> float | None:
    if reply is None:
        return {mover: 1.0, None: 0.5}.get(position.winner, 0.0)
    return None if reply.value is None else 1 - reply.value


def review_table(turns: Sequence[ReviewedTurn]) -> Table:
    """One line a turn."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("turn", "player"):
        table.add_column(heading, justify="right")
    table.add_column("played")
    for heading in ("before", "after", "loss"):
        table.add_column(heading, justify="right")
    table.add_column("best")
    for turn in turns:
        figures = (_percent(figure) for figure in (turn.before, turn.after, turn.loss))
        table.add_row(str(turn.number), str(turn.player), turn.turn, *figures, turn.best)
    return table


def _percent(figure: float | None) -> str:
    return "" if figure is None else f"{figure:.1%}"
