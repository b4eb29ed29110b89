"""What the platform sends, as models: its calls to us, and what its queries answer.

It adds fields without notice, so unknown ones are ignored; nothing is taken that is longer than
any game needs. Field names are the platform's on the wire, and ours in Python (`gameid` is
`game_id`). Clocks in challenges are hours; moments and times of games are milliseconds.
"""

from typing import Annotated, Final, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError
from pydantic.alias_generators import to_camel
from pydantic_core import ErrorDetails

MAX_WEBHOOK_BYTES: Final = 65_536
LONGEST_SENTENCE: Final = 200

Id = Annotated[str, Field(min_length=1, max_length=100)]
Variants = Annotated[tuple[Annotated[str, Field(max_length=60)], ...], Field(max_length=20)]
Move = Annotated[str, Field(max_length=200)]
Rounds = Annotated[
    tuple[Annotated[tuple[Move, ...], Field(max_length=12)], ...], Field(max_length=10_000)
]
Hours = Annotated[float, Field(ge=0, le=1_000_000, allow_inf_nan=False)]
AnyHours = Annotated[float, Field(ge=-1_000_000, le=1_000_000, allow_inf_nan=False)]
"""A clock that has run out, and that nobody claimed, goes on below nothing."""

T = TypeVar("T")


class _Message(BaseModel):
    model_config = ConfigDict(
        frozen=True, extra="ignore", alias_generator=to_camel, populate_by_name=True
    )


# ---- its calls to us -------------------------------------------------------------------------


class Challenge(_Message):
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
        return sum(len(each) for each in self.moves)


_WEBHOOK: Final[TypeAdapter[Challenge | MoveNotice]] = TypeAdapter(
    Annotated[Challenge | MoveNotice, Field(discriminator="verb")]
)


# ---- reading ---------------------------------------------------------------------------------


def webhook_body(raw: bytes) -> Challenge | MoveNotice:
    """The body of a call to us. Raises ValueError with one sentence that says what is wrong."""
    if len(raw) > MAX_WEBHOOK_BYTES:
        raise ValueError(f"the body is longer than {MAX_WEBHOOK_BYTES} bytes")
    return _read(_WEBHOOK, raw)


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
