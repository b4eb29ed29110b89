"""Bluestone straight from the rules: sets, floods and brute force, with nothing shared.

It builds its own boards and knows nothing of the engine, so that agreement between the two means
something. Cells are named as on the board.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

Graph = dict[str, frozenset[str]]


@dataclass(frozen=True)
class ReferenceBoard:
    """Each cell's neighbours, and for each blue stone the cells that it touches."""

    near: Graph
    blue: tuple[frozenset[str], ...]


def reference_board(name: str) -> ReferenceBoard:
    kind, size = name.split("-")
    near = _pent(int(size)) if kind == "pent" else _hexagonal(kind, int(size))
    most = 4 if kind == "pent" else 5
    edge = {cell for cell in near if len(near[cell]) <= most and cell != "0-0"}
    blue = [frozenset({a, b}) for a in edge for b in near[a] & edge if a < b]
    if kind == "hexhex":
        row = sorted(cell for cell in edge if len(near[cell]) == 3)
        top, middle = chr(ord("a") + 2 * int(size) - 2), chr(ord("a") + int(size) - 1)
        alternate = {f"{top}1", f"{middle}{2 * int(size) - 1}", "a1"}
        assert alternate <= set(row)
        blue += [frozenset({corner}) for corner in alternate]
    return ReferenceBoard(near, tuple(blue))


def _pent(rings: int) -> Graph:
    near: dict[str, set[str]] = {"0-0": set()}

    def join(a: str, b: str) -> None:
        near.setdefault(a, set()).add(b)
        near.setdefault(b, set()).add(a)

    for k in range(5):
        join("0-0", f"1-{k}")
    for r in range(1, rings):
        for i in range(5 * r):
            join(f"{r}-{i}", f"{r}-{(i + 1) % (5 * r)}")
            if r + 1 < rings:
                s, t = i // r, i % r
                for j in (i + s - 1, i + s, i + s + 1) if t == 0 else (i + s, i + s + 1):
                    join(f"{r}-{i}", f"{r + 1}-{j % (5 * (r + 1))}")
    return {cell: frozenset(others) for cell, others in near.items()}


def _hexagonal(kind: str, size: int) -> Graph:
    """Points (x, y) of a triangular lattice: x to the right, y up and to the right."""
    if kind == "hexhex":
        bounds = [
            (max(0, size - 1 - y), min(2 * size - 2, 3 * size - 3 - y)) for y in range(2 * size - 1)
        ]
    else:
        # The big triangle of side N + 2N without three corner triangles of side N.
        side = 3 * size
        bounds = [(max(0, size - y), min(side - 1 - y, 2 * size - 1)) for y in range(2 * size)]
    cells = {
        (x, y): f"{chr(ord('a') + y)}{x - low + 1}"
        for y, (low, high) in enumerate(bounds)
        for x in range(low, high + 1)
    }
    steps = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, -1), (-1, 1))
    return {
        name: frozenset(cells[x + a, y + b] for a, b in steps if (x + a, y + b) in cells)
        for (x, y), name in cells.items()
    }


@dataclass(frozen=True)
class Reference:
    """A position of the reference. `stones` maps cells to players."""

    board: ReferenceBoard
    rules: str
    stones: dict[str, int] = field(default_factory=dict)
    to_play: int = 1
    turn: int = 1
    passes: int = 0
    captured: frozenset[str] = frozenset()

    @property
    def over(self) -> bool:
        return self.passes == 2 or len(self.stones) == len(self.board.near)

    def component(self, start: str, allowed: set[str]) -> set[str]:
        found, waiting = {start}, [start]
        while waiting:
            for other in self.board.near[waiting.pop()] & allowed - found:
                found.add(other)
                waiting.append(other)
        return found

    def blue_of(self, cells: set[str]) -> int:
        return sum(1 for touched in self.board.blue if touched & cells)

    def cells_of(self, player: int) -> set[str]:
        return {cell for cell, owner in self.stones.items() if owner == player}

    def empty(self) -> set[str]:
        return set(self.board.near) - set(self.stones)

    def scores(self) -> tuple[list[int], list[int]]:
        one, two = self._group_scores(1), self._group_scores(2)
        return one, two

    def _group_scores(self, player: int) -> list[int]:
        left, scores = self.cells_of(player), []
        while left:
            group = self.component(min(left), left)
            scores.append(self.blue_of(group))
            left -= group
        return sorted((score for score in scores if score), reverse=True)

    def winner(self) -> int | None:
        one, two = self.scores()
        return None if one == two else 1 if one > two else 2

    def is_dead(self, player: int, cell: str) -> bool:
        """Whether the component of (empty cells + the player's stones) round `cell` is dead."""
        region = self.component(cell, self.empty() | self.cells_of(player))
        return self.blue_of(region) < 4

    def put(self, cell: str) -> Reference:
        """The position after a stone of the mover and its captures."""
        placed = replace(self, stones={**self.stones, cell: self.to_play})
        enemy = 3 - self.to_play
        taken = {other for other in placed.cells_of(enemy) if placed.is_dead(enemy, other)}
        return replace(
            placed,
            stones={c: p for c, p in placed.stones.items() if c not in taken},
            captured=placed.captured | taken,
        )

    def survives(self, cell: str) -> bool:
        """Rule set `official`: the stone is not dead after the captures that it makes."""
        return not self.put(cell).is_dead(self.to_play, cell)

    def is_closed(self, cell: str) -> bool:
        """Rule set `abstractplay`: the cell's region of empty cells is closed to the mover."""
        region = self.component(cell, self.empty())
        touched = {self.stones[c] for e in region for c in self.board.near[e] if c in self.stones}
        return self.turn >= 3 and touched == {3 - self.to_play} and self.blue_of(region) <= 3

    def may_begin(self, cell: str) -> bool:
        """Whether the first stone may go to `cell`."""
        if cell in self.stones:
            return False
        return self.survives(cell) if self.rules == "official" else not self.is_closed(cell)

    def may_follow(self, first: str, after: Reference, cell: str) -> bool:
        """Whether the second stone may go to `cell`, `after` being the position after the first."""
        group = after.component(first, after.cells_of(self.to_play))
        if self.turn == 1 or cell == first or self.board.near[cell] & group:
            return False
        return after.may_begin(cell) if self.rules == "official" else self.may_begin(cell)

    def firsts(self) -> list[str]:
        return [cell for cell in self.board.near if self.may_begin(cell)]

    def seconds(self, first: str) -> list[str]:
        after = self.put(first)
        return [cell for cell in self.board.near if self.may_follow(first, after, cell)]

    def legal_turns(self) -> Iterator[str]:
        if self.over:
            return
        yield "pass"
        for first in self.firsts():
            seconds = self.seconds(first)
            if self.rules == "abstractplay" or not seconds:
                yield first
            yield from (f"{first},{second}" for second in seconds)

    def is_legal(self, turn: str) -> bool:
        if self.over or turn == "pass":
            return not self.over
        first, _, second = turn.partition(",")
        if not self.may_begin(first):
            return False
        if second:
            return self.may_follow(first, self.put(first), second)
        return self.rules == "abstractplay" or not self.seconds(first)

    def play(self, turn: str) -> Reference:
        """The position after a legal turn."""
        after = replace(self, captured=frozenset())
        if turn == "pass":
            after = replace(after, passes=self.passes + 1)
        else:
            after = replace(after, passes=0)
            for cell in turn.split(","):
                after = after.put(cell)
        return replace(after, to_play=3 - self.to_play, turn=self.turn + 1)
