"""Themes of Bluestone: captures, groups that are joined, cut or rescued, and the score."""

import engine
from bot.puzzles.themes.groups import Group, around, groups_of, placed


def bluestone_themes(before: engine.Position, after: engine.Position) -> list[str]:
    """Return the themes of the turn between two positions.

    - capture: it captures stones
    - connect: one of its stones joins two groups of the solver or more
    - cut: one of its stones stands next to two enemy groups or more
    - rescue: stones that one enemy stone could capture can no longer be captured by one
    - blue-stone: the solver's highest score rises
    """
    solver, found = before.to_play, list[str]()
    cells = list(placed(before, after))
    own, enemies = groups_of(before, solver), groups_of(before, 3 - solver)
    if after.captured:
        found.append("capture")
    if any(_touched(before, cell, own) > 1 for cell in cells):
        found.append("connect")
    if any(_touched(before, cell, enemies) > 1 for cell in cells):
        found.append("cut")
    if _best_score(after, solver) > _best_score(before, solver):
        found.append("blue-stone")
    if not after.over and _rescues(before, after):
        found.append("rescue")
    return found


def _touched(position: engine.Position, cell: str, groups: list[Group]) -> int:
    near = around(position, frozenset({cell}))
    return sum(bool(group & near) for group in groups)


def _best_score(position: engine.Position, player: int) -> int:
    return int(position.scores[player - 1][0])


def _rescues(before: engine.Position, after: engine.Position) -> bool:
    """Return whether a stone of the solver that could be captured by one stone is safe from it."""
    if before.turns and before.turns[-1] == "pass":
        return False  # to ask what the enemy threatens, the solver passes, which ends the game
    waiting = before.play("pass")
    lost = capturable(waiting)
    still = capturable(after)
    return any(cell in after.stones and cell not in still for cell in lost)


def capturable(position: engine.Position) -> set[str]:
    """Return the cells whose stones the player to move could capture by one stone."""
    steps = position.choices().legal
    return {cell for step in steps for cell in position.choices([step]).captured}
