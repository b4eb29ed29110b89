"""Analysis: positions and finished games that an engine evaluates for visitors.

Visitors send `analysis.start` and `analysis.game`, and get events. Workers, the accounts that the
operator has admitted, send `analysis.take` and `analysis.report`.
"""

from typing import Annotated, Literal

from pydantic import Field

from bot.json_values import IS_NUMBER, TextOrWhole, TrueOrFalse
from bot.wire.base import (
    FromClient,
    FromServer,
    Id,
    Message,
    Probability,
    Seat,
    Sentence,
    Step,
    Turn,
    Word,
)
from bot.wire.requests import EngineName

MOST_TURNS = 600
MOST_LINES = 10
Turns = Annotated[list[Turn], Field(max_length=MOST_TURNS)]
Visits = Annotated[int, Field(ge=0, le=2**53), IS_NUMBER]
Effort = Literal["quick", "normal", "deep"]
Mark = Literal["inaccuracy", "mistake", "blunder"]


class AnalysisSetup(Message):
    """What is played. An omitted board, rule set or option is the game's default."""

    game: Word = "bluestone"
    board: Word | None = None
    rules: Word | None = None
    options: dict[Word, TextOrWhole] = Field(default_factory=dict, max_length=8)


class AskAnyPosition(FromClient):
    """Request the position after `turns`, whether or not a game with them was ever played."""

    setup: AnalysisSetup
    turns: Turns


class AskAnyLegal(FromClient):
    """Request the steps that may follow `chosen` in the position after `turns`.

    The answer is that of `game.legal`.
    """

    setup: AnalysisSetup
    turns: Turns
    chosen: Annotated[list[Step], Field(max_length=2)] = Field(default_factory=list)
    about: Step | None = Field(
        None, description="a step that the answer must explain in `illegal` if it is not legal"
    )


class StartAnalysis(FromClient):
    """Ask an engine to evaluate the position after `turns`.

    A player has one analysis at a time: a new one replaces the former one.
    """

    request: Id = Field(description="an id of the client's choice; the events repeat it")
    setup: AnalysisSetup
    turns: Turns
    effort: Effort = "normal"
    hint: Id | None = Field(
        None,
        description="the player's own casual game against a bot, whose present position this is; "
        "the game counts its hints",
    )


class CancelAnalysis(FromClient):
    """End the player's analysis; with `request`, only if it is that one."""

    request: Id | None = None


class AskGameAnalysis(FromClient):
    """Request the analysis of a finished game. `start` begins it if it is missing."""

    game_id: Id
    start: TrueOrFalse = False


class AnalysisLine(Message):
    """A turn, the mover's chance to win after it, and the turns that the engine expects."""

    turn: Turn
    value: Probability | None = None
    visits: Visits | None = None
    pv: Annotated[list[Turn], Field(max_length=40)] = Field(
        default_factory=list, description="the expected turns, starting with `turn`"
    )


Lines = Annotated[list[AnalysisLine], Field(max_length=MOST_LINES)]


class AnalysisState(FromServer):
    """The state of a visitor's analysis. Values are chances of the player to move."""

    request: Id
    revision: int = Field(description="increases with every event of this request")
    state: Literal["queued", "running", "done", "failed", "cancelled"]
    place: int | None = Field(None, description="place in the queue, from 1; null unless queued")
    value: float | None = None
    visits: int | None = None
    lines: list[AnalysisLine] = Field(default_factory=list, description="best line first")
    engine: str | None = None
    shortened: bool = Field(
        False, description="whether the search was shorter because many visitors waited"
    )
    message: str | None = Field(None, description="why it failed or was cancelled")


class AnalysedTurn(Message):
    """A turn of a finished game, compared with the engine's choice in the same position.

    Values are chances of the player who made the turn. Both are searched for the same time.
    """

    ply: int
    player: Seat
    turn: str
    value: float | None = Field(description="after the turn that was played")
    best: str = Field(description="the engine's choice")
    best_value: float | None = Field(description="after the engine's choice")
    loss: float | None = Field(description="`best_value` minus `value`, at least 0")
    mark: Mark | None = None
    lines: list[AnalysisLine] = Field(default_factory=list, description="best line first")


class GameAnalysis(FromServer):
    """The analysis of a finished game. It is made once, and stored."""

    game_id: Id
    revision: int
    state: Literal["none", "queued", "running", "done", "failed"]
    done: int = Field(0, description="positions that have been searched")
    total: int = Field(0, description="positions to search, as far as known")
    turns: list[AnalysedTurn] = Field(default_factory=list)
    engine: str | None = None
    message: str | None = None


class TakeAnalysis(FromClient):
    """A worker asks for a job. The server waits about two seconds for one before it answers."""

    engine: EngineName | None = None


class ReportAnalysis(FromClient):
    """A worker reports on its job, at least every five seconds."""

    job_id: Id
    state: Literal["working", "done", "failed"]
    visits: Visits | None = None
    lines: Lines = Field(default_factory=list)
    message: Sentence | None = None


class AnalysisJob(Message):
    """A position for a worker to search for `seconds`."""

    job_id: Id
    setup: AnalysisSetup
    turns: list[str]
    seconds: Annotated[float, Field(gt=0, le=600)]
    lines: int = Field(description="how many lines are wanted")
