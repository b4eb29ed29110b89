"""Entrants, pairings and their games, byes and results."""

from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from bot.time_controls import TimeControl, Untimed

Name = Annotated[str, Field(min_length=1, max_length=60)]
Number = Annotated[int, Field(ge=1)]
StatedRating = Annotated[float, Field(ge=-10_000, le=10_000, allow_inf_nan=False)]
"""The rating of a player in Elo, as the host states it."""

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
"""How a game ended; docs/tournaments.md explains each. A void game has no result."""
FAULTS: Final[frozenset[Reason]] = frozenset(
    {"time_forfeit", "illegal_turn", "disconnect", "crash", "stall", "no_show"}
)
"""Reasons that are the fault of the player who lost."""


class FrozenModel(BaseModel):
    """The base of all parts of events: unknown fields are refused, and values cannot change."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Entrant(FrozenModel):
    """A player of the tournament. The list of entrants is the initial order (FIDE C.04.2)."""

    name: Name
    rating: StatedRating | None = None


class Limit(FrozenModel):
    """The limit of a player's turns: a clock, or a number of nodes per turn instead."""

    clock: TimeControl = Untimed()
    nodes: Number | None = None

    @property
    def control(self) -> TimeControl:
        """The clock of the game; untimed if nodes are the limit."""
        return self.clock if self.nodes is None else Untimed()


class MatchSetup(FrozenModel):
    """A game with board, rules, options and limit. If `nodes` is set, no clock runs."""

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
    """A game of a tournament before it is played.

    `number` counts all games of the tournament. `setup` is an index into its list of setups. Games
    with the same `pair` share an opening with the seats swapped; statistics count them as one unit.
    """

    number: Number
    pair: Number
    seats: tuple[Name, Name]
    setup: Annotated[int, Field(ge=0)] = 0
    opening: tuple[str, ...] = ()


class Pairing(FrozenModel):
    """Two players who meet in a round, with their games."""

    number: Number
    round: Number
    players: tuple[Name, Name]
    games: tuple[ScheduledGame, ...]


class Bye(FrozenModel):
    """A round without an opponent. `points` are match points: 1 is as much as a win."""

    round: Number
    player: Name
    points: Annotated[float, Field(ge=0, le=1)] = 1.0


class GameResult(FrozenModel):
    """The end of a game. `winner` is a seat; None in a draw, and if neither player came."""

    winner: Literal[1, 2] | None
    reason: Reason
    message: Annotated[str, Field(max_length=500)] = ""

    def points(self, seat: int) -> float:
        """The points of a seat: 1 for a win, 0.5 for a draw, 0 for a loss.

        If neither player came (`no_show` without a winner), both get 0 (FIDE C.04.2).
        """
        if self.winner is None:
            return 0.0 if self.reason == "no_show" else 0.5
        return float(self.winner == seat)
