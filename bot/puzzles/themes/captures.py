"""Themes of games in which groups without liberties are captured: Blooms and Free Go.

A group is *weak* if one turn can fill all its liberties: two in Blooms, one in Free Go.
"""

from dataclasses import dataclass

import engine
from bot.puzzles.themes.groups import Group, empty_around, groups_of


@dataclass(frozen=True)
class CaptureThemes:
    """The themes of a game in which one turn can fill `fills` liberties."""

    fills: int

    def __call__(self, before: engine.Position, after: engine.Position) -> list[str]:
        """Return the themes of the turn between two positions.

        - capture: it captures; multi-capture: two groups or more at once
        - save: a weak group is not weak afterwards
        - threat: an enemy group that was not weak is weak now; double-threat: two
        """
        solver, found = before.to_play, list[str]()
        enemies = groups_of(before, 3 - solver)
        taken = [group for group in enemies if group <= set(after.captured)]
        if taken:
            found.append("capture")
        if len(taken) > 1:
            found.append("multi-capture")
        if self._saved(before, after, solver):
            found.append("save")
        threatened = [
            group
            for group in groups_of(after, 3 - solver)
            if self._is_weak(after, group) and not self._was_weak(before, group, enemies)
        ]
        if threatened and not after.over:
            found.append("threat")
        if len(threatened) > 1 and not after.over:
            found.append("double-threat")
        return found

    def _is_weak(self, position: engine.Position, group: Group) -> bool:
        return len(empty_around(position, group)) <= self.fills

    def _was_weak(self, before: engine.Position, group: Group, enemies: list[Group]) -> bool:
        return any(self._is_weak(before, old) for old in enemies if old & group)

    def _saved(self, before: engine.Position, after: engine.Position, solver: int) -> bool:
        now = groups_of(after, solver)
        weak = [group for group in groups_of(before, solver) if self._is_weak(before, group)]
        return any(
            old <= group and not self._is_weak(after, group) for old in weak for group in now
        )
