"""Tournaments that the arena hosts: what a host asks for, and everything that there is to see."""

import re
from contextlib import suppress
from datetime import datetime
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, AwareDatetime, BeforeValidator, Discriminator, Field, Tag
from pydantic_core import PydanticCustomError

from bot.json_values import IS_NUMBER, TextOrWhole, in_words
from bot.runtime.names import tidy
from bot.time_controls import parse_time_control
from bot.wire.base import FromServer, Id, Kind, Level, Message, Name, Seat, Sentence, Turn, Word
from bot.wire.clocks import OfferedClock
from bot.wire.games import GameSetup, Player
from bot.wire.requests import OfferedSetup

MOST_ENTRANTS: Final = 500
MOMENT: Final = r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?(Z|[+\-]\d\d:\d\d)$"
_NONE_OR_MORE: Final = r"[0-9]{1,5}(\.[0-9]{1,3})?"
_SOME: Final = r"[1-9][0-9]{0,4}(\.[0-9]{1,3})?"
CLOCK: Final = rf"^({_SOME}(\+{_NONE_OR_MORE}|/turn)?|{_NONE_OR_MORE}/[1-9][0-9]{{0,2}}x{_SOME})$"
"""A clock in its short form: its numbers have the bounds of the clock that it means."""

Title = Annotated[str, Field(min_length=1, max_length=60, pattern=r"^\S(.*\S)?$")]
Admits = Literal["bots", "people", "both"]
Day = Annotated[int, Field(ge=0, le=86_400), IS_NUMBER]
TournamentPhase = Literal[
    "waiting", "open", "closed", "running", "paused", "played", "ending", "over", "cancelled"
]
ScheduledState = Literal["waiting", "playing", "finished", "unplayed"]


def _moment(value: object) -> object:
    if isinstance(value, datetime) or (isinstance(value, str) and re.match(MOMENT, value)):
        return value
    wanted = "a time with its zone is needed, such as 2026-11-21T18:00:00Z"
    raise PydanticCustomError("moment", f"{wanted}, not {in_words(value)}")


Moment = Annotated[
    AwareDatetime,
    BeforeValidator(_moment, json_schema_input_type=Annotated[str, Field(pattern=MOMENT)]),
]


def _kind_of_openings(value: object) -> str:
    return "random" if isinstance(value, str) else "listed"


Opening = Annotated[list[Turn], Field(min_length=1, max_length=60)]
Openings = Annotated[
    Annotated[list[Opening], Field(max_length=200), Tag("listed")]
    | Annotated[str, Field(pattern=r"^random:[0-9]{1,3}$"), Tag("random")],
    Discriminator(_kind_of_openings),
]


class TournamentPlan(Message):
    """How a tournament is played; what is left out is as usual.

    Times ahead are null where the host says when; `players`, where there are any, are all who may
    enter, in the initial order (who is not listed is drawn by lot).
    """

    name: Title
    format: Annotated[dict[Word, TextOrWhole], Field(max_length=12)] = Field(
        default_factory=lambda: {"kind": "swiss"},
        description="its `kind`, and what formats of that kind may be told, such as `rounds`",
    )
    games_per_pairing: Annotated[int, Field(ge=1, le=20), IS_NUMBER] = Field(
        1, description="with changing seats"
    )
    mix: Literal["rotate", "all"] = Field(
        "rotate", description="several setups: one after the other, or all in each pairing"
    )
    openings: Openings = Field(
        default_factory=list,
        description="turns that games begin with, two from each opening with the seats changed; or "
        "`random:PLIES`; none: from the start",
    )
    seed: Annotated[int, Field(ge=0, le=2**53), IS_NUMBER] = 0
    tie_breaks: Annotated[list[Word], Field(max_length=8)] = Field(
        default_factory=list, description="in their order; none: those usual for the format"
    )
    forbidden: Annotated[list[tuple[Name, Name]], Field(max_length=200)] = Field(
        default_factory=list, description="pairs of players who never meet"
    )
    admits: Admits = "bots"
    players: Annotated[list[Name], Field(max_length=MOST_ENTRANTS)] = Field(default_factory=list)
    bots: Annotated[list[Name], Field(max_length=MOST_ENTRANTS)] | None = Field(
        None, description="the only bots that may enter; null: all that are admitted"
    )
    most_players: Annotated[int, Field(ge=2, le=MOST_ENTRANTS), IS_NUMBER] = 200
    opens_at: Moment | None = Field(None, description="when registration opens; null: at once")
    closes_at: Moment | None = Field(None, description="null: with the start")
    starts_at: Moment | None = Field(None, description="null: when the host says")
    late_rounds: Annotated[int, Field(ge=0, le=100), IS_NUMBER] = Field(
        0, description="so many rounds may have been paired when somebody still enters"
    )
    pause_s: Day = Field(0, description="between two rounds")
    review_s: Day = Field(
        0,
        description="after the last game the host can correct results for this time, "
        "unless they end the tournament before",
    )
    no_show_s: Annotated[int, Field(ge=1, le=86_400), IS_NUMBER] = Field(
        60, description="who is not there so long after a game was due forfeits it"
    )
    no_shows: Annotated[int, Field(ge=1, le=100), IS_NUMBER] = Field(
        2, description="who forfeits so many games in a row is withdrawn"
    )


def _clock(value: object) -> object:
    """Reads a clock in its short form; what is no text stays as it is."""
    if not isinstance(value, str):
        return value
    with suppress(ValueError):
        if re.match(CLOCK, value):
            return parse_time_control(value).model_dump()
    wanted = f"{in_words(value)} is no clock; write one as 60+1, 300/3x30, 10/turn or 600"
    raise PydanticCustomError("clock", "{wanted}", {"wanted": wanted})


class OfferedTournamentSetup(OfferedSetup):
    """As in a challenge, but for the `clock`, which may be a text such as "60+1" too."""

    clock: Annotated[
        OfferedClock,
        BeforeValidator(
            _clock, json_schema_input_type=OfferedClock | Annotated[str, Field(pattern=CLOCK)]
        ),
    ]


class OfferedTournament(TournamentPlan):
    """A tournament as a host asks for it."""

    name: Annotated[Title, AfterValidator(tidy)]
    setups: Annotated[list[OfferedTournamentSetup], Field(min_length=1, max_length=8)]


class TournamentSettings(TournamentPlan):
    """A tournament as it is played, with everything said."""

    setups: list[GameSetup]


class TournamentEntrant(Message):
    name: Name
    kind: Kind
    level: Level | None = Field(None, description="of a bot that says how strong it plays")
    connected: bool
    eliminated: bool = Field(False, description="whether a knockout goes on without them")
    withdrawn: Sentence | None = Field(None, description="why, if they are out of it")


class TournamentResult(Message):
    """What a game came to, before its host put something else in place of that."""

    winner: Seat | None
    reason: str
    message: str


class TournamentGame(Message):
    """A game by its number. `unplayed` games count nothing for either player; one that was void is
    played again under its number, and counts as it ended at last.
    """

    number: int
    seats: tuple[Name, Name]
    setup: int = Field(description="a place in the list of setups")
    state: ScheduledState
    game_id: Id | None = Field(None, description="null before it begins, and if it never does")
    winner: Seat | None = None
    reason: str | None = Field(None, description="how it ended")
    message: str | None = None
    replaced: str | None = Field(None, description="why the host replaced the result")
    before: TournamentResult | None = Field(
        None, description="what it came to when it was played, if the host replaced that"
    )
    voids: int = Field(0, description="so often it counted for nothing")
    void_reason: str | None = Field(None, description="why it did so last")
    due_by: datetime | None = Field(None, description="who is not there by then forfeits")


class TournamentPairing(Message):
    number: int
    players: tuple[Name, Name]
    score: tuple[float, float] = Field(description="points in games: 1, 0.5 or 0 for each")
    games: list[TournamentGame]
    stopped: str | None = Field(None, description="why what is left of it is not played")


class TournamentBye(Message):
    player: Name
    points: float


class TournamentRound(Message):
    number: int
    pairings: list[TournamentPairing]
    byes: list[TournamentBye]


class TournamentStanding(Message):
    """A row: by points and what breaks ties, or in a knockout by how far players came."""

    rank: int
    player: Name
    points: float = Field(description="of pairings: 1, 0.5 or 0 for each, and those of byes")
    game_points: float
    played: int = Field(description="games that count, forfeits among them")
    wins: int
    draws: int
    losses: int
    tie_breaks: dict[str, float | None] = Field(
        default_factory=dict, description="in their order; null where one does not apply"
    )


class TournamentState(FromServer):
    """Everything about one tournament; of a long one `rounds` holds the last ones."""

    tournament_id: Id
    revision: int = Field(description="grows with every change of this tournament")
    host: Player
    settings: TournamentSettings
    state: TournamentPhase
    is_open: bool = Field(
        False, description="whether somebody may enter now, as far as time, rounds and room go"
    )
    why: str | None = Field(None, description="why it is paused, ending, over or cancelled")
    round: int = Field(description="the last one that was paired, 0 before the first")
    rounds_in_all: int | None = Field(None, description="null where that is not known")
    entrants: list[TournamentEntrant] = Field(description="in the initial order")
    rounds: list[TournamentRound]
    rounds_left_out: int = Field(0, description="so many before these; HTTP has them")
    standings: list[TournamentStanding]
    next_round_at: datetime | None = Field(None, description="during the pause between rounds")
    final_at: datetime | None = Field(
        None, description="while it is `played`: when the results become final"
    )
    created_at: datetime
    server_time: datetime


class TournamentSummary(Message):
    """One line of a list."""

    tournament_id: Id
    name: str
    format: str = Field(description="its kind")
    host: Name
    state: TournamentPhase
    is_open: bool = Field(
        False, description="whether somebody may enter now, as far as time, rounds and room go"
    )
    why: str | None = Field(None, description="why it is paused, ending, over or cancelled")
    admits: Admits
    games: list[str] = Field(description="the names of the games that are played")
    entrants: int
    most_players: int
    round: int
    rounds_in_all: int | None
    starts_at: datetime | None
