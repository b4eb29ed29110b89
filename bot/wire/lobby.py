"""Challenges, the lobby, and the welcome that each connection gets first."""

from datetime import datetime
from typing import Final, Literal

from pydantic import Field

from bot.wire.base import FromServer, Id, Message, Name
from bot.wire.games import GameSetup, GameState, GameSummary, Player
from bot.wire.tournaments import TournamentSummary

EnginePart = Literal["rules", "search"]


class Challenge(FromServer):
    """One challenge, sent at each change to its creator and to the players in it.

    The lobby lists it only while its `state` is `open`, and only if it is not `private`.
    """

    challenge_id: Id
    creator: Player
    setup: GameSetup
    seats: tuple[Name | None, Name | None]
    random_seats: bool
    private: bool = Field(
        default=False, description="whether only players who know its id can see and accept it"
    )
    accepted: list[Name] = Field(
        description="players who have agreed, including a creator with a seat"
    )
    state: Literal["open", "started", "declined", "cancelled", "expired"]
    code: str | None = Field(
        None,
        description="why it ended: the code of the player who declined, or a code of the server",
    )
    message: str | None = None
    instead: Name | None = Field(
        None, description="a bot that has a place for the game, if the one that declined has none"
    )
    game_id: Id | None = Field(None, description="the game that the challenge started")
    created_at: datetime
    expires_at: datetime


class Welcome(FromServer):
    """The first event of every connection: the client's identity, and all that concerns it."""

    you: Player
    guest_key: str | None = Field(
        None, description="a guest stores it and returns with it as the same player"
    )
    server: str
    server_time: datetime
    games: list[GameState] = Field(description="running games in which the client plays")
    challenges: list[Challenge] = Field(
        description="open challenges that the client created, accepted or is named in"
    )
    tournaments: list[TournamentSummary] = Field(
        default_factory=list,
        description="tournaments that are not over, if the client is entered or hosts them",
    )
    may_host: bool = Field(default=False, description="whether the client may make tournaments")
    push_key: str | None = Field(
        None, description="the server's key for the browser's `PushManager`; null: no notifications"
    )

    def as_json(self) -> str:
        """Return the same text as `model_dump_json`, reusing the encoded games."""
        rest = self.model_copy(update={"games": []}).model_dump_json()
        before, after = rest.split(_NO_GAMES, 1)
        return f'{before}"games":[{",".join(game.as_json() for game in self.games)}]{after}'


_NO_GAMES: Final = '"games":[]'


class Warming(Message):
    """A game of which the server still compiles a part, after an installation or an update.

    Without its `rules` the game cannot be played yet. Without its `search`, bots on the arena's
    machine are not ready to play it.
    """

    game: str
    title: str
    parts: list[EnginePart]


class Maintenance(Message):
    """Maintenance that the operator has planned. From `starts_at`, no games start.

    Running games are played to their end. `challenge.create`, `challenge.accept` and
    `tournament.start` are refused with `not_now` and the rule `maintenance`.
    """

    reason: str
    starts_at: datetime


class Lobby(FromServer):
    """The content of the front page, sent to every client when it changes."""

    revision: int
    players: list[Player] = Field(description="players who are connected")
    challenges: list[Challenge]
    games: list[GameSummary] = Field(description="running games, then the latest finished ones")
    warming: list[Warming] = Field(
        default_factory=list, description="games that are still being compiled"
    )
    tournaments: list[TournamentSummary] = Field(
        default_factory=list, description="tournaments that are running or still to come"
    )
    maintenance: Maintenance | None = Field(
        None, description="maintenance that is planned or under way; null: none"
    )
