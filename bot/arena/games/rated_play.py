"""What the core asks about rated games.

A capability that has ratings answers, by the door of `Core.rated_play`. Without one, games can only
be casual, and players are shown without ratings.
"""

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Final, Protocol

from bot import wire
from bot.arena.refusals import Refused

NOT_RATED: Final = "not_rated"


class Ratings(Protocol):
    """Knows which games can be rated, who may play them, and the ratings of players."""

    def check_setup(self, setup: wire.GameSetup) -> None:
        """Raises Refused if `setup` is rated and games with it cannot be rated."""

    async def admitted(self, player: wire.Player) -> wire.Player:
        """The player, if they may play rated games, as their account is now. Raises Refused."""

    async def check_pair(
        self, one: wire.Player, two: wire.Player, running: Collection[str]
    ) -> None:
        """Raises Refused if the players may not play another rated game against each other now.

        `running` has the ids of their running rated games.
        """

    async def seated(self, player: wire.Player, game: str) -> wire.Player:
        """The player with their rating in that game, as challenges and games show it."""

    async def read(self, players: Collection[wire.Player]) -> None:
        """Read the ratings of players for `shown`."""

    def shown(self, player: wire.Player) -> wire.Player:
        """The player with all ratings, as far as they were read."""


class NoRatings:
    """The `Ratings` of an arena that has none."""

    def check_setup(self, setup: wire.GameSetup) -> None:
        """See `Ratings`."""
        if setup.rated:
            raise _only_casual()

    async def admitted(self, _player: wire.Player) -> wire.Player:
        """See `Ratings`."""
        raise _only_casual()

    async def check_pair(
        self, _one: wire.Player, _two: wire.Player, _running: Collection[str]
    ) -> None:
        """See `Ratings`."""
        raise _only_casual()

    async def seated(self, player: wire.Player, _game: str) -> wire.Player:
        """See `Ratings`."""
        return player

    async def read(self, players: Collection[wire.Player]) -> None:
        """See `Ratings`."""

    def shown(self, player: wire.Player) -> wire.Player:
        """See `Ratings`."""
        return player


def _only_casual() -> Refused:
    return Refused(NOT_RATED, "This server has no ratings: play a casual game.")


@dataclass(eq=False)
class RatedPlay:
    """The ratings of this arena, which a capability may set when it is opened."""

    ratings: Ratings = field(default_factory=NoRatings)
