"""What an identity is doing, for itself and for the health page."""

from dataclasses import dataclass, field

from bot.platforms.base import GameFacts
from bot.session import GameSession


@dataclass(slots=True)
class RunningGame:
    """A game with its session; `our_turn_since` and `ply_since` are on the monotonic clock.

    `ply_since`: when it came to the ply where it is. `is_noted`: the journal knows of the game.
    """

    session: GameSession
    latest: GameFacts
    ply_since: float
    our_turn_since: float | None = None
    is_noted: bool = False


@dataclass(slots=True)
class IdentityStatus:
    """What the health page tells of an identity."""

    connected: bool = False
    refused: str | None = None
    games: dict[str, RunningGame] = field(default_factory=dict)
