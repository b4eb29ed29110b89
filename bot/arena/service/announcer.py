"""What the arena's services need of the network: to tell players something."""

from collections.abc import Iterable
from typing import Protocol

from bot import wire


class Announcer(Protocol):
    """Sends events; who is not connected misses them and gets whole states on coming."""

    async def game(self, state: wire.GameState, change: wire.GameChange | None = None) -> None:
        """To both players, and to those who watch; `change` to those who want only what is new."""

    async def challenge(self, challenge: wire.Challenge, names: Iterable[str]) -> None:
        """To those players."""

    async def lobby(self, lobby: wire.Lobby) -> None:
        """To everybody."""

    async def tournament(self, tournament: wire.TournamentState) -> int:
        """To those who follow it; how many bytes that is for each."""

    def followers(self, tournament_id: str) -> int:
        """How many follow a tournament."""
