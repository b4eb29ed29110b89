"""Stargazers straight from the rules: sets and searches, with nothing of the kernel shared.

Only the places of cells and stars are read from the package's files. Cells are axial coordinates.
"""

import json
from dataclasses import dataclass, field
from importlib import resources

Place = tuple[int, int]

STEPS: tuple[Place, ...] = ((1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1))


def plus(a: Place, b: Place) -> Place:
    return (a[0] + b[0], a[1] + b[1])


def minus(a: Place, b: Place) -> Place:
    return (a[0] - b[0], a[1] - b[1])


def load(board: str) -> tuple[dict[str, Place], set[Place]]:
    """The cells by name, and the stars."""
    text = resources.files("engine.boards.stars").joinpath(f"{board}.json").read_text("utf-8")
    data = json.loads(text)
    return {name: (q, r) for name, q, r in data["cells"]}, {(q, r) for _, q, r in data["stars"]}


@dataclass
class Reference:
    """A game in progress, changed by `place`."""

    board: str
    rules: str = "official"
    stones_a_turn: int = 2
    stones: dict[Place, int] = field(default_factory=dict)
    to_place: int = 1
    left: int = 1
    winner: int | None = None

    def __post_init__(self) -> None:
        self.names, self.stars = load(self.board)
        self.cells = set(self.names.values())
        self.given_up: dict[int, set[Place]] = {1: set(), 2: set()}

    # ---- sections 3 to 5: sight, inspiration, legal placements

    def near(self, cell: Place) -> set[Place]:
        return {plus(cell, step) for step in STEPS} & self.cells

    def looks(self, cell: Place, stones: dict[Place, int]) -> list[tuple[Place, int]]:
        """What is seen from a cell, and over how many empty cells."""
        seen = []
        for step in STEPS:
            here, gap = plus(cell, step), 0
            while here in self.cells and here not in stones:
                here, gap = plus(here, step), gap + 1
            if here in stones or here in self.stars:
                seen.append((here, gap))
        return seen

    def gazes(self, cell: Place, stones: dict[Place, int]) -> bool:
        return any(seen in self.stars and gap > 0 for seen, gap in self.looks(cell, stones))

    def inspired(self, player: int, stones: dict[Place, int]) -> set[Place]:
        own = {cell for cell, owner in stones.items() if owner == player}
        found = {cell for cell in own if self.gazes(cell, stones)}
        while True:
            more = {
                cell
                for cell in own - found
                if any(seen in found for seen, _ in self.looks(cell, stones))
            }
            if not more:
                return found
            found |= more

    def uninspired(self, player: int) -> set[Place]:
        own = {cell for cell, owner in self.stones.items() if owner == player}
        return own - self.inspired(player, self.stones)

    def legal(self) -> set[Place]:
        if self.winner:
            return set()
        return {
            cell
            for cell in self.cells - self.stones.keys()
            if cell in self.inspired(self.to_place, {**self.stones, cell: self.to_place})
        }

    # ---- sections 6 and 7: turns and the end

    def place(self, cell: Place) -> None:
        player = self.to_place
        assured = self.is_assured(cell, player)
        self.stones[cell] = player
        self.left -= 1
        turn_goes_on = self.left > 0
        if not turn_goes_on:
            self.to_place, self.left = 3 - player, self.stones_a_turn
        if self.rules == "ludii":
            self.winner = self.early_end(cell, player, assured)
        if self.winner is None and not self.legal():
            one, two = len(self.uninspired(1)), len(self.uninspired(2))
            if one != two:
                self.winner = 1 if one < two else 2
            else:
                self.winner = player if self.rules == "official" else 3 - self.to_place

    # ---- section 8: the early end

    def is_assured(self, x: Place, player: int) -> bool:
        if self.gazes(x, self.stones):
            return True
        return any(
            self.stones.get(friend) == player and gap > 0 and x not in self.beside_star(star)
            for friend, _ in self.looks(x, self.stones)
            for star, gap in self.looks(friend, self.stones)
            if star in self.stars
        )

    def beside_star(self, star: Place) -> set[Place]:
        return {plus(star, step) for step in STEPS}

    def empty(self) -> set[Place]:
        return self.cells - self.stones.keys()

    def own(self, player: int) -> set[Place]:
        return {cell for cell, owner in self.stones.items() if owner == player}

    def life(self, player: int) -> set[Place]:
        found = set()
        for cell in self.empty():
            for star in self.stars & {plus(cell, step) for step in STEPS}:
                across = plus(cell, minus(cell, star))
                if across in self.empty():
                    found.add(cell)
                elif self.stones.get(across) == player:
                    found.add(across)
        return found

    def closure(self, start: set[Place], allowed: set[Place]) -> set[Place]:
        found = set(start)
        while more := {other for cell in found for other in self.near(cell) & allowed} - found:
            found |= more
        return found

    def remember(self, player: int) -> None:
        alive = self.closure(self.life(player), self.empty() | self.own(player))
        beside_enemy = {c for c in self.empty() if self.near(c) & self.own(3 - player)}
        self.given_up[player] |= (beside_enemy | self.uninspired(player)) - alive

    def early_end(self, x: Place, player: int, assured: bool) -> int | None:
        if not assured:
            self.remember(player)
        self.remember(3 - player)
        self.given_up[3 - player].discard(x)
        return next((w for w in (1, 2) if self.best_case(w) < self.lost(3 - w)), None)

    def lost(self, player: int) -> int:
        return len(self.own(player) & self.given_up[player])

    def best_case(self, winner: int) -> int:
        loser = 3 - winner
        inspired = self.inspired(winner, self.stones)
        safe = self.empty() & self.given_up[loser]
        permanent = self.closure({c for c in inspired if self.near(c) & safe}, inspired)
        beside = {other for cell in permanent for other in self.near(cell)}
        owned = self.empty() | self.own(winner)
        return len(owned - permanent - beside - (self.empty() & self.given_up[winner]))

    # ---- the bounds of final scores (engine/games/stargazers/bounds.py), without its shortcuts

    def final_scores(self) -> tuple[tuple[int, int], tuple[int, int]]:
        if self.winner:
            one, two = len(self.uninspired(1)), len(self.uninspired(2))
            return (one, one), (two, two)
        usable = {player: self.open_cells(player) for player in (1, 2)}
        exposed = self.exposed(usable)
        return self.bounds(1, usable, exposed[1]), self.bounds(2, usable, exposed[2])

    def line(self, cell: Place, step: Place, stones: dict[Place, int]) -> tuple[list[Place], Place]:
        """The empty cells on a line, and the place after them."""
        gap, here = list[Place](), plus(cell, step)
        while here in self.cells and here not in stones:
            gap.append(here)
            here = plus(here, step)
        return gap, here

    def alive(self, player: int, stones: dict[Place, int]) -> set[Place]:
        may_have = {cell for cell in self.cells if stones.get(cell, player) == player}
        found = {cell for cell in may_have if self.gazes(cell, stones)}
        new = set(found)
        while new:
            cell = new.pop()
            for step in STEPS:
                gap, end = self.line(cell, step, stones)
                more = ({*gap, end} & may_have) - found
                found |= more
                new |= more
        return found

    def open_cells(self, player: int) -> set[Place]:
        return {
            cell
            for cell in self.empty()
            if cell in self.alive(player, {**self.stones, cell: player})
        }

    def exposed(self, usable: dict[int, set[Place]]) -> dict[int, int]:
        """How many stones each player may place before the opponent's last one."""
        placed, found = {1: 0, 2: 0}, {1: 0, 2: 0}
        mover, left = self.to_place, self.left
        total = len(usable[1] | usable[2])
        while placed[mover] < len(usable[mover]) and sum(placed.values()) < total:
            placed[mover] += 1
            found[3 - mover] = placed[3 - mover]
            left -= 1
            if left == 0:
                mover, left = 3 - mover, self.stones_a_turn
        return found

    def bounds(self, player: int, usable: dict[int, set[Place]], exposed: int) -> tuple[int, int]:
        own, enemy_may = self.own(player), usable[3 - player]

        def safe_lines(cell: Place) -> list[tuple[list[Place], Place]]:
            lines = [self.line(cell, step, self.stones) for step in STEPS]
            return [(gap, end) for gap, end in lines if not enemy_may.intersection(gap)]

        kept, todo = set[Place](), set(own)
        while todo:
            group, new = set[Place](), {todo.pop()}
            while new:
                group |= new
                new = {end for cell in new for _, end in safe_lines(cell)} & own - group
            todo -= group
            lines = [line for cell in group for line in safe_lines(cell)]
            eyes = {gap[-1] for gap, end in lines if gap and end in self.stars}
            filled = {**self.stones, **dict.fromkeys(eyes, player)}
            can_be_lost = (
                len(eyes) <= exposed
                and eyes <= usable[player]
                and bool(group & self.alive(player, filled))
            )
            if eyes and not can_be_lost:
                kept |= group
        loose = [
            cell for cell in usable[player] if not any(end in kept for _, end in safe_lines(cell))
        ]
        dead = own - self.alive(player, self.stones)
        return len(dead), len(own - kept) + min(exposed, len(loose))
