"""Players and their games: what is played, and everything that there is to see of it."""

from datetime import datetime
from functools import cached_property
from itertools import accumulate
from typing import Annotated, Final, Literal, get_args

from pydantic import Field, field_validator

from bot.json_values import IS_NUMBER
from bot.time_controls import PlayerClock, TimeControl
from bot.wire.base import FromServer, Id, Kind, Level, Message, Name, Probability, Seat, Turn, Word

MAX_PV_LENGTH: Final = 400


class Player(Message):
    """Somebody who can sit in a game. `name` is unique on the server and may change; `id` stays."""

    id: Id | None = Field(None, description="null only from servers that knew none yet")
    name: Name
    kind: Kind
    engine: str | None = None
    level: Level | None = Field(None, description="of a bot that says how strong it plays")


class GameSetup(Message):
    """What is played; options that are not listed are at their default on that board."""

    game: Word = "bluestone"
    board: Word = "pent-6"
    rules: Word = "official"
    options: dict[Word, str] = Field(default_factory=dict, max_length=8)
    clock: TimeControl
    rated: bool = False


class TurnInfo(Message):
    """What an engine says of its turn; `value` is its own chance to win."""

    value: Probability | None = None
    visits: Annotated[int, Field(ge=0, le=2**53), IS_NUMBER] | None = None
    pv: Annotated[list[Turn], Field(max_length=40)] = Field(
        default_factory=list,
        description=f"the first turns that have {MAX_PV_LENGTH} characters together are kept",
    )
    source: Annotated[str, Field(max_length=20)] | None = Field(
        None, description="engine, fallback, forced, person, or opening where the turn was given"
    )

    @field_validator("pv")
    @classmethod
    def _shortened(cls, pv: list[str]) -> list[str]:
        lengths = accumulate(map(len, pv))
        return [turn for turn, length in zip(pv, lengths, strict=True) if length <= MAX_PV_LENGTH]


class PositionView(Message):
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


class Illegal(Message):
    """Why a step cannot be chosen: a code of the rules, and a sentence."""

    rule: str
    message: str


class LegalView(Message):
    ply: int
    legal: list[str] = Field(description="steps that may be chosen")
    illegal: dict[str, Illegal] = Field(description="every other step, and why not")
    complete: bool = Field(description="what is chosen is a legal turn as it stands")
    may_pass: bool = Field(
        default=False, description="the turn may be a pass; false once a stone is chosen"
    )
    captured: list[str] = Field(description="cells that what is chosen would clear")


class PlayedTurn(Message):
    turn: str
    captured: list[str]
    time_ms: int = Field(description="thinking time, by the server's clock")
    clock: PlayerClock = Field(description="the mover's clock after the turn")
    info: TurnInfo | None = None

    @cached_property
    def as_json(self) -> str:
        """Written out once, although every state of the game carries it."""
        return self.model_dump_json()


class ClockView(Message):
    """Both clocks at the moment `GameState.server_time`, the running one already run down."""

    players: tuple[PlayerClock, PlayerClock]
    running: Seat | None
    first_turn_ms: int | None = Field(
        None,
        description="while no clock runs yet: how long the player to move has for a first turn",
    )
    away_ms: int | None = Field(
        None,
        description="how long the player to move may be disconnected before the game ends; "
        "it runs down while they are; null: without limit",
    )


ResultReason = Literal[
    "played_out",
    "resignation",
    "draw_agreement",
    "time_forfeit",
    "abandonment",
    "aborted",
]


class Result(Message):
    """`winner` is null in a draw and in an aborted game, which counts for nobody."""

    winner: Seat | None
    reason: str = Field(description=f"{', '.join(get_args(ResultReason))}; others may be added")
    message: str


class TournamentPlace(Message):
    """Where a game belongs: `pairing` and `game` are numbers in that tournament.

    The first `opening` turns of the game were given, and nobody's time.
    """

    tournament_id: Id
    name: str
    round: int
    pairing: int
    game: int
    opening: int = 0


class GameState(FromServer):
    """Everything about one game. `turns` is the truth: a client replays it every time."""

    game_id: Id
    revision: int = Field(description="grows by one with every change that is stored")
    sub_revision: int = Field(
        0, description="counts later changes that are not stored: connections, standing clocks"
    )
    digest: str = Field("", description="of `turns`: another digest means other turns")
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
    tournament: TournamentPlace | None = Field(None, description="where it belongs, if anywhere")
    created_at: datetime
    server_time: datetime

    def as_json(self) -> str:
        """What `model_dump_json` gives, in less time the longer the game is."""
        rest = self.model_copy(update={"turns": []}).model_dump_json()
        before, after = rest.split('"turns":[]', 1)
        return f'{before}"turns":[{",".join(turn.as_json for turn in self.turns)}]{after}'


class GameSummary(Message):
    game_id: Id
    setup: GameSetup
    players: tuple[Player, Player]
    state: Literal["playing", "finished"]
    plies: int
    result: Result | None
    tournament: TournamentPlace | None = None
    created_at: datetime
    ended_at: datetime | None = Field(None, description="null while it is played")
