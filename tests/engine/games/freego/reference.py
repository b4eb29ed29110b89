"""Free Go straight from the rules: sets and floods, with nothing shared with the engine.

Ko is written as Go players say it: a stone may not recreate the position before the opponent's last
stone. `Reference` looks only one position back and only after a capture, which the simple ko means.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

Point = str
Stones = dict[Point, int]

COLUMNS = "abcdefghjklmnopqrst"


def neighbours(size: int) -> dict[Point, set[Point]]:
    near: dict[Point, set[Point]] = {}
    for x in range(size):
        for y in range(size):
            around = [(x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)]
            inside = [(a, b) for a, b in around if 0 <= a < size and 0 <= b < size]
            near[f"{COLUMNS[x]}{y + 1}"] = {f"{COLUMNS[a]}{b + 1}" for a, b in inside}
    return near


@dataclass(frozen=True)
class Reference:
    """A position; `play` makes the next one."""

    near: dict[Point, set[Point]]
    captures: int
    stones: Stones = field(default_factory=dict)
    before: Stones | None = None
    """The position before the last stone, if that stone captured an enemy."""
    to_play: int = 1
    scores: tuple[int, int] = (0, 0)

    @property
    def winner(self) -> int | None:
        return next((p for p in (1, 2) if self.scores[p - 1] >= self.captures), None)

    @property
    def forbidden(self) -> Point | None:
        """The empty point whose stone would recreate the position, unless it is the only one."""
        if self.before is None or self.winner:
            return None
        back = [one for one in self.before if one not in self.stones]
        empty = len(self.near) - len(self.stones)
        if len(back) != 1 or empty == 1 or self.after(back[0])[0] != self.before:
            return None
        return back[0]

    def legal_turns(self) -> Iterator[str]:
        if not self.winner:
            closed = {*self.stones, self.forbidden}
            yield from (point for point in self.near if point not in closed)

    def group(self, point: Point, stones: Stones) -> set[Point]:
        found, new = {point}, [point]
        while new:
            for other in self.near[new.pop()] - found:
                if stones.get(other) == stones[point]:
                    found.add(other)
                    new.append(other)
        return found

    def surrounded(self, player: int, stones: Stones) -> set[Point]:
        return {
            point
            for point, owner in stones.items()
            if owner == player
            and all(
                other in stones for one in self.group(point, stones) for other in self.near[one]
            )
        }

    def after(self, point: Point) -> tuple[Stones, int, int]:
        """The stones after a turn, and how many of the enemy's and of the own are captured."""
        stones = self.stones | {point: self.to_play}
        theirs = self.surrounded(3 - self.to_play, stones)
        stones = {one: owner for one, owner in stones.items() if one not in theirs}
        own = self.surrounded(self.to_play, stones)
        stones = {one: owner for one, owner in stones.items() if one not in own}
        return stones, len(theirs), len(own)

    def play(self, point: Point) -> "Reference":
        stones, theirs, own = self.after(point)
        gains = {self.to_play: theirs, 3 - self.to_play: own}
        return replace(
            self,
            stones=stones,
            before=self.stones if theirs else None,
            to_play=3 - self.to_play,
            scores=(self.scores[0] + gains[1], self.scores[1] + gains[2]),
        )
