"""What a drawing shows besides the position."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from bot.errors import ConfigurationError
from engine import Board

LONGEST_TEXT: Final = 4


@dataclass(frozen=True)
class Annotations:
    """`texts` are written into cells, `highlighted` cells have a coloured ground.

    `connected` names cells whose connections are drawn: a stone's group with the blue stones that
    it touches, a bloom with the empty cells that touch it, or lines of sight. `last_turn` marks
    the stones of the last turn and what it captured, `coordinates` writes the name of each cell.
    """

    texts: Mapping[str, str] = field(default_factory=dict)
    highlighted: tuple[str, ...] = ()
    connected: tuple[str, ...] = ()
    last_turn: bool = False
    coordinates: bool = False

    def check(self, board: Board) -> None:
        """Raises ConfigurationError for cells that the board does not have, and odd texts."""
        cells = [*self.texts, *self.highlighted, *self.connected]
        problems = [f"{board.name} has no cell {cell!r}" for cell in _unknown(cells, board)]
        problems += [
            f"{text!r} at {cell}: a mark is 1 to {LONGEST_TEXT} letters or digits that can be shown"
            for cell, text in self.texts.items()
            if not 1 <= len(text) <= LONGEST_TEXT or not text.isprintable()
        ]
        if problems:
            raise ConfigurationError(problems)


def _unknown(cells: Iterable[str], board: Board) -> list[str]:
    return [cell for cell in dict.fromkeys(cells) if cell not in board]
