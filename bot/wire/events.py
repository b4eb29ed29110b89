"""The events of clients and server by name, and the answers to requests."""

from typing import Literal, TypeVar

from pydantic import BaseModel, Field, JsonValue

from bot.wire.base import FromClient, FromServer, Id
from bot.wire.changes import GameChange
from bot.wire.games import GameState, LegalView, PositionView
from bot.wire.lobby import Challenge, Lobby, Welcome
from bot.wire.requests import (
    AcceptChallenge,
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

    `code` is for programs, `message` for people. `rule` names the game rule that a turn breaks.
    """

    ok: Literal[False] = False
    code: str
    message: str
    rule: str | None = None
    retry_after_ms: int | None = Field(
        None,
        description="milliseconds to wait before the same request is sent again, if known",
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


class WelcomeDone(Done):
    welcome: Welcome


class TournamentDone(Done):
    tournament: TournamentState


CLIENT_EVENTS: dict[str, tuple[type[FromClient], type[Done]]] = {
    "challenge.create": (CreateChallenge, ChallengeDone),
    "challenge.accept": (AcceptChallenge, ChallengeDone),
    "challenge.decline": (DeclineChallenge, Done),
    "challenge.cancel": (CancelChallenge, Done),
    "game.turn": (PlayTurn, TurnDone),
    "game.action": (GameAction, GameDone),
    "game.watch": (WatchGame, GameDone),
    "game.state": (AskGame, GameDone),
    "game.position": (AskPosition, PositionDone),
    "game.legal": (AskLegal, LegalDone),
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
    "state": (AskState, WelcomeDone),
}
"""Event name: the client's message, and the acknowledgement of success."""


SERVER_EVENTS: dict[str, type[FromServer]] = {
    "welcome": Welcome,
    "lobby": Lobby,
    "challenge": Challenge,
    "game": GameState,
    "change": GameChange,
    "tournament": TournamentState,
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
