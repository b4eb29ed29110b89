"""Games of HeXO-Arena as the plain facts of `bot.platforms.base`: turns, clocks and results.

A turn is written as `q:r,q:r`, in the server's coordinates. The first turn is the stone that the
server puts on the origin.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from types import MappingProxyType
from typing import Final

from bot.errors import PeerError
from bot.guests.hexo_arena.messages import (
    Cell,
    Challenge,
    Clock,
    GameStart,
    MatchClock,
    PlayedTurn,
    Side,
    Snapshot,
    TurnClock,
    Unlimited,
)
from bot.platforms.base import (
    GameFacts,
    GameOutcome,
    Participant,
    PlayerKind,
    Seat,
    Setup,
    TurnPlayed,
)
from bot.time_controls import (
    Absolute,
    Fischer,
    PerTurn,
    PlayerClock,
    TimeControl,
    Untimed,
    full_clock,
)

GAME: Final = "hexo"
BOARD: Final = "plane"
RULES: Final = "official"
OPTIONS: Final = MappingProxyType({"cap": "0"})
"""The server ends a game after 500 turns by itself, so our rules have no limit."""
ORIGIN: Final = "0:0"
REASONS: Final = MappingProxyType(
    {
        "six_in_a_row": "played_out",
        "timeout": "time_forfeit",
        "surrender": "resignation",
        "disconnect": "abandonment",
        "terminated": "illegal_turn",
    }
)
"""The reason in our game records for each reason of the server."""
NO_WINNER: Final = "the server ended the game without a winner"
RADIUS: Final = 8
"""A stone is placed within this distance of another stone."""

Point = tuple[int, int]


class OtherGame(Exception):
    """The server's messages do not make a game as we know it."""


# ---- turns ---------------------------------------------------------------------------------


def turn_text(points: Iterable[Point]) -> str:
    return ",".join(f"{q}:{r}" for q, r in points)


def points_of(turn: str) -> list[Point]:
    """Return the stones of a turn. Raises ValueError."""
    stones = (stone.split(":") for stone in turn.split(","))
    return [(int(q), int(r)) for q, r in stones]


def first_turns(cells: Sequence[Cell]) -> list[str]:
    """Return the turns on the board of a setup packet. Raises OtherGame.

    The server sends the origin alone, and tells the opening as turns.
    """
    if [(cell.q, cell.r, cell.p) for cell in cells] != [(0, 0, "x")]:
        raise OtherGame(f"the setup has {len(cells)} stones instead of one on the origin")
    return [ORIGIN]


def with_played(turns: Sequence[str], played: Iterable[PlayedTurn]) -> list[str]:
    """Return the turns with those of a request. Raises OtherGame if sides do not alternate."""
    after = list(turns)
    for turn in played:
        if turn.side != side_to_move(len(after)):
            raise OtherGame(f"turn {len(after)} is by {turn.side}")
        after.append(turn_text((piece.q, piece.r) for piece in turn.pieces))
    return after


def side_to_move(plies: int) -> Side:
    """Return the side of the next turn: x plays turn 0, the origin."""
    return "x" if plies % 2 == 0 else "o"


def turns_of_snapshot(snapshot: Snapshot) -> list[str]:
    """Return the turns of a game that was read. The last one may have one stone, if it won.

    Raises OtherGame.
    """
    cells = snapshot.board.cells
    points = [(cell.x + cell.y, -cell.y) for cell in cells]
    turns = [turn_text(group) for group in _groups(points)]
    sides = [cells[0].side, *(cell.side for cell in cells[1::2])] if cells else []
    expected = [side_to_move(ply) for ply in range(len(turns))]
    if turns[:1] != [ORIGIN] or sides != expected:
        raise OtherGame("the stones of the game are not in the order of its turns")
    return turns


def _groups(points: Sequence[Point]) -> Iterator[Sequence[Point]]:
    if points:
        yield points[:1]
    for at in range(1, len(points), 2):
        yield points[at : at + 2]


# ---- a turn to be sent ---------------------------------------------------------------------


def distance(a: Point, b: Point) -> int:
    dq, dr = a[0] - b[0], a[1] - b[1]
    return (abs(dq) + abs(dr) + abs(dq + dr)) // 2


def why_not_placeable(turn: str, before: Sequence[str]) -> str | None:
    """Return why the server would refuse a turn as illegal; None if it accepts it.

    An illegal turn loses the game, so this repeats the rule independently of the engine.
    """
    occupied = {point for each in before for point in points_of(each)}
    try:
        points = points_of(turn)
    except ValueError:
        return f"{turn!r} is not a turn"
    if not 1 <= len(points) <= 2:
        return f"{turn!r} has {len(points)} stones"
    for point in points:
        if point in occupied:
            return f"{turn_text([point])} is occupied"
        if all(distance(point, other) > RADIUS for other in occupied):
            return f"{turn_text([point])} is more than {RADIUS} cells from every stone"
        occupied.add(point)
    return None


def two_stones(turn: str, before: Sequence[str]) -> tuple[Point, Point]:
    """Return the two coordinates to send. A turn that wins with its first stone has one.

    The server does not look at the second one then, but wants it; so it is a legal one.
    """
    points = points_of(turn)
    if len(points) == 2:
        return points[0], points[1]
    occupied = {point for each in (*before, turn) for point in points_of(each)}
    q, r = points[0]
    near = ((q + dq, r + dr) for dq, dr in _DISC)
    return points[0], next(point for point in near if point not in occupied)


_DISC: Final = sorted(
    (
        (q, r)
        for q in range(-RADIUS, RADIUS + 1)
        for r in range(-RADIUS, RADIUS + 1)
        if distance((q, r), (0, 0)) <= RADIUS
    ),
    key=lambda point: (distance(point, (0, 0)), point),
)


# ---- clocks --------------------------------------------------------------------------------


def control_of(clock: Clock) -> TimeControl:
    match clock:
        case Unlimited():
            return Untimed()
        case TurnClock(turn_time_ms=turn):
            return PerTurn(turn_s=turn / 1000)
        case MatchClock(main_time_ms=main, increment_ms=0):
            return Absolute(initial_s=main / 1000)
        case MatchClock(main_time_ms=main, increment_ms=increment):
            return Fischer(initial_s=main / 1000, increment_s=increment / 1000)


def clock_of(control: TimeControl) -> Clock:
    """Return the clock for a challenge. Raises PeerError for one that the server does not have."""
    match control:
        case Untimed():
            return Unlimited(mode="unlimited")
        case PerTurn(turn_s=turn):
            return TurnClock(mode="turn", turn_time_ms=round(turn * 1000))
        case Absolute(initial_s=main):
            return MatchClock(mode="match", main_time_ms=round(main * 1000), increment_ms=0)
        case Fischer(initial_s=main, increment_s=increment):
            return MatchClock(
                mode="match",
                main_time_ms=round(main * 1000),
                increment_ms=round(increment * 1000),
            )
        case _:
            raise PeerError("clock", f"HeXO-Arena has no clock of the kind {control.kind}")


def clocks_at(
    control: TimeControl, seat: Seat, limit_s: float | None
) -> tuple[PlayerClock, PlayerClock]:
    """Return both clocks. `limit_s` is our own time; the server does not tell the opponent's."""
    full = full_clock(control)
    if limit_s is None or full.main_ms is None:
        return full, full
    ours = full.model_copy(update={"main_ms": int(limit_s * 1000)})
    return (ours, full) if seat == 1 else (full, ours)


# ---- games ---------------------------------------------------------------------------------


def seat_of(side: Side) -> Seat:
    return 1 if side == "x" else 2


@dataclass(frozen=True, slots=True)
class KnownGame:
    """What the bot knows about a game: its terms, its turns so far, and its result."""

    game_id: str
    side: Side
    control: TimeControl
    rated: bool
    opponent: str
    opponent_kind: PlayerKind | None
    opponent_rating: float | None
    began: datetime
    turns: tuple[str, ...] = (ORIGIN,)
    outcome: GameOutcome | None = None

    @property
    def setup(self) -> Setup:
        return Setup(GAME, BOARD, RULES, self.control, OPTIONS, self.rated)

    @property
    def seat(self) -> Seat:
        return seat_of(self.side)

    @property
    def our_turn(self) -> bool:
        return side_to_move(len(self.turns)) == self.side

    @property
    def is_unseen(self) -> bool:
        """Whether the server has not requested a turn in this game yet."""
        return self.turns == (ORIGIN,)

    def at_beginning(self) -> "KnownGame":
        """Return the last state before the opening in which the opponent is to move."""
        return self.with_turns((ORIGIN,) if self.side == "x" else ())

    def with_turns(self, turns: Sequence[str]) -> "KnownGame":
        return replace(self, turns=tuple(turns))

    def facts(self, our_name: str, arrived: float, limit_s: float | None = None) -> GameFacts:
        """Return the facts for the daemon, with our clock at the moment `arrived`."""
        ours = Participant(our_name, "bot", account=our_name)
        theirs = Participant(self.opponent, self.opponent_kind, account=self.opponent)
        return GameFacts(
            game_id=self.game_id,
            setup=self.setup,
            seat=self.seat,
            players=(ours, theirs) if self.seat == 1 else (theirs, ours),
            turns=tuple(TurnPlayed(turn) for turn in self.turns),
            to_play=seat_of(side_to_move(len(self.turns))),
            clocks=clocks_at(self.control, self.seat, limit_s),
            draw_offered=False,
            outcome=None if self.outcome is None else as_recorded(self.outcome),
            started_at=self.began,
            arrived=arrived,
        )


def game_of(start: GameStart, began: datetime, kind: PlayerKind | None) -> KnownGame:
    """Return a game at its start. `kind` is the opponent's, if a challenge has told it."""
    opponent = start.opponent
    return KnownGame(
        game_id=start.game_id,
        side=start.side,
        control=control_of(start.time_control),
        rated=start.rated,
        opponent=opponent.name,
        opponent_kind=kind or ("guest" if opponent.rating is None else None),
        opponent_rating=opponent.rating,
        began=began,
    )


def outcome_of(winner: Side | None, reason: str) -> GameOutcome:
    """Return the result with the server's own reason, as the rating log has it."""
    return GameOutcome(None if winner is None else seat_of(winner), reason.replace("-", "_"))


def as_recorded(outcome: GameOutcome) -> GameOutcome:
    """Return the result in the words of our game records.

    The server terminates a game with a winner after an illegal turn, and without one after 500
    turns or 24 hours.
    """
    if outcome.reason == "terminated" and outcome.winner is None:
        return GameOutcome(None, "adjudication", NO_WINNER)
    return GameOutcome(outcome.winner, REASONS.get(outcome.reason, outcome.reason))


def setup_of_challenge(challenge: Challenge) -> Setup:
    """Return what is offered. Challenges are between bots, and those games are rated."""
    return Setup(GAME, BOARD, RULES, control_of(challenge.time_control), OPTIONS, rated=True)
