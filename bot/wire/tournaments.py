"""Tournaments of the arena: a host's settings, and the state that everybody can see."""

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
"""The short form of a clock. Its numbers have the bounds of the clock that it stands for."""

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
    """How a tournament is played. Omitted fields have their defaults.

    If `players` is not empty, only these players may enter, and they are seeded in this order.
    Otherwise the initial order is random.
    """

    name: Title
    format: Annotated[dict[Word, TextOrWhole], Field(max_length=12)] = Field(
        default_factory=lambda: {"kind": "swiss"},
        description="the `kind` of the format, with the settings of that kind, such as `rounds`",
    )
    games_per_pairing: Annotated[int, Field(ge=1, le=20), IS_NUMBER] = Field(
        1, description="games of one pairing, with alternating seats"
    )
    mix: Literal["rotate", "all"] = Field(
        "rotate",
        description="with several setups: one after the other, or all of them in each pairing",
    )
    openings: Openings = Field(
        default_factory=list,
        description=(
            "the first turns of games; each opening is played twice, with exchanged seats; or "
            "`random:PLIES`; empty: games start without an opening"
        ),
    )
    seed: Annotated[int, Field(ge=0, le=2**53), IS_NUMBER] = 0
    tie_breaks: Annotated[list[Word], Field(max_length=8)] = Field(
        default_factory=list, description="in this order; empty: the usual ones of the format"
    )
    forbidden: Annotated[list[tuple[Name, Name]], Field(max_length=200)] = Field(
        default_factory=list, description="pairs of players who are never paired"
    )
    admits: Admits = "bots"
    players: Annotated[list[Name], Field(max_length=MOST_ENTRANTS)] = Field(default_factory=list)
    bots: Annotated[list[Name], Field(max_length=MOST_ENTRANTS)] | None = Field(
        None, description="the only bots that may enter; null: all bots that `admits` allows"
    )
    most_players: Annotated[int, Field(ge=2, le=MOST_ENTRANTS), IS_NUMBER] = 200
    opens_at: Moment | None = Field(None, description="when registration opens; null: at once")
    closes_at: Moment | None = Field(
        None, description="when registration closes; null: at the start"
    )
    starts_at: Moment | None = Field(None, description="null: when the host starts it")
    late_rounds: Annotated[int, Field(ge=0, le=100), IS_NUMBER] = Field(
        0, description="a player may still enter while at most this many rounds have been paired"
    )
    pause_s: Day = Field(0, description="seconds between two rounds")
    review_s: Day = Field(
        0,
        description=(
            "seconds after the last game in which the host can correct results, unless the host "
            "ends the tournament before"
        ),
    )
    no_show_s: Annotated[int, Field(ge=1, le=86_400), IS_NUMBER] = Field(
        60,
        description="seconds after which a disconnected player forfeits a game that is due",
    )
    no_shows: Annotated[int, Field(ge=1, le=100), IS_NUMBER] = Field(
        2, description="a player who forfeits this many games in a row is withdrawn"
    )


def _clock(value: object) -> object:
    """Parse the short form of a clock. Return any other value as it is."""
    if not isinstance(value, str):
        return value
    with suppress(ValueError):
        if re.match(CLOCK, value):
            return parse_time_control(value).model_dump()
    wanted = f"{in_words(value)} is not a clock; write one as 60+1, 300/3x30, 10/turn or 600"
    raise PydanticCustomError("clock", "{wanted}", {"wanted": wanted})


class OfferedTournamentSetup(OfferedSetup):
    """A setup as in a challenge, whose `clock` may also be a text such as "60+1"."""

    clock: Annotated[
        OfferedClock,
        BeforeValidator(
            _clock, json_schema_input_type=OfferedClock | Annotated[str, Field(pattern=CLOCK)]
        ),
    ]


class OfferedTournament(TournamentPlan):
    """A tournament as a host requests it."""

    name: Annotated[Title, AfterValidator(tidy)]
    setups: Annotated[list[OfferedTournamentSetup], Field(min_length=1, max_length=8)]


class TournamentSettings(TournamentPlan):
    """The settings of a tournament, with every default filled in."""

    setups: list[GameSetup]


class TournamentEntrant(Message):
    name: Name
    kind: Kind
    level: Level | None = Field(None, description="the strength that a bot declares")
    connected: bool
    eliminated: bool = Field(False, description="whether a knockout continues without them")
    withdrawn: Sentence | None = Field(
        None, description="why the player is out of the tournament; null if they are not"
    )


class TournamentResult(Message):
    """The result that was played, before the host replaced it."""

    winner: Seat | None
    reason: str
    message: str


class TournamentGame(Message):
    """One game of a tournament, identified by its number.

    An `unplayed` game counts for neither player. A void game is played again under the same number,
    and only the last result counts.
    """

    number: int
    seats: tuple[Name, Name]
    setup: int = Field(description="index in the list of setups")
    state: ScheduledState
    game_id: Id | None = Field(
        None, description="null before the game starts, and if it never starts"
    )
    winner: Seat | None = None
    reason: str | None = Field(None, description="how it ended")
    message: str | None = None
    replaced: str | None = Field(None, description="why the host replaced the result")
    before: TournamentResult | None = Field(
        None, description="the result that was played, if the host replaced it"
    )
    voids: int = Field(0, description="how often the game was void")
    void_reason: str | None = Field(None, description="why the game was void the last time")
    due_by: datetime | None = Field(
        None, description="a player who is not connected by then forfeits"
    )


class TournamentPairing(Message):
    number: int
    players: tuple[Name, Name]
    score: tuple[float, float] = Field(description="points of the games: 1, 0.5 or 0 for each")
    games: list[TournamentGame]
    stopped: str | None = Field(None, description="why the rest of the pairing is not played")


class TournamentBye(Message):
    player: Name
    points: float


class TournamentRound(Message):
    number: int
    pairings: list[TournamentPairing]
    byes: list[TournamentBye]


class TournamentStanding(Message):
    """A row of the standings, ordered by points and tie-breaks. A knockout orders by rounds
    survived.
    """

    rank: int
    player: Name
    points: float = Field(description="points of the pairings, 1, 0.5 or 0 for each, and of byes")
    game_points: float
    played: int = Field(description="games that count, including forfeits")
    wins: int
    draws: int
    losses: int
    tie_breaks: dict[str, float | None] = Field(
        default_factory=dict,
        description="in the order of the settings; null where a tie-break does not apply",
    )


class TournamentState(FromServer):
    """Everything about one tournament. Of a long one, `rounds` has only the last rounds."""

    tournament_id: Id
    revision: int = Field(description="increases with every change of this tournament")
    host: Player
    settings: TournamentSettings
    state: TournamentPhase
    is_open: bool = Field(
        False, description="whether a player may enter now, judged by time, rounds and room"
    )
    why: str | None = Field(None, description="why it is paused, ending, over or cancelled")
    round: int = Field(description="the last round that was paired; 0 before the first")
    rounds_in_all: int | None = Field(None, description="null if the number is not known")
    entrants: list[TournamentEntrant] = Field(description="in the initial order")
    rounds: list[TournamentRound]
    rounds_left_out: int = Field(
        0, description="number of earlier rounds that are left out; HTTP has them"
    )
    standings: list[TournamentStanding]
    next_round_at: datetime | None = Field(None, description="set during the pause between rounds")
    final_at: datetime | None = Field(
        None, description="when the results become final; set while the state is `played`"
    )
    created_at: datetime
    server_time: datetime


class TournamentSummary(Message):
    """One tournament in a list."""

    tournament_id: Id
    name: str
    format: str = Field(description="its kind")
    host: Name
    state: TournamentPhase
    is_open: bool = Field(
        False, description="whether a player may enter now, judged by time, rounds and room"
    )
    why: str | None = Field(None, description="why it is paused, ending, over or cancelled")
    admits: Admits
    games: list[str] = Field(description="the names of the games that are played")
    entrants: int
    most_players: int
    round: int
    rounds_in_all: int | None
    starts_at: datetime | None
