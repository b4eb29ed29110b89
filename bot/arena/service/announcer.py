"""The services' interface to the network: sending events."""

from collections.abc import Iterable
from typing import Protocol

from bot import wire


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

    def followers(self, tournament_id: str) -> int:
        """Return how many connections follow a tournament."""
