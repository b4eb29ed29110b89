"""HeXO straight from the rules, with nothing shared with the engine: slow, in cube coordinates."""

from collections.abc import Iterator
from dataclasses import dataclass, field

Cube = tuple[int, int, int]
"""x + y + z is 0; q is x and r is z."""

LINES: tuple[Cube, ...] = ((1, -1, 0), (0, -1, 1), (1, 0, -1))


def cube(name: str) -> Cube:
    q, r = map(int, name.split(":"))
    return q, -q - r, r


def name_of(cell: Cube) -> str:
    return f"{cell[0]}:{cell[2]}"


def distance(one: Cube, other: Cube) -> int:
    return max(abs(a - b) for a, b in zip(one, other, strict=True))


def moved(cell: Cube, line: Cube, steps: int) -> Cube:
    return cell[0] + steps * line[0], cell[1] + steps * line[1], cell[2] + steps * line[2]


@dataclass
class Reference:
    """A game in progress. `place` adds a stone; `cap` is the number of turns of a draw."""

    cap: int = 0
    stones: list[tuple[Cube, int]] = field(default_factory=list)

    @property
    def count(self) -> int:
        return len(self.stones)

    @property
    def mover(self) -> int:
        """From the number of stones alone."""
        return 1 if self.count == 0 or (self.count - 1) // 2 % 2 else 2

    @property
    def left(self) -> int:
        """Stones left in the turn."""
        return 1 if self.count == 0 else 2 if self.count % 2 else 1

    def of(self, player: int) -> set[Cube]:
        return {cell for cell, owner in self.stones if owner == player}

    def row(self, player: int) -> int:
        """The longest row of a player, looked for everywhere."""
        own = self.of(player)
        best = 0
        for cell in own:
            for line in LINES:
                length = 1
                while moved(cell, line, length) in own:
                    length += 1
                best = max(best, length)
        return best

    @property
    def winner(self) -> int:
        return 1 if self.row(1) >= 6 else 2 if self.row(2) >= 6 else 0

    @property
    def over(self) -> bool:
        turns_done = (self.count + 1) // 2 if self.count % 2 else self.count // 2
        return self.winner != 0 or (0 < self.cap <= turns_done and self.count % 2 == 1)

    def legal(self) -> set[Cube]:
        if self.over:
            return set()
        if not self.stones:
            return {(0, 0, 0)}
        taken = {cell for cell, _ in self.stones}
        return {cell for stone in taken for cell in within_eight(stone)} - taken

    def place(self, cell: Cube) -> None:
        assert cell in self.legal()
        self.stones.append((cell, self.mover))


def within_eight(cell: Cube) -> Iterator[Cube]:
    for x in range(-8, 9):
        for y in range(-8, 9):
            if abs(x + y) <= 8:
                yield cell[0] + x, cell[1] + y, cell[2] - x - y
