"""The messages of the arena protocol, version 1: what passes over Socket.IO, and nothing else.

docs/arena-protocol.md explains them; `bot.wire_schema` publishes them. A client calls events of
`CLIENT_EVENTS` and gets an acknowledgement, `Done` or `Refusal`; the server emits events of
`SERVER_EVENTS`. Every server event is a whole state, never a difference: one that was lost is
made good by the next, and one with a lower `revision` than the last can be dropped.

Within version 1 the server may add fields, so clients read what it says with `read`. What clients
send is taken as it is meant or not at all: a field that is unknown or of another type is refused.
"""

from datetime import datetime
from functools import cached_property
from typing import Annotated, Final, Literal, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from bot.json_values import IS_NUMBER, TextOrWhole, TrueOrFalse
from bot.time_controls import PlayerClock, TimeControl
from bot.wire_clocks import OfferedClock

VERSION: Final = 1
MAX_MESSAGE_BYTES = 16_384

Version = Literal[1]
Seat = Literal[1, 2]
Name = Annotated[str, Field(min_length=2, max_length=24, pattern=r"^[A-Za-z0-9][A-Za-z0-9 _.\-]*$")]
NEW_NAME_PATTERN: Final = r"^[A-Za-z0-9]([ ]?[A-Za-z0-9_.\-])*$"
NewName = Annotated[str, Field(min_length=2, max_length=24, pattern=NEW_NAME_PATTERN)]
"""A name that may still be taken; some that were taken long ago have more blanks."""
Id = Annotated[str, Field(min_length=1, max_length=40, pattern=r"^[A-Za-z0-9_\-]+$")]
Word = Annotated[str, Field(min_length=1, max_length=40, pattern=r"^[A-Za-z0-9_.\-]+$")]
Turn = Annotated[str, Field(min_length=1, max_length=40)]
Sentence = Annotated[str, Field(max_length=300)]
Ply = Annotated[int, Field(ge=0, le=100_000), IS_NUMBER]
Probability = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False), IS_NUMBER]
Kind = Literal["bot", "person", "guest"]
Level = Annotated[int, Field(ge=1, le=10), IS_NUMBER]
"""How strong a bot says that it plays: 1 is for a first game, 10 its full strength."""
Model = TypeVar("Model", bound=BaseModel)


class _Message(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _FromClient(_Message):
    v: Annotated[Version, IS_NUMBER] = Field(description="version of the protocol")


class _FromServer(_Message):
    v: Version = VERSION


# ---- identity ------------------------------------------------------------------------------


class Credentials(_FromClient):
    """The `auth` of the Socket.IO connection: a bot's token, a guest's key, or neither."""

    token: Annotated[str, Field(max_length=100)] | None = None
    guest_key: Annotated[str, Field(max_length=100)] | None = None
    name: NewName | None = Field(None, description="the name that a guest would like")
    engine: Annotated[str, Field(max_length=60)] | None = Field(
        None, description="what a bot plays with, for people to see"
    )
    level: Level | None = Field(None, description="how strong a bot plays, from 1 to 10")


class Player(_Message):
    """Somebody who can sit in a game. `name` is unique on the server and may change; `id` stays."""

    id: Id | None = Field(None, description="null only from servers that knew none yet")
    name: Name
    kind: Kind
    engine: str | None = None
    level: Level | None = Field(None, description="of a bot that says how strong it plays")


# ---- challenges ----------------------------------------------------------------------------


class OfferedSetup(_Message):
    """What a player would like to play. Board, rules and options that are left out are at the
    game's own default. A `GameSetup` that the server has sent may be sent as it is.
    """

    game: Word = "bluestone"
    board: Word | None = None
    rules: Word | None = None
    options: dict[Word, TextOrWhole] = Field(default_factory=dict, max_length=8)
    clock: OfferedClock
    rated: TrueOrFalse = False


class GameSetup(_Message):
    """What is played; options that are not listed are at their default on that board."""

    game: Word = "bluestone"
    board: Word = "pent-6"
    rules: Word = "official"
    options: dict[Word, str] = Field(default_factory=dict, max_length=8)
    clock: TimeControl
    rated: bool = False


class CreateChallenge(_FromClient):
    """Offer a game. A seat names its player; `null` is open to anybody; both seats may name
    others, who then both have to accept (a person who wants to watch two bots).
    `random_seats` lets the server draw who has which seat when the game begins.
    """

    setup: OfferedSetup
    seats: tuple[Name | None, Name | None]
    random_seats: TrueOrFalse = False


class AcceptChallenge(_FromClient):
    challenge_id: Id


class DeclineChallenge(_FromClient):
    """Turn a challenge down, with a code for programs and a sentence for people."""

    challenge_id: Id
    code: Word
    message: Sentence


class CancelChallenge(_FromClient):
    challenge_id: Id


class Challenge(_FromServer):
    """Sent to everybody concerned at each change; gone from `Lobby` once not `open`."""

    challenge_id: Id
    creator: Player
    setup: GameSetup
    seats: tuple[Name | None, Name | None]
    random_seats: bool
    accepted: list[Name] = Field(description="those who agreed so far, the creator if seated")
    state: Literal["open", "started", "declined", "cancelled", "expired"]
    code: str | None = Field(
        None, description="why it ended: the decliner's word, or one of the server's"
    )
    message: str | None = None
    game_id: Id | None = Field(None, description="the game that it became")
    created_at: datetime
    expires_at: datetime


# ---- games ---------------------------------------------------------------------------------


class TurnInfo(_Message):
    """What an engine says of its turn; `value` is its own chance to win."""

    value: Probability | None = None
    visits: Annotated[int, Field(ge=0, le=2**53), IS_NUMBER] | None = None
    pv: Annotated[list[Turn], Field(max_length=40)] = Field(default_factory=list)
    source: Annotated[str, Field(max_length=20)] | None = Field(
        None, description="engine, fallback, forced or person"
    )


class PlayTurn(_FromClient):
    """Play `turn` as ply `ply` (0 for the first turn of the game).

    Sending the same ply and turn again is answered like the first time.
    """

    game_id: Id
    ply: Ply
    turn: Turn
    info: TurnInfo | None = None


class GameAction(_FromClient):
    """Resign, abort (before both have played), or offer, accept, decline a draw."""

    game_id: Id
    action: Literal["resign", "abort", "offer_draw", "accept_draw", "decline_draw"]


class WatchGame(_FromClient):
    """Follow a game's `game` events; players of a game follow it anyway."""

    game_id: Id
    follow: TrueOrFalse = True


class AskPosition(_FromClient):
    """The position after `ply` turns of a game; null for the last one."""

    game_id: Id
    ply: Ply | None = None


class AskLegal(_FromClient):
    """Which steps the player to move may choose now, after those in `chosen`.

    With `ply` the answer is about that ply, or a refusal if another is next. A step is a cell;
    where players own several kinds of stones, the digit of the kind before it.
    """

    game_id: Id
    ply: Ply | None = None
    chosen: Annotated[list[Word], Field(max_length=2)] = Field(default_factory=list)


class AskState(_FromClient):
    """Ask for the `Welcome` again: everything that concerns this client."""


class PositionView(_Message):
    """A position as a page draws it; every field can be derived from the turns."""

    ply: int
    to_play: Seat
    stones: dict[str, tuple[Seat, int]] = Field(description="cell: (player, kind of stone)")
    last: list[str] = Field(description="cells of the last turn")
    captured: list[str] = Field(description="cells that the last turn cleared")
    marks: dict[str, str] = Field(
        default_factory=dict, description="cell: a word on the stone there that needs one"
    )
    scores: tuple[list[int], list[int]]
    over: bool
    winner: Seat | None


class Illegal(_Message):
    """Why a step cannot be chosen: a code of the rules, and a sentence."""

    rule: str
    message: str


class LegalView(_Message):
    ply: int
    legal: list[str] = Field(description="steps that may be chosen")
    illegal: dict[str, Illegal] = Field(description="every other step, and why not")
    complete: bool = Field(description="what is chosen is a legal turn as it stands")
    may_pass: bool = Field(
        default=False, description="the turn may be a pass; false once a stone is chosen"
    )
    captured: list[str] = Field(description="cells that what is chosen would clear")


class PlayedTurn(_Message):
    turn: str
    captured: list[str]
    time_ms: int = Field(description="thinking time, by the server's clock")
    clock: PlayerClock = Field(description="the mover's clock after the turn")
    info: TurnInfo | None = None

    @cached_property
    def as_json(self) -> str:
        """Written out once, although every state of the game carries it."""
        return self.model_dump_json()


class ClockView(_Message):
    """Both clocks at the moment `GameState.server_time`, the running one already run down."""

    players: tuple[PlayerClock, PlayerClock]
    running: Seat | None
    first_turn_ms: int | None = Field(
        None,
        description="while no clock runs yet: how long the player to move has for a first turn",
    )


ResultReason = Literal[
    "played_out",
    "resignation",
    "draw_agreement",
    "time_forfeit",
    "abandonment",
    "aborted",
]


class Result(_Message):
    """`winner` is null in a draw and in an aborted game, which counts for nobody."""

    winner: Seat | None
    reason: str = Field(description=f"{', '.join(get_args(ResultReason))}; others may be added")
    message: str


class GameState(_FromServer):
    """Everything about one game. `turns` is the truth: a client replays it every time."""

    game_id: Id
    revision: int = Field(description="grows with every change of this game")
    setup: GameSetup
    players: tuple[Player, Player]
    connected: tuple[bool, bool]
    state: Literal["playing", "finished"]
    turns: list[PlayedTurn]
    to_play: Seat
    position: PositionView
    clocks: ClockView
    draw_offer: Seat | None
    result: Result | None
    created_at: datetime
    server_time: datetime

    def as_json(self) -> str:
        """What `model_dump_json` gives, in less time the longer the game is."""
        rest = self.model_copy(update={"turns": []}).model_dump_json()
        before, after = rest.split('"turns":[]', 1)
        return f'{before}"turns":[{",".join(turn.as_json for turn in self.turns)}]{after}'


class GameSummary(_Message):
    game_id: Id
    setup: GameSetup
    players: tuple[Player, Player]
    state: Literal["playing", "finished"]
    plies: int
    result: Result | None
    created_at: datetime


# ---- the server's other events -------------------------------------------------------------


class Welcome(_FromServer):
    """The first event of every connection: who the client is and all that concerns it."""

    you: Player
    guest_key: str | None = Field(None, description="a guest keeps it to come back as itself")
    server: str
    server_time: datetime
    games: list[GameState] = Field(description="running games in which the client sits")
    challenges: list[Challenge] = Field(
        description="open challenges that await or are the client's"
    )


class Lobby(_FromServer):
    """What people see on the front page; sent to everybody when it changes."""

    revision: int
    players: list[Player] = Field(description="those connected now")
    challenges: list[Challenge]
    games: list[GameSummary] = Field(description="running games, then the latest finished ones")


class Problem(_FromServer):
    """A message that could not even be acknowledged."""

    code: str
    message: str


# ---- acknowledgements ----------------------------------------------------------------------


class Refusal(_FromServer):
    """`code` is for programs, `message` for people; `rule` names the broken rule of the game."""

    ok: Literal[False] = False
    code: str
    message: str
    rule: str | None = None
    retry_after_ms: int | None = Field(
        None, description="when the same may be tried again, where the server knows"
    )


class Done(_FromServer):
    """The request was carried out, and is on the disk."""

    ok: Literal[True] = True


class ChallengeDone(Done):
    challenge: Challenge


class TurnDone(Done):
    game_id: Id
    ply: int
    duplicate: bool = Field(description="this very turn had been accepted before")


class GameDone(Done):
    game: GameState


class PositionDone(Done):
    position: PositionView


class LegalDone(Done):
    legal: LegalView


class WelcomeDone(Done):
    welcome: Welcome


CLIENT_EVENTS: dict[str, tuple[type[_FromClient], type[Done]]] = {
    "challenge.create": (CreateChallenge, ChallengeDone),
    "challenge.accept": (AcceptChallenge, ChallengeDone),
    "challenge.decline": (DeclineChallenge, Done),
    "challenge.cancel": (CancelChallenge, Done),
    "game.turn": (PlayTurn, TurnDone),
    "game.action": (GameAction, GameDone),
    "game.watch": (WatchGame, GameDone),
    "game.position": (AskPosition, PositionDone),
    "game.legal": (AskLegal, LegalDone),
    "state": (AskState, WelcomeDone),
}
"""Event name: what the client sends, and what a successful acknowledgement holds."""

SERVER_EVENTS: dict[str, type[_FromServer]] = {
    "welcome": Welcome,
    "lobby": Lobby,
    "challenge": Challenge,
    "game": GameState,
    "problem": Problem,
}

REFUSAL_CODES: dict[str, str] = {
    "not_json": "the message is not a JSON object",
    "too_long": f"the message is longer than {MAX_MESSAGE_BYTES} bytes",
    "wrong_version": f"`v` is not {VERSION}",
    "unknown_event": "there is no such event",
    "invalid": "a field is missing, unknown or out of range",
    "rate_limited": "too many messages in a short time",
    "bad_token": "the token is not known",
    "bad_guest_key": "the guest key is not known",
    "name_taken": "the name belongs to somebody else",
    "unknown_game": "there is no such game, board, rule set or option",
    "unknown_player": "nobody of that name",
    "unknown_challenge": "no open challenge of that id",
    "unknown_game_id": "no game of that id",
    "not_your_challenge": "the challenge is for others",
    "not_a_player": "the game is between others",
    "not_your_turn": "the other player is to move",
    "stale_ply": "that ply has been played, with another turn, or is not reached yet",
    "illegal_turn": "the turn breaks a rule of the game",
    "game_over": "the game has ended",
    "too_late": "a game can be aborted only until both players have played",
    "no_draw_offer": "the opponent has not offered a draw",
    "too_soon": "a turn has to be played before a draw is offered again",
    "too_many": "too many challenges, games or connections at once",
    "unavailable": "the server cannot write to its disk at present; clocks stand, ask again",
    "server_error": "the server failed, and has logged why; nothing was changed",
}
"""Codes of `Refusal`, `Problem` and refused connections."""

REPEATABLE_CODES: dict[str, str] = {
    "rate_limited": "after `retry_after_ms`",
    "too_many": "when there is room again; ask ever less often",
    "unavailable": "after `retry_after_ms`",
    "server_error": "after a few seconds, ever less often",
}
"""When the very same request may be sent again; after any other code it would be refused again."""

CHALLENGE_CODES: dict[str, str] = {
    "cancelled": "its creator withdrew it",
    "creator_left": "its creator went away, and it offered a live game or was a guest's",
    "expired": "nobody accepted in time",
}
"""Why the server ended a challenge. Who declines one says why in a word of their own."""


def read(model: type[Model], payload: object) -> Model:
    """What the server said, as a client reads it: fields that it does not know are left out.

    Raises ValidationError if it is no such message.
    """
    return model.model_validate(payload, extra="ignore")


def encode(message: BaseModel) -> dict[str, JsonValue]:
    """A message as Socket.IO takes it: plain JSON values."""
    return message.model_dump(mode="json")
