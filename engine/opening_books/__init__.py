"""Opening books: what became of openings in games of the engine against itself.

A file lists, for positions early in a game, turns with the number of games in which they were
tried and won. Positions that differ by a symmetry of the board count as one, and it doesn't matter
in which order their stones were placed. `engine.search.book_growth` makes such files.
"""

import json
import random
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from functools import cache
from importlib import resources
from itertools import groupby
from typing import Final

from engine.game import Game, Position

FEWEST_GAMES: Final = 24
"""A turn that was tried less often is not recommended."""

Arrangement = tuple[int, tuple[tuple[int, int, int], ...]]
"""The player to move, and the stones as (cell, player, kind) in order of the cells."""


@dataclass(frozen=True)
class Trial:
    """A turn that was tried after a line of turns, and how many games its player then won."""

    line: tuple[str, ...]
    turn: str
    games: int
    won: int


def arrangement(position: Position) -> tuple[Arrangement, tuple[int, ...]]:
    """The same for all positions that a symmetry makes equal, and the symmetry that leads to it."""
    return min(
        (_moved(position, symmetry), symmetry) for symmetry in position.game.board.symmetries
    )


def _moved(position: Position, symmetry: tuple[int, ...]) -> Arrangement:
    index = position.game.board.index
    stones = position.stones.items()
    placed = sorted((symmetry[index(cell)], stone.player, stone.kind) for cell, stone in stones)
    return position.to_play, tuple(placed)


class OpeningBook:
    """For each position of a game the turn that was tried most; trials of one line come together.

    What did well was tried again, so that is the best one; of two shares of games won the better is
    often only luckier.
    """

    def __init__(self, game: Game, trials: Iterable[Trial]) -> None:
        self._game = game
        self._best: dict[Arrangement, tuple[Trial, tuple[int, ...]]] = {}
        for line, tried in groupby(trials, key=lambda trial: trial.line):
            best = max(tried, key=lambda trial: (trial.games, trial.won))
            if best.games >= FEWEST_GAMES:
                stones, symmetry = arrangement(after(game, line))
                self._best[stones] = best, symmetry

    def choose(self, position: Position, chance: random.Random) -> Trial | None:
        """The turn for this position, put as it stands here; None if the book doesn't go so far.

        Among turns that are equal by symmetry `chance` decides.
        """
        stones, _ = arrangement(position)
        if stones not in self._best:
            return None
        best, there = self._best[stones]
        board = self._game.board
        ways = [here for here in board.symmetries if _moved(position, here) == stones]
        turn = _carried(self._game, best.turn, there, chance.choice(ways))
        return Trial(position.turns, turn, best.games, best.won)

    def line(self, position: Position, chance: random.Random) -> tuple[Trial, ...]:
        """The turn for this position, the answer to it, and so on while the book lasts."""
        found: list[Trial] = []
        while not position.over and (trial := self.choose(position, chance)) is not None:
            found.append(trial)
            position = position.play(trial.turn)
        return tuple(found)


def after(game: Game, line: Iterable[str]) -> Position:
    """The position after the turns of a line."""
    position = game.start()
    for turn in line:
        position = position.play(turn)
    return position


def _carried(game: Game, turn: str, there: tuple[int, ...], here: tuple[int, ...]) -> str:
    """A turn at one position, put as it stands at another: `there` and `here` lead from these to
    one arrangement.
    """
    board = game.board
    placed = game.placements(turn)
    cells = [board.cells[here.index(there[board.index(each.cell)])] for each in placed]
    if game.kinds == 1:
        return ",".join(cells)
    return ",".join(f"{each.kind}{cell}" for each, cell in zip(placed, cells, strict=True))


@cache
def book_of(game: Game) -> OpeningBook | None:
    """The book that comes with the package, for games with the usual rules and options."""
    source = resources.files(__name__).joinpath(f"{game.name}-{game.board.name}.json")
    if not source.is_file():
        return None
    data = json.loads(source.read_text(encoding="utf-8"))
    if (data["rules"], data["options"]) != (game.rules, game.all_options):
        return None
    return OpeningBook(game, read_trials(data["trials"]))


def read_trials(rows: Iterable[dict[str, object]]) -> Iterator[Trial]:
    """Trials as `book_text` writes them."""
    for row in rows:
        line, turn, games, won = row["line"], row["turn"], row["games"], row["won"]
        assert isinstance(line, str)
        assert isinstance(turn, str)
        assert isinstance(games, int)
        assert isinstance(won, int)
        yield Trial(tuple(line.split()), turn, games, won)


def book_text(game: Game, trials: Iterable[Trial]) -> str:
    """A book as a file: JSON, a line for each trial."""
    head = {
        "game": game.name,
        "board": game.board.name,
        "rules": game.rules,
        "options": game.all_options,
    }
    rows = [json.dumps({**asdict(trial), "line": " ".join(trial.line)}) for trial in trials]
    start = json.dumps(head, indent=1).removesuffix("\n}")
    return start + ',\n "trials": [\n  ' + ",\n  ".join(rows) + "\n ]\n}\n"
