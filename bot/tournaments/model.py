"""Entrants, pairings and their games, byes and results."""

from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from bot.time_controls import TimeControl, Untimed

Name = Annotated[str, Field(min_length=1, max_length=60)]
Number = Annotated[int, Field(ge=1)]
Rating = Annotated[float, Field(ge=-10_000, le=10_000, allow_inf_nan=False)]
"""Of a player, as the host knows it from elsewhere, in Elo."""

Reason = Literal[
    "played_out",
    "resignation",
    "draw_agreement",
    "adjudication",
    "time_forfeit",
    "illegal_turn",
    "disconnect",
    "crash",
    "stall",
    "no_show",
    "replaced",
]
"""How a game ended; see docs/tournaments.md. A void game has no result."""
FAULTS: Final[frozenset[Reason]] = frozenset(
    {"time_forfeit", "illegal_turn", "disconnect", "crash", "stall", "no_show"}
)


class FrozenModel(BaseModel):
    """What events are made of: no other fields, and no changes afterwards."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Entrant(FrozenModel):
    """The order in which entrants are listed is the initial order (FIDE C.04.2)."""

    name: Name
    rating: Rating | None = None


class Limit(FrozenModel):
    """What a player's turns may take: a clock, or nodes instead of one."""

    clock: TimeControl = Untimed()
    nodes: Number | None = None

    @property
    def control(self) -> TimeControl:
        """The clock that counts: with nodes there is none."""
        return self.clock if self.nodes is None else Untimed()


class Setup(FrozenModel):
    """What is played. With `nodes` a turn is limited by these and by no clock."""

    game: str
    board: str
    rules: str
    options: dict[str, str] = Field(default_factory=dict)
    clock: TimeControl = Untimed()
    nodes: Number | None = None

    @property
    def limit(self) -> Limit:
        return Limit(clock=self.clock, nodes=self.nodes)


class ScheduledGame(FrozenModel):
    """`number` counts all games of a tournament, `setup` is a place in its list of setups.

    Games of one `pair` share an opening, with the seats changed: what statistics count as one.
    """

    number: Number
    pair: Number
    seats: tuple[Name, Name]
    setup: Annotated[int, Field(ge=0)] = 0
    opening: tuple[str, ...] = ()


class Pairing(FrozenModel):
    """Two players and their games in a round."""

    number: Number
    round: Number
    players: tuple[Name, Name]
    games: tuple[ScheduledGame, ...]


class Bye(FrozenModel):
    """A round in which a player has no opponent; `points` are of a pairing, 1 as for a win."""

    round: Number
    player: Name
    points: Annotated[float, Field(ge=0, le=1)] = 1.0


class Result(FrozenModel):
    """`winner` is a seat, None in a draw and where neither player came (reason `no_show`)."""

    winner: Literal[1, 2] | None
    reason: Reason
    message: Annotated[str, Field(max_length=500)] = ""

    def points(self, seat: int) -> float:
        """1 for a win, 0.5 for a draw, 0 for a loss and if neither came (FIDE C.04.2)."""
        if self.winner is None:
            return 0.0 if self.reason == "no_show" else 0.5
        return float(self.winner == seat)
