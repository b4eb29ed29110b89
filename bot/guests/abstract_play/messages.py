"""Models of the platform's messages: its calls to us, and the answers to queries.

The platform adds fields without notice, so unknown fields are ignored. Every length has a limit
that no game reaches. Field names are the platform's on the wire and ours in Python (`gameid` is
`game_id`). Clocks in challenges are in hours; moments and times in games are in milliseconds.
"""

from typing import Annotated, Final, Literal, TypeAlias, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
)
from pydantic.alias_generators import to_camel
from pydantic_core import ErrorDetails

from bot.runtime.names import cleaned

MAX_WEBHOOK_BYTES: Final = 65_536
MAX_ANSWER_BYTES: Final = 4 * 1024 * 1024
"""A list of games is one page of the platform's table: about 1 MB."""
MAX_LISTED: Final = 20_000
LONGEST_SENTENCE: Final = 200
LONGEST_NAME: Final = 100

Id = Annotated[str, Field(min_length=1, max_length=100)]
Variants = Annotated[tuple[Annotated[str, Field(max_length=60)], ...], Field(max_length=20)]
Move = Annotated[str, Field(max_length=200)]
Rounds = Annotated[
    tuple[Annotated[tuple[Move, ...], Field(max_length=12)], ...], Field(max_length=10_000)
]
Hours = Annotated[float, Field(ge=0, le=1_000_000, allow_inf_nan=False)]
AnyHours = Annotated[float, Field(ge=-1_000_000, le=1_000_000, allow_inf_nan=False)]
"""Hours that may be negative: a clock that ran out continues until the win is claimed."""
Milliseconds = Annotated[float, Field(ge=-1e14, le=1e14, allow_inf_nan=False)]
Moment = Annotated[float, Field(ge=0, le=1e14, allow_inf_nan=False)]
Plies = Annotated[int, Field(ge=0, le=100_000)]
Winners = Annotated[tuple[Annotated[int, Field(ge=1, le=12)], ...], Field(max_length=12)]

T = TypeVar("T")


class _Message(BaseModel):
    model_config = ConfigDict(
        frozen=True, extra="ignore", alias_generator=to_camel, populate_by_name=True
    )


# ---- calls to us -----------------------------------------------------------------------------


class ChallengeNotice(_Message):
    """A challenge to us; `challengers` are the ids of the other players."""

    verb: Literal["challenge"] = "challenge"
    meta_game: Id
    variants: Variants = ()
    clock_start: Hours
    clock_inc: Hours
    clock_max: Hours
    challengers: Annotated[tuple[Id, ...], Field(max_length=12)]


class MoveNotice(_Message):
    """A notice that it may be our turn in a game, and that the game should be read.

    `moves` is the history when the notice was made: rounds, with a string for each seat.
    """

    verb: Literal["move"] = "move"
    meta_game: Id
    game_id: Id = Field(alias="gameid")
    variants: Variants = ()
    clock_curr: AnyHours | None = None
    num_players: Annotated[int, Field(ge=1, le=12)] = 2
    moves: Rounds

    @property
    def plies(self) -> int:
        return sum(move != "" for each in self.moves for move in each)


# ---- answers to queries ----------------------------------------------------------------------


def _clean(name: str) -> str:
    return cleaned(name, LONGEST_NAME)


Name = Annotated[str, AfterValidator(_clean)]
"""A name without invisible characters and of limited length: such a player can still play us."""


class Player(_Message):
    """`time` is the player's clock in milliseconds when the present turn began."""

    id: Id
    name: Name = ""
    time: Milliseconds | None = None


def _seat_text(value: object) -> object:
    whole = isinstance(value, int) and not isinstance(value, bool)
    return str(value) if whole else value


Players = Annotated[tuple[Player, ...], Field(min_length=1, max_length=12)]
ToMove = Annotated[str, Field(max_length=10), BeforeValidator(_seat_text)]
"""The index of the seat from 0; empty in a game that is over."""


class ListedGame(_Message):
    """An entry of the list of games; `num_moves` may be missing before the first move."""

    id: Id
    meta_game: Id
    players: Players
    to_move: ToMove
    game_started: Moment | None = None
    num_moves: Plies | None = None
    variants: Variants = ()

    @property
    def plies(self) -> int | None:
        return self.num_moves


class StackEntry(_Message):
    """A position and the ply that led to it; the first one, the empty board, has no ply."""

    last_move: Move | None = Field(None, alias="lastmove")


class State(_Message):
    """The state of a game in the platform's rules; `winner` counts seats from 1."""

    stack: Annotated[tuple[StackEntry, ...], Field(min_length=1, max_length=20_000)]
    game_over: bool = Field(False, alias="gameover")
    winner: Winners = ()


def _read_state(value: object) -> object:
    if not isinstance(value, str):
        return value
    return State.model_validate_json(value, by_alias=True, by_name=False)


class GameRecord(_Message):
    """One game; `winner` is empty in an abandoned game, and has both seats in a draw."""

    id: Id
    meta_game: Id
    players: Players
    to_move: ToMove
    variants: Variants = ()
    rated: bool = False
    clock_start: Hours
    clock_inc: Hours
    clock_max: Hours
    clock_hard: bool = False
    last_move_time: Moment | None = None
    game_started: Moment | None = None
    game_ended: Moment | None = None
    num_moves: Plies | None = None
    winner: Winners | None = None
    state: Annotated[State, BeforeValidator(_read_state)]

    @property
    def over(self) -> bool:
        return self.to_move == "" or self.game_ended is not None or self.state.game_over


class _GameAnswer(_Message):
    game: GameRecord


def _or_none(value: object, read: ValidatorFunctionWrapHandler) -> object:
    try:
        return read(value)
    except ValidationError:
        return None


_Listed: TypeAlias = Annotated[ListedGame | None, WrapValidator(_or_none)]
_WEBHOOK: Final[TypeAdapter[ChallengeNotice | MoveNotice]] = TypeAdapter(
    Annotated[ChallengeNotice | MoveNotice, Field(discriminator="verb")]
)
_LIST: Final[TypeAdapter[list[ListedGame | None]]] = TypeAdapter(
    Annotated[list[_Listed], Field(max_length=MAX_LISTED)]
)
_ANSWER: Final = TypeAdapter(_GameAnswer)
_RECORD: Final = TypeAdapter(GameRecord)


# ---- reading ---------------------------------------------------------------------------------


def webhook_body(raw: bytes) -> ChallengeNotice | MoveNotice:
    """Parse the body of a call to us. Raises ValueError with a sentence about the first problem."""
    if len(raw) > MAX_WEBHOOK_BYTES:
        raise ValueError(f"the body is longer than {MAX_WEBHOOK_BYTES} bytes")
    return _read(_WEBHOOK, raw)


def listed_games(raw: bytes) -> tuple[list[ListedGame], int]:
    """Parse the games of a list, and count the entries that cannot be read. Raises ValueError."""
    entries = _read(_LIST, raw)
    games = [each for each in entries if each is not None]
    return games, len(entries) - len(games)


def game_answer(raw: bytes) -> GameRecord:
    """Parse the game in the answer to a query. Raises ValueError."""
    return _read(_ANSWER, raw).game


def game_record(raw: bytes | str) -> GameRecord:
    """Parse the game in the answer to a move. Raises ValueError."""
    return _read(_RECORD, raw)


def _read(adapter: TypeAdapter[T], raw: bytes | str) -> T:
    try:
        return adapter.validate_json(raw, by_alias=True, by_name=False)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        raise ValueError(_sentence(first)) from None


def _sentence(problem: ErrorDetails) -> str:
    if problem["type"].startswith("union_tag"):
        return "verb: neither challenge nor move"
    place = ".".join(map(str, problem["loc"][:6]))
    return f"{place or 'body'}: {problem['msg']}"[:LONGEST_SENTENCE]
