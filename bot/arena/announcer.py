"""The services' interface to the network: sending events."""

from collections.abc import Iterable, Sequence
from typing import Final, Protocol

from pydantic import BaseModel

from bot import wire

EVERYBODY: Final = "everybody"
"""The room of all connections."""
GAME: Final = "game"


def player_room(name: str) -> str:
    """The room of a player's connections."""
    return f"player:{name}"


def game_room(game_id: str) -> str:
    """The room of the connections that follow a game."""
    return f"{GAME}:{game_id}"


def tournament_room(tournament_id: str) -> str:
    """The room of the connections that follow a tournament."""
    return f"tournament:{tournament_id}"


class GameNews(Protocol):
    """What there is to tell about a game. A form of it is encoded only if somebody gets it."""

    @property
    def game_id(self) -> str: ...

    @property
    def names(self) -> Sequence[str]:
        """The names of the players."""

    @property
    def revision(self) -> int: ...

    @property
    def plies(self) -> int: ...

    @property
    def is_over(self) -> bool: ...

    @property
    def has_change(self) -> bool:
        """Whether clients that take changes get a change instead of the whole game."""

    def whole(self) -> str:
        """The whole game, as JSON."""

    def change(self) -> str:
        """The change since the last news, as JSON."""


class Announcer(Protocol):
    """Sends events. A player who is not connected misses them and gets whole states at login."""

    def game(self, news: GameNews) -> None:
        """Send a game to both players and to its watchers.

        Clients that asked for changes get its change, if there is one.
        """

    async def challenge(self, challenge: wire.Challenge, names: Iterable[str]) -> None:
        """Send a challenge to the players of these names."""

    async def lobby(self, lobby: wire.Lobby) -> None:
        """Send the lobby to every connection."""

    async def tournament(self, tournament: wire.TournamentState) -> int:
        """Send a tournament to its followers, and return how many bytes each one gets."""

    def tell(self, event: str, message: BaseModel, names: Iterable[str]) -> None:
        """Send an event to the players of these names."""

    def followers(self, tournament_id: str) -> int:
        """Return how many connections follow a tournament."""
