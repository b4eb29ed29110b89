"""Blooms straight from the rules: sets and floods, with nothing shared with the engine."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

Cell = str
Stone = tuple[int, int]
"""Player and kind."""


def cells_of(size: int) -> dict[Cell, tuple[int, int]]:
    """Row from the bottom and number from the left of each cell."""
    longest = 2 * size - 1
    places = {}
    for row in range(longest):
        for number in range(1, longest - abs(row - size + 1) + 1):
            places[f"{chr(ord('a') + row)}{number}"] = (row, number)
    return places


def neighbours(size: int) -> dict[Cell, set[Cell]]:
    """As the rules page puts it: towards a longer row the same number and the next, and so on."""
    places = cells_of(size)
    names = {place: cell for cell, place in places.items()}
    near: dict[Cell, set[Cell]] = {cell: set() for cell in places}
    for cell, (row, number) in places.items():
        around = [(row, number - 1), (row, number + 1)]
        for other in (row - 1, row + 1):
            longer = abs(other - size + 1) < abs(row - size + 1)
            around += [(other, number + shift) for shift in ((0, 1) if longer else (-1, 0))]
        near[cell] = {names[place] for place in around if place in names}
    return near


@dataclass(frozen=True)
class Reference:
    """A position; `play` makes the next one."""

    near: dict[Cell, set[Cell]]
    captures: int
    stones: dict[Cell, Stone] = field(default_factory=dict)
    to_play: int = 1
    turn: int = 1
    captured: frozenset[Cell] = frozenset()
    scores: tuple[int, int] = (0, 0)

    def legal_turns(self) -> Iterator[str]:
        if self.winner:
            return
        empty = [cell for cell in self.near if cell not in self.stones]
        yield from (f"{kind}{cell}" for cell in empty for kind in (1, 2))
        if self.turn > 1:
            yield from (f"1{a},2{b}" for a in empty for b in empty if a != b)

    @property
    def winner(self) -> int | None:
        return next((p for p in (1, 2) if self.scores[p - 1] >= self.captures), None)

    def bloom(self, cell: Cell, stones: dict[Cell, Stone]) -> set[Cell]:
        found, new = {cell}, [cell]
        while new:
            for other in self.near[new.pop()] - found:
                if stones.get(other) == stones[cell]:
                    found.add(other)
                    new.append(other)
        return found

    def is_fenced(self, bloom: set[Cell], stones: dict[Cell, Stone]) -> bool:
        return all(other in stones for cell in bloom for other in self.near[cell])

    def play(self, turn: str) -> "Reference":
        stones = dict(self.stones)
        for step in turn.split(","):
            stones[step[1:]] = (self.to_play, int(step[0]))
        enemy = 3 - self.to_play
        captured = {
            cell
            for cell, (player, _) in stones.items()
            if player == enemy and self.is_fenced(self.bloom(cell, stones), stones)
        }
        scores = list(self.scores)
        scores[self.to_play - 1] += len(captured)
        return replace(
            self,
            stones={cell: stone for cell, stone in stones.items() if cell not in captured},
            to_play=enemy,
            turn=self.turn + 1,
            captured=frozenset(captured),
            scores=(scores[0], scores[1]),
        )
