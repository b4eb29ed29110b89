"""A puzzle: a position of a recorded game after a mistake, with one best turn."""

from functools import cached_property
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

import engine

FORMAT: Final = "bluestone-puzzles-1"

Chance = Annotated[float, Field(ge=0, le=1)]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Puzzle(_Part):
    """One puzzle. All chances are the solver's chances to win, 0 to 1.

    `turns` replays from the start of the game; the last of them is the opponent's mistake.
    """

    id: str = Field(pattern=r"^[a-z2-7]{10}$", description="equal for symmetric positions")
    game: str
    board: str
    rules: str
    options: dict[str, str] = Field(default_factory=dict)
    turns: tuple[str, ...]
    solver: Literal[1, 2] = Field(description="the player to move, who finds the solution")
    solution: str = Field(description="in canonical form; the other order counts as well")
    answers: tuple[str, ...] = Field((), description="other turns that are right as well")
    line: tuple[str, ...] = Field((), description="the turns that the search expects next")
    before: Chance = Field(description="before the mistake, if the opponent plays well")
    chance: Chance = Field(description="after the solution")
    second: Chance = Field(description="after the best other turn")
    second_turn: str
    themes: tuple[str, ...] = Field(description="codes; docs/puzzles.md explains them")
    rating: int = Field(description="the first rating, on the scale of Glicko-2")
    source: str = Field(description="id of the recorded game")

    @cached_property
    def position(self) -> engine.Position:
        """The position to solve."""
        return game_of(self).replay(self.turns)

    def is_solved_by(self, turn: str) -> bool:
        """Return whether a turn is the solution or another right answer, in any order of stones.

        A turn that leads to the same stones is the same turn. Raises engine.IllegalTurn.
        """
        stones = self.position.play(turn).stones
        right = (self.solution, *self.answers)
        return any(stones == self.position.play(each).stones for each in right)


class PuzzleFile(_Part):
    """The puzzles of one game, and how they were made."""

    format: Literal["bluestone-puzzles-1"] = FORMAT
    game: str
    command: str = Field(description="the command that made the puzzles")
    software: str = Field(description="program and version that made them")
    playouts: int = Field(description="of the first of the two checks")
    puzzles: tuple[Puzzle, ...]


def game_of(puzzle: Puzzle) -> engine.Game:
    """Return the game of a puzzle, with its board, rule set and options."""
    return engine.game_of(puzzle.game, puzzle.board, puzzle.rules, puzzle.options)


def puzzle_fields(puzzle: Puzzle) -> dict[str, Any]:
    """Return a puzzle as JSON types; fields that are empty are left out."""
    fields = puzzle.model_dump(mode="json")
    return {name: value for name, value in fields.items() if value not in ({}, [])}
