"""One challenge as a pure state machine: each step returns a new `Challenge` or raises Refused."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Literal

from bot import wire
from bot.arena.refusals import Refused
from bot.arena.settings import LobbyLimits
from bot.time_controls import Correspondence, Untimed

PRIVATE_S = 86_400
"""How long a private challenge to a live game is valid: a friend may read the link later."""
PRIVATE_AWAY_S = 1_800
"""How long the creator of a private challenge may be disconnected: a phone that switches to
another program, to send the link, loses its connections."""

State = Literal["open", "started", "declined", "cancelled", "expired"]


@dataclass(frozen=True)
class Challenge:
    """An offer of a game.

    `seats` has the names of the players to whom each seat is offered, None for anyone. `takers` has
    the names of the players who have accepted each seat so far. A `private` challenge is listed
    nowhere; players learn its id from its creator. `instead` is a bot that can play the game.
    """

    challenge_id: str
    creator: wire.Player
    setup: wire.GameSetup
    seats: tuple[str | None, str | None]
    takers: tuple[str | None, str | None]
    random_seats: bool
    created_at: datetime
    expires_at: datetime
    state: State = "open"
    code: str | None = None
    message: str | None = None
    game_id: str | None = None
    private: bool = False
    instead: str | None = None

    @property
    def is_full(self) -> bool:
        """Whether both seats are accepted."""
        return None not in self.takers

    @property
    def is_public(self) -> bool:
        """Whether any player may take a seat, and the lobby lists it."""
        return None in self.seats and not self.private

    @property
    def is_live(self) -> bool:
        """Whether the clock expects both players to stay until the end of the game."""
        return not isinstance(self.setup.clock, Correspondence | Untimed)

    @property
    def needs_creator(self) -> bool:
        """Whether it ends when its creator leaves."""
        return self.is_live or self.creator.kind == "guest"

    def binds(self, name: str) -> bool:
        """Return whether this player created or accepted it."""
        return name == self.creator.name or name in self.takers

    def is_received_by(self, name: str) -> bool:
        """Return whether another player offers this player a seat."""
        return name in self.seats and name != self.creator.name

    def concerns(self, name: str) -> bool:
        """Return whether this player created it, is offered a seat, or has accepted one."""
        return name in {self.creator.name, *self.seats, *self.takers}

    @property
    def parties(self) -> set[str]:
        """The names of all players whom it concerns."""
        names = {self.creator.name, *self.seats, *self.takers}
        return {name for name in names if name is not None}

    def mirrors(self, other: "Challenge") -> bool:
        """Return whether the creators challenge each other alone to the same game."""
        both = {self.creator.name, other.creator.name}
        return (
            self.creator.name != other.creator.name
            and both == set(self.seats) == set(other.seats)
            and (self.setup, self.random_seats) == (other.setup, other.random_seats)
            and (self.random_seats or self.seats == other.seats)
        )

    def accepted_by(self, name: str) -> "Challenge":
        """The challenge with one more seat accepted; itself if the player has accepted already."""
        self._check_open()
        if name in self.takers:
            return self
        if name in self.seats:
            return self._taken(self.seats.index(name), name)
        for index, (seat, taker) in enumerate(zip(self.seats, self.takers, strict=True)):
            if seat is None and taker is None:
                return self._taken(index, name)
        raise Refused("not_your_challenge")

    def declined_by(self, name: str, code: str, message: str) -> "Challenge":
        """Return the challenge, declined by a player to whom it offers a seat."""
        self._check_open()
        if name not in self.seats or name == self.creator.name:
            raise Refused("not_your_challenge")
        return replace(self, state="declined", code=code, message=message)

    def cancelled_by(self, name: str) -> "Challenge":
        self._check_open()
        if name != self.creator.name:
            raise Refused("not_your_challenge")
        return self.ended("cancelled", "cancelled", f"{name} withdrew the challenge.")

    def ended(self, state: State, code: str, message: str) -> "Challenge":
        """Return the challenge, ended by the server for one of the reasons in
        `wire.CHALLENGE_CODES`.
        """
        assert code in wire.CHALLENGE_CODES, code
        return replace(self, state=state, code=code, message=message)

    def renamed(self, former: str, name: str) -> "Challenge":
        """The challenge with the new name of a player who has not answered it yet."""
        one, two = (name if seat == former else seat for seat in self.seats)
        return replace(self, seats=(one, two))

    def started(self, game_id: str) -> "Challenge":
        return replace(self, state="started", game_id=game_id)

    def as_message(self) -> wire.Challenge:
        return wire.Challenge(
            challenge_id=self.challenge_id,
            creator=self.creator,
            setup=self.setup,
            seats=self.seats,
            random_seats=self.random_seats,
            private=self.private,
            accepted=[name for name in self.takers if name is not None],
            state=self.state,
            code=self.code,
            message=self.message,
            instead=self.instead,
            game_id=self.game_id,
            created_at=self.created_at,
            expires_at=self.expires_at,
        )

    def _check_open(self) -> None:
        if self.state != "open":
            raise Refused("unknown_challenge")

    def _taken(self, index: int, name: str) -> "Challenge":
        one, two = self.takers
        return replace(self, takers=(name, two) if index == 0 else (one, name))


def new_challenge(
    challenge_id: str,
    creator: wire.Player,
    setup: wire.GameSetup,
    seats: tuple[str | None, str | None],
    *,
    random_seats: bool,
    limits: LobbyLimits,
    now: datetime,
    private: bool = False,
) -> Challenge:
    """Make a challenge. Its creator has accepted the seat that `seats` gives them, if any.

    Raises Refused if it is private and has not exactly one free seat.
    """
    if private and sorted(seats, key=str) != sorted((None, creator.name), key=str):
        words = "A private challenge has one seat for its creator, and a free one."
        raise Refused("invalid", words)
    one, two = (seat if seat == creator.name else None for seat in seats)
    challenge = Challenge(
        challenge_id=challenge_id,
        creator=creator,
        setup=setup,
        seats=seats,
        takers=(one, two),
        random_seats=random_seats,
        created_at=now,
        expires_at=now,
        private=private,
    )
    live_s = PRIVATE_S if private else limits.challenge_s
    valid_s = live_s if challenge.is_live else limits.correspondence_challenge_s
    return replace(challenge, expires_at=now + timedelta(seconds=valid_s))
