"""The services' interface to the network: sending events."""

from collections.abc import Iterable
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


class Announcer(Protocol):
    """Sends events. A player who is not connected misses them and gets whole states at login."""

    async def game(self, state: wire.GameState, change: wire.GameChange | None = None) -> None:
        """Send a game to both players and to its watchers.

        Clients that asked for changes get `change` instead, unless it is None.
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
