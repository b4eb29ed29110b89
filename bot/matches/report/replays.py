"""Recorded games, replayed by the rules, as a page steps through them."""

from dataclasses import dataclass
from typing import Final

import engine
from bot.records.model import GameRecord

DIGITS: Final = "0123456789abcdefghijklmnopqrstuvwxyz"
LETTERS: Final = {(1, 1): "A", (1, 2): "B", (2, 1): "C", (2, 2): "D"}
"""Of a stone of a player and a kind that is placed."""
REMOVED: Final = "X"
NOTHING: Final = "-"


@dataclass(frozen=True)
class Replay:
    """`changes` are those of each turn, with blanks between turns and dots within: a letter for
    what happens and the number of the cell to the base 36, `A1c.C9.X0`.

    `problem` says why the rest of the record does not replay; `last` is then the position before.
    """

    last: engine.Position
    changes: str
    problem: str | None = None


def replay(record: GameRecord) -> Replay | None:
    """None for a game that is not known here."""
    try:
        game = engine.game_of(record.game, record.board, record.rules, record.options)
    except engine.UnknownGame:
        return None
    position, changes, problem = game.start(), list[str](), None
    for turn in record.turns:
        try:
            after = position.play(turn.turn)
        except engine.IllegalTurn as error:
            problem = f"turn {len(changes) + 1} does not replay: {error}"
            break
        changes.append(_changes(position, after))
        position = after
    return Replay(position, " ".join(changes), problem)


def _changes(before: engine.Position, after: engine.Position) -> str:
    board = after.game.board
    parts = [
        f"{REMOVED}{base_36(board.index(cell))}"
        for cell in before.stones
        if cell not in after.stones
    ]
    parts += [
        f"{LETTERS[stone.player, stone.kind]}{base_36(board.index(cell))}"
        for cell, stone in after.stones.items()
        if before.stones.get(cell) != stone
    ]
    return ".".join(parts) or NOTHING


def base_36(number: int) -> str:
    high, low = divmod(number, 36)
    return (base_36(high) if high else "") + DIGITS[low]
