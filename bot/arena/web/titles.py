"""What games are called, for those who follow a link to them."""

from dataclasses import dataclass
from typing import Final

from bot import wire
from bot.arena.games.game_rows import PLAYERS
from bot.arena.store.connection import Connection, Row
from bot.arena.store.database import Database

_GAME: Final = "SELECT setup, players, result, plies FROM games WHERE id = ?"


@dataclass(frozen=True)
class GameTitle:
    """Who plays what, and the result of a finished game."""

    setup: wire.GameSetup
    players: tuple[wire.Player, wire.Player]
    result: wire.Result | None
    plies: int


class Titles:
    """Reads single rows, whichever process plays the games."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def game(self, game_id: str) -> GameTitle | None:
        """A running or finished game; None if the id is unknown, or if it cannot be read."""

        def query(connection: Connection) -> Row | None:
            found: Row | None = connection.execute(_GAME, (game_id,)).fetchone()
            return found

        row = await self._database.read(query)
        if row is None:
            return None
        try:
            return GameTitle(
                wire.GameSetup.model_validate_json(row["setup"]),
                PLAYERS.validate_json(row["players"]),
                row["result"] and wire.Result.model_validate_json(row["result"]),
                row["plies"],
            )
        except ValueError:  # pydantic's ValidationError too
            return None
