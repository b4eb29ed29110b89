"""The interface of a game server to the rest of the bot: plain facts in, a few calls out.

A platform knows its protocol, and no sessions, engines or policies. It awaits the sink for every
event. When the sink returns, everything that the event obliges the bot to do is on disk, so a
platform acknowledges a notice to its server after that. If the sink raises HostError, the disk
could not be written: the bot handles the event, but the platform must not acknowledge it.

docs/writing-a-platform.md has a complete example.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Literal, Protocol, TypeVar

from pydantic import SecretStr

from bot.errors import HostError, PeerError, RefusedByServer
from bot.time_controls import PlayerClock, TimeControl
from bot.time_source import TimeSource

SHORTEST_WAIT_S: Final = 0.05
LONGEST_WAIT_S: Final = 60.0
"""The longest wait before a request is repeated, even if the server requests more."""

T = TypeVar("T")
Seat = Literal[1, 2]
PlayerKind = Literal["bot", "person", "guest"]


@dataclass(frozen=True, slots=True)
class Participant:
    """A player on the platform; `kind` is None if the platform does not provide it.

    `account` identifies the player if names may change or be shared.
    """

    name: str
    kind: PlayerKind | None = None
    engine: str | None = None
    account: str = ""

    @property
    def player_id(self) -> str:
        """The account, or the name if the platform has no accounts."""
        return self.account or self.name


@dataclass(frozen=True, slots=True)
class Setup:
    """What is played: game, board, rules and clock."""

    game: str
    board: str
    rules: str
    control: TimeControl
    options: Mapping[str, str] = field(default_factory=dict)
    rated: bool = False


@dataclass(frozen=True, slots=True)
class TurnInfo:
    """An engine's evaluation of a turn. `value` is the mover's own chance to win, from 0 to 1."""

    value: float | None = None
    visits: int | None = None
    pv: tuple[str, ...] = ()
    source: str | None = None


@dataclass(frozen=True, slots=True)
class TurnPlayed:
    """A turn in the server's list; `clock` is the mover's clock after the turn."""

    turn: str
    time_ms: int | None = None
    clock: PlayerClock | None = None
    info: TurnInfo | None = None


@dataclass(frozen=True, slots=True)
class GameOutcome:
    """The result of a game. `winner` is None in a draw and in a game without a winner."""

    winner: Seat | None
    reason: str
    message: str = ""


@dataclass(frozen=True, slots=True)
class GameFacts:
    """The server's facts about one game. Its list of turns is authoritative.

    `clocks` are those of the moment `arrived`, on the monotonic clock of this process. `takebacks`
    counts how often turns were taken back, after which a ply comes again; None on a server that has
    no takebacks.
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
    takebacks: int | None = None
    opponent_here: bool = True
    """False while the opponent is disconnected, on a server that says so."""
    abort_offered: bool = False
    """Whether the opponent offers to end the game without a result."""

    @property
    def ply(self) -> int:
        """The number of turns played, which is also the number of the turn that is due."""
        return len(self.turns)

    @property
    def our_turn(self) -> bool:
        return self.outcome is None and self.to_play == self.seat

    @property
    def opponent(self) -> Participant:
        return self.players[2 - self.seat]


@dataclass(frozen=True, slots=True)
class ChallengeFacts:
    """A game that is offered. `opponent` is the player against whom the bot would play.

    An open challenge (`is_open`) names no opponent, and needs no answer.
    """

    challenge_id: str
    setup: Setup
    opponent: Participant
    is_open: bool = False


# ---- events --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Connected:
    """The server is connected; `running` are all games that it has for us.

    A `GameChanged` with `resync` follows for each of them, and a `ChallengeOffered` for each of the
    `open_challenges` that wait for our answer. `own_challenges` are those that we made.
    """

    name: str
    server: str
    running: frozenset[str]
    open_challenges: frozenset[str] = frozenset()
    own_challenges: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Disconnected:
    """There is no connection. The event is repeated after every failed attempt to connect.

    `token_refused` says that a new token would help.
    """

    reason: str
    token_refused: bool = False


@dataclass(frozen=True, slots=True)
class ChallengeOffered:
    challenge: ChallengeFacts


@dataclass(frozen=True, slots=True)
class ChallengeGone:
    """A challenge is no longer open; `game_id` is set if it became a game."""

    challenge_id: str
    state: Literal["started", "declined", "cancelled", "expired"]
    game_id: str | None = None
    code: str | None = None
    message: str | None = None


@dataclass(frozen=True, slots=True)
class GameChanged:
    """A new state of a game. `resync` says that we requested it, so it is not outdated."""

    facts: GameFacts
    resync: bool = False


@dataclass(frozen=True, slots=True)
class GameLost:
    """The server no longer has the game: it can be neither played nor recorded."""

    game_id: str


@dataclass(frozen=True, slots=True)
class GameUnread:
    """A game of ours that the server does not show, or that cannot be parsed.

    `unplayable` says that we do not play games of its kind, so that no later read helps.
    """

    game_id: str
    why: str
    unplayable: bool = False


@dataclass(frozen=True, slots=True)
class TournamentsChanged:
    """In `going_on` tournaments the server may start a game of ours at any time."""

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
    """The server did not answer, or there is no connection: the request may have had an effect."""

    def __init__(self, message: str) -> None:
        super().__init__("no_answer", message)


class NotNow(PeerError):
    """The server cannot do it at present and has changed nothing: the request may be repeated."""

    def __init__(self, code: str, message: str, retry_after_s: float) -> None:
        super().__init__(code, message)
        self.retry_after_s = min(max(retry_after_s, SHORTEST_WAIT_S), LONGEST_WAIT_S)


class TurnRefused(PeerError):
    """The server refuses a turn as illegal: its rules differ from ours.

    `can_retry` says that it has changed nothing, and that another turn may be sent for the ply.
    """

    def __init__(self, code: str, message: str, *, can_retry: bool = False) -> None:
        super().__init__(code, message)
        self.can_retry = can_retry


class TokenRefused(RefusedByServer):
    """The server refuses our token or secret; it may accept another one."""


class GameGone(PeerError):
    """The server has no such game, or no longer has it."""


async def patiently(
    ask: Callable[[], Awaitable[T]],
    time_source: TimeSource,
    is_wanted: Callable[[], bool] = lambda: True,
    on_wait: Callable[[NotNow], None] = lambda _refusal: None,
) -> T:
    """Return what `ask` returns.

    Repeat it while it raises NotNow and the answer is still wanted. `on_wait` gets each refusal.
    """
    while True:
        try:
            return await ask()
        except NotNow as refusal:
            if not is_wanted():
                raise
            on_wait(refusal)
            await time_source.sleep(refusal.retry_after_s)


class Platform(Protocol):
    """One identity on one server. A subclass inherits the answers of a server without extras.

    Every call raises PeerError with the server's code if the server refuses it, NotNow if the
    request may be repeated later, and NoAnswer if the result is unknown. After NoAnswer only
    reading the game again helps. Codes that oblige the bot to something have their own errors here,
    so that no other module needs to know the codes of a server.
    """

    @property
    def last_heard(self) -> float | None:
        """When the server last sent anything, on the monotonic clock; None before that."""

    @property
    def overdue_s(self) -> float:
        """For how many seconds the server should have answered by now, and has not.

        0 or less while all is well. A pause between two requests is no silence.
        """

    def reconnect(self) -> None:
        """Give up the present connection, if there is one, and make a new one."""

    def use_token(self, token: SecretStr) -> None:
        """Log in with this token from now on. A login that has succeeded stays."""

    @property
    def problems(self) -> Sequence[str]:
        """Which of its own files cannot be written at present, and why."""
        return ()

    @property
    def standing(self) -> str | None:
        """Our rating there, in words for an operator; None if it is not known."""
        return None

    @property
    def offering(self) -> "ChallengingPlatform | None":
        """The platform itself, if the bot can offer games there; None if it can only accept."""
        return None

    async def run(self, sink: EventSink) -> None:
        """Connect, and reconnect after each loss, until cancelled.

        Raises RefusedByServer if the server refuses the account permanently (TokenRefused if it
        refuses the token), and HostError if this machine cannot give the platform a file or a port
        that it needs. An exception group never wraps them. An error of the sink does not end the
        run.
        """

    async def accept(self, challenge_id: str) -> None: ...

    async def decline(self, challenge_id: str, code: str, sentence: str) -> None: ...

    async def submit(
        self, game_id: str, ply: int, turn: str, info: TurnInfo, takebacks: int | None = None
    ) -> None:
        """Play a turn. Repeating the call with the same ply and turn plays it once.

        `takebacks` is that of the facts for which the turn was chosen. Raises TurnRefused.
        """

    async def resign(self, game_id: str) -> None: ...

    async def abort(self, game_id: str) -> None:
        """End a game without a result. The server refuses once both players have played."""
        del game_id
        raise PeerError("not_offered", "games cannot be aborted there")

    async def answer_draw(self, game_id: str, *, accept: bool) -> None:
        del game_id, accept
        raise PeerError("not_offered", "bots cannot answer draw offers there")

    async def decline_abort(self, game_id: str) -> None:
        """Decline an offer to end a game without a result; called after `abort_offered` only."""
        del game_id
        raise PeerError("not_offered", "there are no offers to abort there")

    async def watch(self, game_id: str) -> None:
        """Read the game again; the sink gets a `GameChanged` with `resync`. Raises GameGone."""

    async def report_queue(self, game_id: str, ply: int, before: int) -> None:
        """Say how many searches end before ours for this ply begins, if the server wants that."""
        del game_id, ply, before

    async def retire(self) -> None:
        """Enter no more tournaments, and leave those that have not started. Raises nothing."""
        return


class ChallengingPlatform(Platform, Protocol):
    """A platform on which the bot can offer games."""

    @property
    def offering(self) -> "ChallengingPlatform | None":
        return self

    async def offer(self, setup: Setup, opponent: str | None, seat: Seat) -> str:
        """Offer a game to `opponent`, or to any player if None. Returns the id of the challenge."""

    async def withdraw(self, challenge_id: str) -> None: ...


def unacknowledged(sink: EventSink) -> EventSink:
    """Return a sink that drops HostErrors, for a platform that will repeat what was not stored."""

    async def deliver(event: PlatformEvent) -> None:
        with suppress(HostError):  # the journal logs its failures itself
            await sink(event)

    return deliver
