"""The platform's histories as the turns that our engine plays.

A game's `state` has a stack of positions, each with the ply that led to it. An end that was not
played stands there like a ply.
"""

from collections.abc import Sequence
from typing import Final

from bot.platforms.abstract_play.messages import State

RESIGN: Final = "resign"
ENDINGS: Final = frozenset({RESIGN, "timeout", "draw", "abandoned"})
"""What stands where a ply would, and is none."""


def is_move(text: str) -> bool:
    """Whether the text stands for a ply of the rules; it need not be legal."""
    turn = _turn(text)
    return turn != "" and turn not in ENDINGS


def turns_of_state(state: State) -> tuple[str, ...]:
    """The turns that led to the last position. Raises ValueError for a gap among them."""
    return _played([entry.last_move or "" for entry in state.stack[1:]])


def ending_of(state: State) -> str | None:
    """How the game ended: one of `ENDINGS`; None if it goes on, or was played out."""
    last = _turn(state.stack[-1].last_move or "")
    return last if last in ENDINGS else None


def _played(moves: Sequence[str]) -> tuple[str, ...]:
    """Only at the end may there be what is no move: left out elsewhere it would shift the seats."""
    turns = [_turn(move) for move in moves]
    while turns and not is_move(turns[-1]):
        turns.pop()
    for number, turn in enumerate(turns, start=1):
        if not is_move(turn):
            raise ValueError(f"ply {number} is {turn or 'missing'}, and there are others after it")
    return tuple(turns)


def _turn(text: str) -> str:
    return "".join(text.split()).lower()
