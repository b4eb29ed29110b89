"""The messages of the arena protocol, version 1: what passes over Socket.IO, and nothing else.

docs/arena-protocol.md explains them; `bot.wire.schema` publishes them. A client calls events of
`CLIENT_EVENTS` and gets an acknowledgement, `Done` or `Refusal`; the server emits events of
`SERVER_EVENTS`. Every server event is a whole state, never a difference: one that was lost is
made good by the next, and one with a lower `revision` than the last can be dropped.

Within version 1 the server may add fields, so clients read what it says with `read`. What clients
send is taken as it is meant or not at all: a field that is unknown or of another type is refused.
"""

from bot.wire.base import MAX_MESSAGE_BYTES, NEW_NAME_PATTERN, VERSION, NewName, Seat
from bot.wire.codes import CHALLENGE_CODES, REFUSAL_CODES, REPEATABLE_CODES
from bot.wire.events import (
    CLIENT_EVENTS,
    SERVER_EVENTS,
    ChallengeDone,
    Done,
    GameDone,
    LegalDone,
    PositionDone,
    Problem,
    Refusal,
    TurnDone,
    WelcomeDone,
    encode,
    read,
)
from bot.wire.games import (
    ClockView,
    GameSetup,
    GameState,
    GameSummary,
    Illegal,
    LegalView,
    PlayedTurn,
    Player,
    PositionView,
    Result,
    ResultReason,
    TurnInfo,
)
from bot.wire.lobby import Challenge, EnginePart, Lobby, Warming, Welcome
from bot.wire.requests import (
    AcceptChallenge,
    AskLegal,
    AskPosition,
    AskState,
    CancelChallenge,
    CreateChallenge,
    Credentials,
    DeclineChallenge,
    GameAction,
    OfferedSetup,
    PlayTurn,
    WatchGame,
)

__all__ = [
    "CHALLENGE_CODES",
    "CLIENT_EVENTS",
    "MAX_MESSAGE_BYTES",
    "NEW_NAME_PATTERN",
    "REFUSAL_CODES",
    "REPEATABLE_CODES",
    "SERVER_EVENTS",
    "VERSION",
    "AcceptChallenge",
    "AskLegal",
    "AskPosition",
    "AskState",
    "CancelChallenge",
    "Challenge",
    "ChallengeDone",
    "ClockView",
    "CreateChallenge",
    "Credentials",
    "DeclineChallenge",
    "Done",
    "EnginePart",
    "GameAction",
    "GameDone",
    "GameSetup",
    "GameState",
    "GameSummary",
    "Illegal",
    "LegalDone",
    "LegalView",
    "Lobby",
    "NewName",
    "OfferedSetup",
    "PlayTurn",
    "PlayedTurn",
    "Player",
    "PositionDone",
    "PositionView",
    "Problem",
    "Refusal",
    "Result",
    "ResultReason",
    "Seat",
    "TurnDone",
    "TurnInfo",
    "Warming",
    "WatchGame",
    "Welcome",
    "WelcomeDone",
    "encode",
    "read",
]
