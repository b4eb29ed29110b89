"""Themes of Stargazers: who loses inspiration, who finds it again, and who runs out of cells."""

import engine

FEW_CELLS = 4
"""Cells for the opponent's next stone at which the solver has nearly closed the board."""


def stargazers_themes(before: engine.Position, after: engine.Position) -> list[str]:
    """Return the themes of the turn between two positions.

    - block: an enemy stone loses its inspiration; multi-block: three or more do
    - inspire: an own stone that was uninspired is inspired again
    - sacrifice: an own stone loses its inspiration
    - close: the opponent has at most four cells for the next stone, and had more before
    """
    solver, found = before.to_play, list[str]()
    blocked = _changed(before, after, 3 - solver, lost=True)
    if blocked:
        found.append("block")
    if len(blocked) >= 3:
        found.append("multi-block")
    if _changed(before, after, solver, lost=False):
        found.append("inspire")
    if _changed(before, after, solver, lost=True):
        found.append("sacrifice")
    if not after.over and _closes(before, after):
        found.append("close")
    return found


def _changed(
    before: engine.Position, after: engine.Position, player: int, *, lost: bool
) -> list[str]:
    """Return the player's stones of before that have lost, or found, inspiration."""
    return [
        cell
        for cell, stone in before.stones.items()
        if stone.player == player
        and ((cell in before.marks) is not lost)
        and ((cell in after.marks) is lost)
    ]


def _closes(before: engine.Position, after: engine.Position) -> bool:
    """Compare with the opponent's cells before the last turn of the opponent."""
    earlier = before.game.replay(before.turns[:-1])
    return len(after.choices().legal) <= FEW_CELLS < len(earlier.choices().legal)
