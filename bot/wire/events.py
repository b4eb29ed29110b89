"""The events of clients and server by name, and the answers to requests."""

from typing import Literal, TypeVar

from pydantic import BaseModel, Field, JsonValue

from bot.wire.analysis import (
    AnalysisJob,
    AnalysisState,
    AskAnyLegal,
    AskAnyPosition,
    AskGameAnalysis,
    CancelAnalysis,
    GameAnalysis,
    ReportAnalysis,
    StartAnalysis,
    TakeAnalysis,
)
from bot.wire.base import FromClient, FromServer, Id
from bot.wire.changes import GameChange
from bot.wire.chat import AskChat, Chat, ChatLine, ReportPlayer, SendChat
from bot.wire.games import GameState, LegalView, PositionView
from bot.wire.ignores import AskIgnored, IgnorePlayer
from bot.wire.lobby import Challenge, Lobby, Welcome
from bot.wire.local import AddGame
from bot.wire.plans import AskPlan, PlanTurns
from bot.wire.push import Subscribe, Unsubscribe
from bot.wire.puzzles import AskPuzzle, PuzzleSolution, PuzzleStanding, PuzzleView, TryPuzzle
from bot.wire.queue import Queue, ReportQueue
from bot.wire.requests import (
    AcceptChallenge,
    AskChallenge,
    AskGame,
    AskLegal,
    AskPosition,
    AskState,
    CancelChallenge,
    CreateChallenge,
    DeclineChallenge,
    GameAction,
    PlayTurn,
    WatchGame,
)
from bot.wire.tournament_requests import (
    CreateTournament,
    EndTournament,
    EnterTournament,
    LeaveTournament,
    PauseTournament,
    ReplaceResult,
    ResumeTournament,
    StartTournament,
    WatchTournament,
    WithdrawPlayer,
)
from bot.wire.tournaments import TournamentState

Model = TypeVar("Model", bound=BaseModel)


class Problem(FromServer):
    """Why a message was refused that requested no acknowledgement."""

    code: str
    message: str


class Refusal(FromServer):
    """Why a request was refused.

    `code` is for programs, `message` for people. `rule` names the game rule that a turn breaks,
    or says more than the code: `account` if a rated game lacks an account.
    """

    ok: Literal[False] = False
    code: str
    message: str
    rule: str | None = None
    retry_after_ms: int | None = Field(
        None,
        description="milliseconds to wait before the same request is sent again, if known",
    )
    instead: str | None = Field(
        None, description="a bot that has a place for the game that another bot has no place for"
    )


class Done(FromServer):
    """The request was carried out. Its effects are committed to disk."""

    ok: Literal[True] = True


class ChallengeDone(Done):
    challenge: Challenge


class TurnDone(Done):
    game_id: Id
    ply: int
    duplicate: bool = Field(description="whether the same turn was accepted before")


class GameDone(Done):
    game: GameState


class PositionDone(Done):
    position: PositionView


class LegalDone(Done):
    legal: LegalView


class PlanDone(Done):
    ply: int = Field(description="the ply at which the lines begin")
    lines: list[list[str]]


class ChatDone(Done):
    lines: list[ChatLine]
    open: tuple[bool, bool] = Field(description="whether each player allows texts")


class IgnoredDone(Done):
    ignored: list[str] = Field(description="the names of the players whom the player ignores")


class WelcomeDone(Done):
    welcome: Welcome


class TournamentDone(Done):
    tournament: TournamentState


class AnalysisDone(Done):
    analysis: AnalysisState


class GameAnalysisDone(Done):
    analysis: GameAnalysis


class AnalysisJobDone(Done):
    job: AnalysisJob | None = Field(description="null: there is nothing to do now")


class AnalysisReportDone(Done):
    wanted: bool = Field(description="whether the job is still wanted; if not, take another one")


class GameAdded(Done):
    """A game of the player's own device stands in the player's games, with this id."""

    game_id: Id
    duplicate: bool = Field(description="whether it was added before")


class PuzzleDone(Done):
    puzzle: PuzzleView
    standing: PuzzleStanding
    solution: PuzzleSolution | None = Field(
        None, description="if the player has answered it before"
    )


class PuzzleTried(Done):
    """What became of an answer. `change` is what the first one did to the player's rating."""

    solved: bool
    change: int | None
    standing: PuzzleStanding
    solution: PuzzleSolution | None = Field(description="null after a wrong turn")


CLIENT_EVENTS: dict[str, tuple[type[FromClient], type[Done]]] = {
    "challenge.create": (CreateChallenge, ChallengeDone),
    "challenge.state": (AskChallenge, ChallengeDone),
    "challenge.accept": (AcceptChallenge, ChallengeDone),
    "challenge.decline": (DeclineChallenge, Done),
    "challenge.cancel": (CancelChallenge, Done),
    "game.turn": (PlayTurn, TurnDone),
    "game.action": (GameAction, GameDone),
    "game.watch": (WatchGame, GameDone),
    "game.state": (AskGame, GameDone),
    "game.position": (AskPosition, PositionDone),
    "game.legal": (AskLegal, LegalDone),
    "game.chat": (SendChat, Done),
    "game.chats": (AskChat, ChatDone),
    "game.report": (ReportPlayer, Done),
    "game.plan": (PlanTurns, PlanDone),
    "game.plans": (AskPlan, PlanDone),
    "game.queue": (ReportQueue, Done),
    "game.add": (AddGame, GameAdded),
    "tournament.create": (CreateTournament, TournamentDone),
    "tournament.enter": (EnterTournament, TournamentDone),
    "tournament.leave": (LeaveTournament, TournamentDone),
    "tournament.start": (StartTournament, TournamentDone),
    "tournament.pause": (PauseTournament, TournamentDone),
    "tournament.resume": (ResumeTournament, TournamentDone),
    "tournament.withdraw": (WithdrawPlayer, TournamentDone),
    "tournament.replace": (ReplaceResult, TournamentDone),
    "tournament.end": (EndTournament, TournamentDone),
    "tournament.watch": (WatchTournament, TournamentDone),
    "puzzle.ask": (AskPuzzle, PuzzleDone),
    "puzzle.try": (TryPuzzle, PuzzleTried),
    "player.ignore": (IgnorePlayer, IgnoredDone),
    "player.ignored": (AskIgnored, IgnoredDone),
    "push.subscribe": (Subscribe, Done),
    "push.unsubscribe": (Unsubscribe, Done),
    "analysis.position": (AskAnyPosition, PositionDone),
    "analysis.legal": (AskAnyLegal, LegalDone),
    "analysis.start": (StartAnalysis, AnalysisDone),
    "analysis.cancel": (CancelAnalysis, Done),
    "analysis.game": (AskGameAnalysis, GameAnalysisDone),
    "analysis.take": (TakeAnalysis, AnalysisJobDone),
    "analysis.report": (ReportAnalysis, AnalysisReportDone),
    "state": (AskState, WelcomeDone),
}
"""Event name: the client's message, and the acknowledgement of success."""


SERVER_EVENTS: dict[str, type[FromServer]] = {
    "welcome": Welcome,
    "lobby": Lobby,
    "challenge": Challenge,
    "game": GameState,
    "change": GameChange,
    "chat": Chat,
    "queue": Queue,
    "tournament": TournamentState,
    "analysis": AnalysisState,
    "game_analysis": GameAnalysis,
    "problem": Problem,
}


def read(model: type[Model], payload: object) -> Model:
    """Parse a message of the server as a client does, and drop unknown fields.

    Raises ValidationError if the payload is not a message of this type.
    """
    return model.model_validate(payload, extra="ignore")


def encode(message: BaseModel) -> dict[str, JsonValue]:
    """Return a message as plain JSON values for Socket.IO."""
    return message.model_dump(mode="json")
