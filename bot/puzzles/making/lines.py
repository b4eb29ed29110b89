"""How a puzzle that is won by force goes on after its solution."""

from typing import Final

import engine
from engine.players.judge import Judge

PLAYOUTS: Final = 300
"""Playouts for each turn: a proof that has been found once is found again at once."""
MOST_TURNS: Final = 15


def winning_line(judge: Judge, position: engine.Position, winner: int) -> tuple[str, ...] | None:
    """Return turns by which `winner` wins from a position; None if the search loses its way.

    The search's own line ends where the tree ends, and a proof needs hardly any tree.
    """
    turns: list[str] = []
    while not position.over:
        found = judge.judge(position, PLAYOUTS, count=1).candidates
        if not found or len(turns) == MOST_TURNS:
            return None
        turns.append(found[0].turn)
        position = position.play(found[0].turn)
    return tuple(turns) if position.winner == winner else None
