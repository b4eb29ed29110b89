"""Puzzles: positions with one best turn, which a person finds for a rating."""

from datetime import date

from pydantic import Field

from bot.json_values import TrueOrFalse
from bot.wire.base import FromClient, Id, Message, Seat, Turn, Word


class AskPuzzle(FromClient):
    """Request a puzzle: that of the day, one by its id, or the next one of a game."""

    game: Word | None = None
    puzzle_id: Id | None = None
    daily: TrueOrFalse = False


class TryPuzzle(FromClient):
    """Answer a puzzle with a turn, or give up with null. The first answer counts for the rating."""

    puzzle_id: Id
    turn: Turn | None = None


class PuzzleView(Message):
    """A puzzle without its solution. `turns` replays from the start of the game."""

    puzzle_id: Id
    game: str
    board: str
    rules: str
    options: dict[str, str] = Field(default_factory=dict)
    turns: list[Turn]
    solver: Seat = Field(description="the player to move")
    rating: int
    tried: int = Field(description="how many players have answered it")
    daily: date | None = Field(None, description="the day whose puzzle it is, in UTC")


class PuzzleStanding(Message):
    """How a player does at the puzzles of a game."""

    rating: int
    deviation: int
    provisional: bool
    tried: int
    solved: int
    left: int = Field(description="puzzles of the game that the player has not tried")
    streak: int = Field(description="days in a row, up to today, on which they solved a puzzle")
    solved_today: bool


class PuzzleSolution(Message):
    """What the puzzle was about, once it is solved or given up."""

    turn: Turn
    line: list[Turn] = Field(description="how an engine goes on")
    chance: float = Field(description="the solver's chance to win after the solution")
    second: float = Field(description="the same after the best other turn")
    themes: list[Word] = Field(description="codes; docs/puzzles.md explains them")
    answers: list[Turn] = Field(
        default_factory=list, description="other turns that are right as well"
    )
