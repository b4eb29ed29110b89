"""The messages of HeXO-Arena, validated: lines of the stream, packets of a game, and answers.

The server may add fields and kinds of messages at any time, so unknown ones are ignored.
"""

from typing import Annotated, Final, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError
from pydantic.alias_generators import to_camel

from bot.json_values import first_problem

MAX_LINE: Final = 64 * 1024
"""Bytes of a line of the stream, and of a packet from the server."""
MAX_FRAME: Final = 16 * 1024
"""Bytes of a packet from the bot, and of the body of a request."""
MAX_ANSWER: Final = 4 * 1024 * 1024
"""Bytes of an answer to a request; the directory of all bots is the longest."""
MAX_STONES: Final = 2_000
FARTHEST: Final = 100_000
"""The greatest coordinate that is accepted; 500 turns cannot reach it."""

Side = Literal["x", "o"]
FinishReason = Annotated[str, Field(min_length=1, max_length=40)]
Id = Annotated[str, Field(min_length=1, max_length=200, pattern=r"^[\x21-\x7e]+$")]
Name = Annotated[str, Field(min_length=1, max_length=100)]
Whole = Annotated[int, Field(ge=-FARTHEST, le=FARTHEST, strict=True)]
Millis = Annotated[int, Field(ge=0, le=366 * 86_400_000)]


class _Message(BaseModel):
    """Keys are in camel case on the wire."""

    model_config = ConfigDict(
        frozen=True, extra="ignore", alias_generator=to_camel, populate_by_name=True
    )


class _Packet(BaseModel):
    """Keys are in snake case on the wire."""

    model_config = ConfigDict(frozen=True, extra="ignore")


# ---- parts ---------------------------------------------------------------------------------


class Player(_Message):
    """`rating` is None for a guest."""

    name: Name
    rating: float | None = None
    provisional: bool = False


class Unlimited(_Message):
    mode: Literal["unlimited"]


class TurnClock(_Message):
    mode: Literal["turn"]
    turn_time_ms: Annotated[Millis, Field(ge=1)]


class MatchClock(_Message):
    mode: Literal["match"]
    main_time_ms: Annotated[Millis, Field(ge=1)]
    increment_ms: Millis


Clock = Annotated[Unlimited | TurnClock | MatchClock, Field(discriminator="mode")]


class Coordinate(_Message):
    """A cell: +q to the right, +r to the upper right."""

    q: Whole
    r: Whole


class Cell(Coordinate):
    p: Side


class PlayedTurn(_Message):
    """Two stones, also if the first one has won the game."""

    side: Side
    pieces: Annotated[tuple[Coordinate, ...], Field(min_length=1, max_length=2)]


class Challenge(_Message):
    challenge_id: Id
    challenger: Player
    dest_user: Player
    time_control: Clock
    status: str = "created"


# ---- the stream ----------------------------------------------------------------------------


class EngineSession(_Message):
    """Where to dial for a game. The token lives for 60 s."""

    socket_url: Annotated[str, Field(min_length=1, max_length=1000)]
    token: Annotated[str, Field(min_length=1, max_length=200, pattern=r"^[\x21-\x7e]+$")]


class GameStart(_Message):
    type: Literal["gameStart"]
    game_id: Id
    side: Side
    opponent: Player
    time_control: Clock
    opening_plies: int | None = None
    rated: bool = False
    level: str | None = None
    engine: EngineSession


class GameFinish(_Message):
    type: Literal["gameFinish"]
    game_id: Id
    winner: Side | None
    reason: FinishReason


class ChallengeLine(_Message):
    type: Literal["challenge"]
    challenge: Challenge


class ChallengeCanceled(_Message):
    type: Literal["challengeCanceled"]
    reason: str = "canceled"
    challenge: Challenge


class ChallengeDeclined(_Message):
    type: Literal["challengeDeclined"]
    challenge: Challenge


StreamEvent = GameStart | GameFinish | ChallengeLine | ChallengeCanceled | ChallengeDeclined
_EVENTS: Final[dict[str, type[StreamEvent]]] = {
    "gameStart": GameStart,
    "gameFinish": GameFinish,
    "challenge": ChallengeLine,
    "challengeCanceled": ChallengeCanceled,
    "challengeDeclined": ChallengeDeclined,
}

# ---- packets of a game ---------------------------------------------------------------------


class Board(_Message):
    cells: Annotated[tuple[Cell, ...], Field(max_length=MAX_STONES)]


class SetupPacket(_Packet):
    type: Literal["setup"]
    board: Board


class MoveRequest(_Packet):
    """`previous` has the turns that this connection has not seen yet."""

    type: Literal["move_request"]
    side: Side
    previous: Annotated[tuple[PlayedTurn, ...], Field(max_length=MAX_STONES)] = ()
    move_time_limit: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
    request_id: int | None = None


class Heartbeat(_Packet):
    """`waiting` says that the server holds a request for this bot."""

    type: Literal["heartbeat"]
    waiting: bool = False


Packet = SetupPacket | MoveRequest | Heartbeat
_PACKETS: Final[dict[str, type[Packet]]] = {
    "setup": SetupPacket,
    "move_request": MoveRequest,
    "heartbeat": Heartbeat,
}


# ---- answers to requests -------------------------------------------------------------------


class Accepts(_Message):
    """The clocks that a bot plays. A bot that never declared them plays none."""

    turn_ms: tuple[int, int] | None = None
    match: bool = False
    unlimited: bool = False


class Account(_Message):
    name: Name
    rating: float
    provisional: bool = False
    about: str | None = None
    version: str | None = None
    repo_url: str | None = None
    accepts: Accepts | None = None
    levels: object = None
    analyzer: object = None


class BotListing(_Message):
    name: Name
    owner_name: str | None = None
    online: bool = False
    open_for_challenges: bool = False
    rating: float = 0
    provisional: bool = True
    live_games: int = 0
    accepts: Accepts | None = None


class SnapshotCell(_Message):
    """The page's coordinates: x = q + r, and y = -r."""

    x: Whole
    y: Whole
    side: Side


class SnapshotBoard(_Message):
    """The stones in the order in which they were placed."""

    cells: Annotated[tuple[SnapshotCell, ...], Field(max_length=MAX_STONES)]


class SnapshotPlayer(Player):
    kind: Literal["bot", "user", "guest"] | None = None


class SnapshotPlayers(_Message):
    x: SnapshotPlayer
    o: SnapshotPlayer


class Snapshot(_Message):
    """A game as everybody can read it."""

    game_id: Id
    status: Literal["in-progress", "finished"]
    players: SnapshotPlayers
    board: SnapshotBoard
    to_move: Side | None = None
    winner: Side | None = None
    reason: FinishReason | None = None


class Refusal(_Message):
    error: str = ""
    code: str = ""


M = TypeVar("M", bound=BaseModel)
_KIND: Final = TypeAdapter(dict[str, object])


def read_event(line: bytes) -> StreamEvent | None:
    """Parse a line of the stream; None for a kind that is unknown here. Raises ValueError."""
    model = _EVENTS.get(_kind_of(line))
    return None if model is None else read(model, line)


def read_packet(text: str) -> Packet | None:
    """Parse a packet of a game; None for a kind that is unknown here. Raises ValueError."""
    model = _PACKETS.get(_kind_of(text))
    return None if model is None else read(model, text)


def read(model: type[M], text: str | bytes) -> M:
    """Parse JSON of that kind. Raises ValueError, which quotes nothing of it."""
    try:
        return model.model_validate_json(text)
    except ValidationError as error:
        raise ValueError(first_problem(error)) from None


def read_directory(body: bytes) -> list[BotListing]:
    """Parse the directory of bots; entries that cannot be parsed are left out.

    Raises ValueError.
    """
    try:
        entries = TypeAdapter(list[object]).validate_json(body)
    except ValidationError as error:
        raise ValueError(first_problem(error)) from None
    found = []
    for entry in entries:
        try:
            found.append(BotListing.model_validate(entry))
        except ValidationError:
            continue
    return found


def _kind_of(text: str | bytes) -> str:
    try:
        return str(_KIND.validate_json(text).get("type"))
    except ValidationError as error:
        raise ValueError(first_problem(error)) from None
