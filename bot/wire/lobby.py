"""Challenges, and what a client is told of everything that goes on beside its games."""

from datetime import datetime
from typing import Literal

from pydantic import Field

from bot.wire.base import FromServer, Id, Message, Name
from bot.wire.games import GameSetup, GameState, GameSummary, Player
from bot.wire.tournaments import TournamentSummary

EnginePart = Literal["rules", "search"]


class Challenge(FromServer):
    """Sent to everybody concerned at each change; gone from `Lobby` once not `open`."""

    challenge_id: Id
    creator: Player
    setup: GameSetup
    seats: tuple[Name | None, Name | None]
    random_seats: bool
    accepted: list[Name] = Field(description="those who agreed so far, the creator if seated")
    state: Literal["open", "started", "declined", "cancelled", "expired"]
    code: str | None = Field(
        None, description="why it ended: the decliner's word, or one of the server's"
    )
    message: str | None = None
    game_id: Id | None = Field(None, description="the game that it became")
    created_at: datetime
    expires_at: datetime


class Welcome(FromServer):
    """The first event of every connection: who the client is and all that concerns it."""

    you: Player
    guest_key: str | None = Field(None, description="a guest keeps it to come back as itself")
    server: str
    server_time: datetime
    games: list[GameState] = Field(description="running games in which the client sits")
    challenges: list[Challenge] = Field(
        description="open challenges that await or are the client's"
    )
    tournaments: list[TournamentSummary] = Field(
        default_factory=list,
        description="those not over in which the client is entered, or which it hosts",
    )
    may_host: bool = Field(default=False, description="whether it may make tournaments")


class Warming(Message):
    """A game of which something is still being compiled, after an installation or an update.

    Without its `rules` it cannot be played yet; without its `search`, bots on the arena's machine
    are not ready for it.
    """

    game: str
    title: str
    parts: list[EnginePart]


class Lobby(FromServer):
    """What people see on the front page; sent to everybody when it changes."""

    revision: int
    players: list[Player] = Field(description="those connected now")
    challenges: list[Challenge]
    games: list[GameSummary] = Field(description="running games, then the latest finished ones")
    warming: list[Warming] = Field(default_factory=list, description="games not quite ready yet")
    tournaments: list[TournamentSummary] = Field(
        default_factory=list, description="those that are running or to come"
    )
