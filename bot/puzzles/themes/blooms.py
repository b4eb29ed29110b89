"""Themes of Blooms: captures, blooms that are saved, and blooms that can be captured next."""

import engine
from bot.puzzles.themes.groups import Group, empty_around, groups_of

IN_ONE_TURN = 2
"""Liberties that one turn can fill, so a bloom with so many can be captured at once."""


def blooms_themes(before: engine.Position, after: engine.Position) -> list[str]:
    """Return the themes of the turn between two positions.

    - capture: it captures; multi-capture: two blooms or more at once
    - save: a bloom that could be captured at once has three liberties or more afterwards
    - threat: an enemy bloom that could not be captured in one turn now can; double-threat: two
    """
    solver, found = before.to_play, list[str]()
    enemies = groups_of(before, 3 - solver)
    taken = [bloom for bloom in enemies if bloom <= set(after.captured)]
    if taken:
        found.append("capture")
    if len(taken) > 1:
        found.append("multi-capture")
    if _saved(before, after, solver):
        found.append("save")
    threatened = [
        bloom
        for bloom in groups_of(after, 3 - solver)
        if _is_weak(after, bloom) and not _was_weak(before, bloom, enemies)
    ]
    if threatened and not after.over:
        found.append("threat")
    if len(threatened) > 1 and not after.over:
        found.append("double-threat")
    return found


def _is_weak(position: engine.Position, bloom: Group) -> bool:
    return len(empty_around(position, bloom)) <= IN_ONE_TURN


def _was_weak(before: engine.Position, bloom: Group, enemies: list[Group]) -> bool:
    return any(_is_weak(before, old) for old in enemies if old & bloom)


def _saved(before: engine.Position, after: engine.Position, solver: int) -> bool:
    now = groups_of(after, solver)
    weak = [bloom for bloom in groups_of(before, solver) if _is_weak(before, bloom)]
    return any(old <= bloom and not _is_weak(after, bloom) for old in weak for bloom in now)
