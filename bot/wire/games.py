"""Players and their games: setup, position, turns, clocks and result."""

from datetime import datetime
from functools import cached_property
from itertools import accumulate
from typing import Annotated, Final, Literal, get_args

from pydantic import Field, field_validator

from bot.json_values import IS_NUMBER
from bot.time_controls import PlayerClock, TimeControl
from bot.wire.base import FromServer, Id, Kind, Level, Message, Name, Probability, Seat, Turn, Word

MAX_PV_LENGTH: Final = 400


class ShownRating(Message):
    """A rating as players see it."""

    rating: int
    provisional: bool = Field(description="whether too few games are known for a leaderboard")


class Player(Message):
    """A player of the server. `name` is unique and may change; `id` is unique and never changes."""

    id: Id | None = Field(None, description="null only from servers of older versions")
    name: Name
    kind: Kind
    engine: str | None = None
    level: Level | None = Field(None, description="the strength that a bot declares")
    registered: bool = Field(
        default=False, description="whether a person has an account, and so may play rated games"
    )
    ratings: dict[Word, ShownRating] = Field(
        default_factory=dict,
        description="ratings by game: all of them in the lobby; in games and challenges only that "
        "of their game, at the start; elsewhere none",
    )


class GameSetup(Message):
    """What is played. Options that are not listed have their default on that board."""

    game: Word = "bluestone"
    board: Word = "pent-6"
    rules: Word = "official"
    options: dict[Word, str] = Field(default_factory=dict, max_length=8)
    clock: TimeControl
    rated: bool = False


class TurnInfo(Message):
    """An engine's evaluation of its turn. `value` is the mover's own chance to win."""

    value: Probability | None = None
    visits: Annotated[int, Field(ge=0, le=2**53), IS_NUMBER] | None = None
    pv: Annotated[list[Turn], Field(max_length=40)] = Field(
        default_factory=list,
        description=f"the server keeps the first turns, up to {MAX_PV_LENGTH} characters together",
    )
    source: Annotated[str, Field(max_length=20)] | None = Field(
        None,
        description="engine, fallback, forced or person; opening for a turn that the setup gave",
    )

    @field_validator("pv")
    @classmethod
    def _shortened(cls, pv: list[str]) -> list[str]:
        lengths = accumulate(map(len, pv))
        return [turn for turn, length in zip(pv, lengths, strict=True) if length <= MAX_PV_LENGTH]


class EarlyEnd(Message):
    """Why a game ends, or could end, before a player is stuck; in Stargazers only."""

    winner: Seat
    assured: int = Field(description="how many stones of the loser stay uninspired at least")
    potential: int = Field(description="how many stones of the winner can be uninspired at most")


class PositionView(Message):
    """A position as a page draws it. Every field can be computed from the turns."""

    ply: int
    to_play: Seat
    stones: dict[str, tuple[Seat, int]] = Field(description="cell name: (player, kind of stone)")
    last: list[str] = Field(description="cells of the last turn")
    captured: list[str] = Field(description="cells that the last turn cleared")
    marks: dict[str, str] = Field(
        default_factory=dict, description="cell name: a word for a stone with a special state"
    )
    scores: tuple[list[int], list[int]]
    over: bool
    winner: Seat | None
    early_end: EarlyEnd | None = Field(
        None, description="an early end of the game; `over` is false if turns may still follow"
    )

    @cached_property
    def as_json(self) -> str:
        """The JSON text, computed once because every answer about this position contains it."""
        return self.model_dump_json()


class Illegal(Message):
    """Why a step cannot be chosen: the code of a rule, and a sentence for people."""

    rule: str
    message: str


class LegalView(Message):
    ply: int
    legal: list[str] = Field(description="steps that may be chosen next")
    illegal: dict[str, Illegal] = Field(
        description="every other step, with the reason; on a board without an edge only the "
        "occupied cells and the step `about`"
    )
    complete: bool = Field(description="whether the chosen steps are a legal turn as they are")
    may_pass: bool = Field(
        default=False, description="whether the turn may be a pass; false once a stone is chosen"
    )
    captured: list[str] = Field(description="cells that the chosen steps would clear")


class PlayedTurn(Message):
    turn: str
    captured: list[str]
    time_ms: int = Field(description="thinking time, by the server's clock")
    clock: PlayerClock = Field(description="the mover's clock after the turn")
    info: TurnInfo | None = None

    @cached_property
    def as_json(self) -> str:
        """The JSON text, computed once because every later state of the game contains it."""
        return self.model_dump_json()

    @cached_property
    def without_line(self) -> "PlayedTurn":
        """The turn without what the engine expects: its value, and its line."""
        if self.info is None or (self.info.value is None and not self.info.pv):
            return self
        # Not a copy, which would have the text of this turn if that was computed.
        return PlayedTurn.model_construct(
            turn=self.turn,
            captured=self.captured,
            time_ms=self.time_ms,
            clock=self.clock,
            info=TurnInfo(visits=self.info.visits, source=self.info.source),
        )


class ClockView(Message):
    """Both clocks at `GameState.server_time`. The running clock includes the time up to then."""

    players: tuple[PlayerClock, PlayerClock]
    running: Seat | None
    first_turn_ms: int | None = Field(
        None,
        description="while no clock runs: milliseconds left to the player to move for a first turn",
    )
    away_ms: int | None = Field(
        None,
        description=(
            "milliseconds that the player to move may be disconnected before the game ends; it "
            "decreases while they are; null: unlimited"
        ),
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
    """The result of a game. `winner` is null in a draw, and in an aborted game, which does not
    count.
    """

    winner: Seat | None
    reason: str = Field(description=f"{', '.join(get_args(ResultReason))}; servers may add others")
    message: str
    unrated: str | None = Field(
        None, description="why a game that was offered as rated does not count: `no_turns`"
    )


class TournamentPlace(Message):
    """The tournament to which a game belongs, with the numbers of its pairing and game there.

    The first `opening` turns of the game were given and took no time.
    """

    tournament_id: Id
    name: str
    round: int
    pairing: int
    game: int
    opening: int = 0


class GameState(FromServer):
    """Everything about one game. `turns` is authoritative: a client replays it for every event."""

    game_id: Id
    revision: int = Field(description="increases by one with every stored change")
    sub_revision: int = Field(
        0, description="counts later changes that are not stored: connections and stopped clocks"
    )
    digest: str = Field("", description="digest of `turns`; it differs if the turns differ")
    setup: GameSetup
    players: tuple[Player, Player]
    connected: tuple[bool, bool]
    state: Literal["playing", "finished"]
    turns: list[PlayedTurn]
    to_play: Seat
    position: PositionView
    clocks: ClockView
    draw_offer: Seat | None
    takeback_offer: Seat | None = Field(
        None, description="the player who asks to take their last turn back"
    )
    takebacks: int | None = Field(
        None,
        description="how often turns were taken back; null only from servers of older versions",
    )
    abort_offer: Seat | None = Field(
        None, description="the player who offers to end the game without a result"
    )
    hints: int = Field(0, description="how often an engine gave a hint, against a bot")
    spectators: int = Field(0, description="connections that follow the game, without its players")
    result: Result | None
    tournament: TournamentPlace | None = Field(None, description="null outside of tournaments")
    created_at: datetime
    server_time: datetime

    def as_json(self) -> str:
        """Return the same text as `model_dump_json`, reusing the encoded turns and position."""
        parts: dict[str, object] = {"turns": [], "position": None}
        rest = self.model_copy(update=parts).model_dump_json(warnings=False)
        before, after = rest.split(_NO_TURNS, 1)
        between, after = after.split(_NO_POSITION, 1)
        turns, position = ",".join(turn.as_json for turn in self.turns), self.position.as_json
        return f'{before}"turns":[{turns}]{between}"position":{position}{after}'


# Quotation marks within texts are escaped, so no text of a player has these.
_NO_TURNS: Final = '"turns":[]'
_NO_POSITION: Final = '"position":null'


class GameSummary(Message):
    game_id: Id
    setup: GameSetup
    players: tuple[Player, Player]
    state: Literal["playing", "finished"]
    plies: int
    result: Result | None
    tournament: TournamentPlace | None = None
    created_at: datetime
    ended_at: datetime | None = Field(None, description="null while the game is played")
