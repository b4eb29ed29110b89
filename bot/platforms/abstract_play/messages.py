"""What the platform sends, as models: its calls to us, and what its queries answer.

It adds fields without notice, so unknown ones are ignored; nothing is taken that is longer than
any game needs. Field names are the platform's on the wire, and ours in Python (`gameid` is
`game_id`). Clocks in challenges are hours; moments and times of games are milliseconds.
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
"""A clock that has run out, and that nobody claimed, goes on below nothing."""
Milliseconds = Annotated[float, Field(ge=-1e14, le=1e14, allow_inf_nan=False)]
Moment = Annotated[float, Field(ge=0, le=1e14, allow_inf_nan=False)]
Plies = Annotated[int, Field(ge=0, le=100_000)]
Winners = Annotated[tuple[Annotated[int, Field(ge=1, le=12)], ...], Field(max_length=12)]

T = TypeVar("T")


class _Message(BaseModel):
    model_config = ConfigDict(
        frozen=True, extra="ignore", alias_generator=to_camel, populate_by_name=True
    )


# ---- its calls to us -------------------------------------------------------------------------


class ChallengeNotice(_Message):
    """Somebody wants to play; `challengers` are the ids of the others, never ours."""

    verb: Literal["challenge"] = "challenge"
    meta_game: Id
    variants: Variants = ()
    clock_start: Hours
    clock_inc: Hours
    clock_max: Hours
    challengers: Annotated[tuple[Id, ...], Field(max_length=12)]


class MoveNotice(_Message):
    """It may be our turn in a game: a hint that the game wants to be read, and no more.

    `moves` is the history in rounds, a string per seat, as it stood when the notice was made.
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


# ---- what queries answer ---------------------------------------------------------------------


def _clean(name: str) -> str:
    return cleaned(name, LONGEST_NAME)


Name = Annotated[str, AfterValidator(_clean)]
"""A player whose name is too long or has invisible characters has to be played all the same."""


class Player(_Message):
    """`time` is what the player's clock held when the present turn began."""

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
    """One of a list of games; `num_moves` may be missing before the first move."""

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
    """A position, and the ply that led to it; the first one, the empty board, has none."""

    last_move: Move | None = Field(None, alias="lastmove")


class State(_Message):
    """The game as the platform's rules keep it; `winner` counts seats from 1."""

    stack: Annotated[tuple[StackEntry, ...], Field(min_length=1, max_length=20_000)]
    game_over: bool = Field(False, alias="gameover")
    winner: Winners = ()


def _read_state(value: object) -> object:
    if not isinstance(value, str):
        return value
    return State.model_validate_json(value, by_alias=True, by_name=False)


class GameRecord(_Message):
    """One game; `winner` is empty where it was abandoned, and has both seats in a draw."""

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
    """The body of a call to us. Raises ValueError with one sentence that says what is wrong."""
    if len(raw) > MAX_WEBHOOK_BYTES:
        raise ValueError(f"the body is longer than {MAX_WEBHOOK_BYTES} bytes")
    return _read(_WEBHOOK, raw)


def listed_games(raw: bytes) -> tuple[list[ListedGame], int]:
    """The games of a list, and how many others in it cannot be read. Raises ValueError."""
    entries = _read(_LIST, raw)
    games = [each for each in entries if each is not None]
    return games, len(entries) - len(games)


def game_answer(raw: bytes) -> GameRecord:
    """The game that was asked for. Raises ValueError."""
    return _read(_ANSWER, raw).game


def game_record(raw: bytes | str) -> GameRecord:
    """A game on its own, as a played move is answered. Raises ValueError."""
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
