"""The rules of HeXO as the stand-in referees them: stones, radius 8, six in a row."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

Side = Literal["x", "o"]
Point = tuple[int, int]
AXES: Final = ((1, 0), (0, 1), (1, -1))
SIX: Final = 6
RADIUS: Final = 8
ORIGIN: Final = (0, 0)


class IllegalStone(Exception):
    """A stone that loses the game."""


def other(side: Side) -> Side:
    return "o" if side == "x" else "x"


@dataclass
class SimulatedBoard:
    """The stones in the order in which they were placed; the first one is on the origin."""

    stones: dict[Point, Side] = field(default_factory=lambda: {ORIGIN: "x"})
    winner: Side | None = None

    @property
    def to_move(self) -> Side:
        """After 1, 5, 9, ... stones it is o, after 3, 7, 11, ... stones x."""
        return "o" if (len(self.stones) - 1) // 2 % 2 == 0 else "x"

    def play(self, pieces: Sequence[Point]) -> None:
        """Place a turn of two stones. The second one is not looked at if the first one wins.

        Raises IllegalStone.
        """
        side = self.to_move
        for point in pieces:
            self._place(point, side)
            if self.winner is not None:
                return

    def _place(self, point: Point, side: Side) -> None:
        if point in self.stones:
            raise IllegalStone(f"{point} is occupied")
        if all(apart(point, each) > RADIUS for each in self.stones):
            raise IllegalStone(f"{point} is too far away")
        self.stones[point] = side
        if self.longest(point, side) >= SIX:
            self.winner = side

    def longest(self, point: Point, side: Side) -> int:
        """Return the longest line of that side through the point, as if it had a stone there."""
        return max(
            1 + self._run(point, axis, side) + self._run(point, (-axis[0], -axis[1]), side)
            for axis in AXES
        )

    def _run(self, point: Point, step: Point, side: Side) -> int:
        length = 0
        q, r = point[0] + step[0], point[1] + step[1]
        while self.stones.get((q, r)) == side:
            length += 1
            q, r = q + step[0], r + step[1]
        return length

    def copy(self) -> "SimulatedBoard":
        return SimulatedBoard(dict(self.stones), self.winner)


def apart(a: Point, b: Point) -> int:
    dq, dr = a[0] - b[0], a[1] - b[1]
    return (abs(dq) + abs(dr) + abs(dq + dr)) // 2


def around(point: Point, radius: int) -> Iterator[Point]:
    for dq in range(-radius, radius + 1):
        for dr in range(-radius, radius + 1):
            if apart((dq, dr), ORIGIN) <= radius:
                yield point[0] + dq, point[1] + dr


def opening(
    plies: int, rng: random.Random
) -> tuple[SimulatedBoard, list[tuple[Side, list[Point]]]]:
    """Draw an opening of that many stones, the origin included, and return it with its turns."""
    board, turns = SimulatedBoard(), list[tuple[Side, list[Point]]]()
    while len(board.stones) < plies:
        side, pieces = board.to_move, list[Point]()
        after = board.copy()
        for _ in range(2):
            near = {p for stone in after.stones for p in around(stone, 2)} - after.stones.keys()
            point = rng.choice(sorted(near))
            after.play([point])
            pieces.append(point)
        board = after
        turns.append((side, pieces))
    return board, turns


def reply(board: SimulatedBoard, rng: random.Random, *, skill: float) -> list[Point]:
    """Return a turn of a simulated opponent: with `skill` the longest line, else any cell nearby.

    It counts lines of both players, its own first: it completes a six, or blocks one.
    """
    side, after, pieces = board.to_move, board.copy(), list[Point]()
    for _ in range(2):
        recent = list(after.stones)[-8:]
        near = sorted({p for stone in recent for p in around(stone, 1)} - after.stones.keys())
        if not near:
            near = sorted({p for s in after.stones for p in around(s, 2)} - after.stones.keys())
        point = rng.choice(near)
        if rng.random() < skill:
            point = max(near, key=lambda p: (_worth(after, p, side), rng.random()))
        pieces.append(point)
        after.stones[point] = side
    return pieces


def _worth(board: SimulatedBoard, point: Point, side: Side) -> float:
    return max(board.longest(point, side) + 0.5, board.longest(point, other(side)))
