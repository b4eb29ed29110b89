"""The rules of HeXO on the unbounded board, for exact answers at any distance from the origin.

These rules decide about every turn of every game. The compiled kernel sees a window of the board
(`engine.games.hexo.frame`) and serves the search alone.

A state keeps its stones alone. After 300 turns the cells within reach of a stone can take 14 MB,
and a server keeps thousands of positions: `reached` computes them again each time.
"""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from engine.boards.plane import AXES, Cell, cell_name, cells_within, disk, distance
from engine.errors import Refusal

REACH: Final = 8
"""The greatest distance of a placement from the nearest stone."""
TO_WIN: Final = 6
"""The stones in a row that win."""
ORIGIN: Final[Cell] = (0, 0)


@dataclass(frozen=True, eq=False)
class HexoState:
    """The stones at some moment of a game, in the middle of a turn too."""

    stones: Mapping[Cell, int]
    """The player of each stone, in the order in which they were placed."""
    cap: int
    """The number of turns after which the game is a draw; 0 for none."""
    turn: int = 1
    """The number of the current turn, from 1."""
    first: Cell | None = None
    """The first stone of the current turn, if a second one must follow."""
    longest: tuple[int, int] = (0, 0)
    """The longest row of each player."""

    @property
    def player(self) -> int:
        """The player to move; once the game is over, the one who would."""
        return 2 - self.turn % 2

    @property
    def winner(self) -> int:
        """The player with a row of six, or 0."""
        one, two = self.longest
        return 1 if one >= TO_WIN else 2 if two >= TO_WIN else 0

    @property
    def over(self) -> bool:
        """Whether the game has ended, by a row of six or at the cap."""
        return self.winner != 0 or 0 < self.cap < self.turn

    def reached(self) -> set[Cell]:
        """All cells within `REACH` of a stone, occupied ones included."""
        return cells_within(REACH, self.stones)

    def legal(self) -> set[Cell]:
        """The cells on which the next stone may be placed."""
        if self.over:
            return set()
        return self.reached().difference(self.stones) if self.stones else {ORIGIN}

    def legal_after(self, first: Cell, reached: set[Cell]) -> set[Cell]:
        """The cells for the second stone of a turn after the first one; `reached` is of this state.

        It takes a fraction of the time of `legal` in the state after that stone.
        """
        return (reached | cells_within(REACH, [first])).difference(self.stones, [first])

    def why_not(self, cell: Cell) -> Refusal | None:
        """Return why the next stone may not be placed on a cell, or None if it may."""
        where = cell_name(cell)
        if self.over:
            return Refusal("game-over", "the game is over")
        if cell == self.first:
            return Refusal("same-cell", f"both stones are on {where}", where)
        if cell in self.stones:
            return Refusal("occupied", f"{where} is not empty", where)
        if not self.stones and cell != ORIGIN:
            return Refusal("off-origin", "the first stone of the game is on 0:0", where)
        if self.stones and not self._is_reached(cell):
            reason = f"{where} is more than {REACH} cells away from every stone"
            return Refusal("out-of-range", reason, where)
        return None

    def _is_reached(self, cell: Cell) -> bool:
        q, r = cell
        return any((q + dq, r + dr) in self.stones for dq, dr in disk(REACH))

    def random_cell(self, chance: random.Random) -> Cell:
        """Return a uniformly random legal cell; the game must not be over.

        A cell is drawn around a random stone. It counts only if no earlier stone reaches it, so
        that each cell has one stone from which it can be drawn.
        """
        stones = list(self.stones)
        while stones:
            number = chance.randrange(len(stones))
            dq, dr = chance.choice(disk(REACH))
            cell = stones[number][0] + dq, stones[number][1] + dr
            earlier = (distance(cell, stone) <= REACH for stone in stones[:number])
            if cell not in self.stones and not any(earlier):
                return cell
        return ORIGIN

    def placed(self, cell: Cell) -> "HexoState":
        """Return the state after a legal placement."""
        player = self.player
        stones = {**self.stones, cell: player}
        longest = list(self.longest)
        longest[player - 1] = max(longest[player - 1], longest_row(stones, cell))
        ends_turn = self.first is not None or self.turn == 1 or longest[player - 1] >= TO_WIN
        return HexoState(
            stones=stones,
            cap=self.cap,
            turn=self.turn + 1 if ends_turn else self.turn,
            first=None if ends_turn else cell,
            longest=(longest[0], longest[1]),
        )


def longest_row(stones: Mapping[Cell, int], cell: Cell) -> int:
    """Return the length of the longest row of one player's stones through the stone on `cell`."""
    player = stones[cell]

    def count(dq: int, dr: int) -> int:
        q, r, length = cell[0] + dq, cell[1] + dr, 0
        while stones.get((q, r)) == player:
            q, r, length = q + dq, r + dr, length + 1
        return length

    return max(1 + count(dq, dr) + count(-dq, -dr) for dq, dr in AXES)
