"""What a game server looks like to the rest of the bot: plain facts in, a few calls out.

A platform knows its protocol and nothing of sessions, engines or policies. It hands over every
event by awaiting the sink; when the sink returns, whatever the event obliges the bot to do is
written down, so a platform that has to acknowledge a notice does so after that. If the sink raises
HostError, it could not be written down: the bot does its best, but nothing may be acknowledged.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Literal, Protocol, TypeVar

from bot.errors import PeerError
from bot.time_controls import PlayerClock, TimeControl
from bot.time_source import TimeSource

SHORTEST_WAIT_S: Final = 0.05
LONGEST_WAIT_S: Final = 60.0
"""Before asking again, whatever the server says."""

T = TypeVar("T")
Seat = Literal[1, 2]
PlayerKind = Literal["bot", "person", "guest"]


@dataclass(frozen=True, slots=True)
class Participant:
    """Somebody on the platform; `kind` is None where the platform does not say.

    `account` is what tells people apart where names may change or be shared.
    """

    name: str
    kind: PlayerKind | None = None
    engine: str | None = None
    account: str = ""

    @property
    def player_id(self) -> str:
        """The account, or the name where the platform has no accounts."""
        return self.account or self.name


@dataclass(frozen=True, slots=True)
class Setup:
    """What is played."""

    game: str
    board: str
    rules: str
    control: TimeControl
    options: Mapping[str, str] = field(default_factory=dict)
    rated: bool = False


@dataclass(frozen=True, slots=True)
class TurnInfo:
    """What an engine says of a turn; `value` is the mover's own chance to win."""

    value: float | None = None
    visits: int | None = None
    pv: tuple[str, ...] = ()
    source: str | None = None


@dataclass(frozen=True, slots=True)
class TurnPlayed:
    """A turn in the server's list; `clock` is the mover's, after the turn."""

    turn: str
    time_ms: int | None = None
    clock: PlayerClock | None = None
    info: TurnInfo | None = None


@dataclass(frozen=True, slots=True)
class GameOutcome:
    """How a game ended; `winner` is None in a draw and where nobody won."""

    winner: Seat | None
    reason: str
    message: str = ""


@dataclass(frozen=True, slots=True)
class GameFacts:
    """Everything the server says about one game; `turns` is the truth.

    `clocks` are those at the moment `arrived`, on the monotonic clock of this process.
    """

    game_id: str
    setup: Setup
    seat: Seat
    players: tuple[Participant, Participant]
    turns: tuple[TurnPlayed, ...]
    to_play: Seat
    clocks: tuple[PlayerClock, PlayerClock]
    draw_offered: bool
    outcome: GameOutcome | None
    started_at: datetime
    arrived: float
    in_tournament: bool = False

    @property
    def ply(self) -> int:
        """How many turns have been played, and so the number of the turn that is due."""
        return len(self.turns)

    @property
    def our_turn(self) -> bool:
        return self.outcome is None and self.to_play == self.seat

    @property
    def opponent(self) -> Participant:
        return self.players[2 - self.seat]


@dataclass(frozen=True, slots=True)
class ChallengeFacts:
    """A game that somebody offers; `opponent` is whom the bot would play.

    `is_open` says that anybody may take it, so that not answering is an answer.
    """

    challenge_id: str
    setup: Setup
    opponent: Participant
    is_open: bool = False


# ---- events --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Connected:
    """A connection stands; `running` are all games that the server has for us.

    A `GameChanged` with `resync` follows for each of them, a `ChallengeOffered` for each of the
    `open_challenges` that wait for our answer. We made the `own_challenges` among them.
    """

    name: str
    server: str
    running: frozenset[str]
    open_challenges: frozenset[str] = frozenset()
    own_challenges: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Disconnected:
    """There is no connection; told again whenever an attempt to get one has failed."""

    reason: str


@dataclass(frozen=True, slots=True)
class ChallengeOffered:
    challenge: ChallengeFacts


@dataclass(frozen=True, slots=True)
class ChallengeGone:
    """A challenge that is no longer open; `game_id` is set if it became a game."""

    challenge_id: str
    state: Literal["started", "declined", "cancelled", "expired"]
    game_id: str | None = None
    code: str | None = None
    message: str | None = None


@dataclass(frozen=True, slots=True)
class GameChanged:
    """`resync`: the server was asked, so what it does not show it does not have."""

    facts: GameFacts
    resync: bool = False


@dataclass(frozen=True, slots=True)
class GameLost:
    """The server has the game no more: it can be neither played nor recorded."""

    game_id: str


@dataclass(frozen=True, slots=True)
class GameUnread:
    """A game of ours that the server does not show, or that cannot be understood.

    `unplayable`: it is of a kind that we do not play, so that no later read helps.
    """

    game_id: str
    why: str
    unplayable: bool = False


@dataclass(frozen=True, slots=True)
class TournamentsChanged:
    """In so many tournaments the server may begin a game of ours at any time."""

    going_on: int


PlatformEvent = (
    Connected
    | Disconnected
    | ChallengeOffered
    | ChallengeGone
    | GameChanged
    | GameLost
    | GameUnread
    | TournamentsChanged
)
EventSink = Callable[[PlatformEvent], Awaitable[None]]


# ---- calls ---------------------------------------------------------------------------------


class NoAnswer(PeerError):
    """The server did not answer, or there is no connection: nobody knows whether it acted."""

    def __init__(self, message: str) -> None:
        super().__init__("no_answer", message)


class NotNow(PeerError):
    """The server cannot do it at present, and has changed nothing: it may be asked again."""

    def __init__(self, code: str, message: str, retry_after_s: float) -> None:
        super().__init__(code, message)
        self.retry_after_s = min(max(retry_after_s, SHORTEST_WAIT_S), LONGEST_WAIT_S)


class TurnRefused(PeerError):
    """The server finds a turn illegal: its rules are not ours.

    `can_retry`: it has changed nothing, and another turn may be sent for the ply.
    """

    def __init__(self, code: str, message: str, *, can_retry: bool = False) -> None:
        super().__init__(code, message)
        self.can_retry = can_retry


class GameGone(PeerError):
    """The server has no such game, or has it no more."""


async def patiently(
    ask: Callable[[], Awaitable[T]],
    time_source: TimeSource,
    is_wanted: Callable[[], bool] = lambda: True,
) -> T:
    """What `ask` returns, asked again for as long as it raises NotNow and the answer is wanted."""
    while True:
        try:
            return await ask()
        except NotNow as refusal:
            if not is_wanted():
                raise
            await time_source.sleep(refusal.retry_after_s)


class Platform(Protocol):
    """One identity on one server.

    Every call raises PeerError with the server's code if it is refused, NotNow if it may be
    asked again later, and NoAnswer if nothing is known; only reading the game again tells more.
    Nobody else knows the server's codes: what they oblige us to is an error of its own here.
    """

    @property
    def last_heard(self) -> float | None:
        """When the server last said anything, on the monotonic clock."""

    @property
    def problems(self) -> Sequence[str]:
        """Files of its own that cannot be written at present, and why."""

    @property
    def offering(self) -> "ChallengingPlatform | None":
        """The platform itself, if the bot can offer games there and not only take them."""

    async def run(self, sink: EventSink) -> None:
        """Connect, and connect again after each loss, until cancelled.

        Raises RefusedByServer if the server refuses the account for good, and HostError if this
        machine cannot give the platform a file or a port that it needs. An exception group never
        wraps them. An error of the sink does not end the run.
        """

    async def accept(self, challenge_id: str) -> None: ...

    async def decline(self, challenge_id: str, code: str, sentence: str) -> None: ...

    async def submit(self, game_id: str, ply: int, turn: str, info: TurnInfo) -> None:
        """Play a turn; sending the same ply and turn again does no harm. Raises TurnRefused."""

    async def resign(self, game_id: str) -> None: ...

    async def abort(self, game_id: str) -> None:
        """End a game that counts for nobody; refused once both players have played."""

    async def answer_draw(self, game_id: str, *, accept: bool) -> None: ...

    async def watch(self, game_id: str) -> None:
        """Read the game again: a `GameChanged` with `resync` goes to the sink. Raises GameGone."""

    async def retire(self) -> None:
        """Enter no tournament from now on, and leave those that have not begun. Raises nothing."""


class ChallengingPlatform(Platform, Protocol):
    """A platform on which the bot can offer games itself."""

    async def offer(self, setup: Setup, opponent: str | None, seat: Seat) -> str:
        """Offer a game to `opponent`, or to anybody; returns the challenge's id."""

    async def withdraw(self, challenge_id: str) -> None: ...
