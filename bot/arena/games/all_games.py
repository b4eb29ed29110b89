"""The games of the whole arena, as the lobby, tournaments and the operator's orders see them."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from bot import wire
from bot.arena.games.game import Game


class AllGames(Protocol):
    """All games: those of this process, or those of all processes of the arena."""

    @property
    def is_paused(self) -> bool:
        """Whether games cannot start, because the database cannot be written."""
        ...

    async def start(
        self,
        setup: wire.GameSetup,
        players: tuple[wire.Player, wire.Player],
        place: wire.TournamentPlace | None = None,
        opening: Sequence[str] = (),
    ) -> wire.GameState:
        """Start a game between two players; in a tournament at its `place`, after an `opening`.

        Raises Refused.
        """
        ...

    async def ended(self, game_id: str) -> Game | None:
        """The game if it has ended, None while it runs. Raises Refused if it cannot be found."""
        ...

    async def abort_by_operator(self, game_id: str, why: str) -> wire.Result:
        """End a game without a result. Returns its result, which it may have had before.

        Raises Refused if the id is unknown.
        """
        ...

    def count_of(self, name: str) -> int:
        """How many running games a player has."""
        ...

    def setups_of(self, name: str) -> Mapping[str, wire.GameSetup]:
        """The setups of a player's running games, by the ids of the games."""
        ...

    def players_of(self, name: str) -> Mapping[str, tuple[wire.Player, wire.Player]]:
        """The players of a player's running games, by the ids of the games."""
        ...

    async def note_hint(
        self, game_id: str, name: str, setup: wire.AnalysisSetup, turns: Sequence[str]
    ) -> None:
        """Count a hint that the player gets about the position after `turns`; `setup` is complete.

        Raises Refused unless that is the present position of this game, and the game a casual one
        of the player against a bot.
        """

    async def look_at(self, limit: int) -> None:
        """Read how many turns the newest games have, for `summaries`."""
        ...

    def summaries(self, limit: int) -> list[wire.GameSummary]:
        """At most `limit` of the running games, the newest first."""
        ...

    async def finished_summaries(self, limit: int) -> list[wire.GameSummary]:
        """At most `limit` of the finished games, the last one first."""
        ...
