"""Analyses of finished games in the database, and the accounts that may make them."""

from pathlib import Path
from typing import Final

from bot import wire
from bot.arena.analysis.analysis_tables import admit_analyst
from bot.arena.players.accounts import named
from bot.arena.settings import Place
from bot.arena.store.connection import Connection, Hold
from bot.arena.store.database import OPEN_S, Database, as_text
from bot.arena.store.opening import open_database
from bot.errors import ConfigurationError, PeerError
from bot.time_source import SystemTime, TimeSource

_PUT: Final = """
INSERT INTO game_analyses (game_id, analysis, made_at) VALUES (?, ?, ?)
ON CONFLICT (game_id) DO UPDATE SET analysis = excluded.analysis, made_at = excluded.made_at"""
_FIND: Final = "SELECT analysis FROM game_analyses WHERE game_id = ?"
_DISMISS: Final = "DELETE FROM analysts WHERE account = ?"
_IS_ADMITTED: Final = "SELECT account FROM analysts WHERE account = ?"


class AnalysisStore:
    """The tables of analyses and of analysts. Every process of an arena may use them."""

    def __init__(self, database: Database, time: TimeSource) -> None:
        self._database = database
        self._time = time

    async def put(self, analysis: wire.GameAnalysis) -> None:
        """Store the complete analysis of a game, instead of an earlier one."""
        values = (analysis.game_id, analysis.model_dump_json(), as_text(self._time.wall()))

        def work(connection: Connection) -> None:
            connection.execute(_PUT, values)

        await self._database.write(work)

    async def find(self, game_id: str) -> wire.GameAnalysis | None:
        """The analysis of a game, if it was made."""
        row = await self._database.read(
            lambda connection: connection.execute(_FIND, (game_id,)).fetchone()
        )
        return None if row is None else wire.GameAnalysis.model_validate_json(row["analysis"])

    async def is_analyst(self, account: str | None) -> bool:
        """Return whether the operator has admitted the account."""
        row = await self._database.read(
            lambda connection: connection.execute(_IS_ADMITTED, (account,)).fetchone()
        )
        return row is not None


async def admit(where: Path | Place, name: str, *, dismiss: bool = False) -> None:
    """Let the bot of that name take analysis jobs, or no longer.

    Raises ConfigurationError if there is no such bot, HostError if the database cannot be used.
    """
    since = as_text(SystemTime().wall())

    def work(connection: Connection) -> None:
        player = named(connection, name)
        if player.kind != "bot":
            raise ConfigurationError(f"{name} is not a bot; give it a token first")
        if dismiss:
            connection.execute(_DISMISS, (player.id,))
        else:
            admit_analyst(connection, str(player.id), since)

    async with open_database(where, OPEN_S, Hold.NONE) as database:
        try:
            await database.write(work)
        except PeerError as error:
            raise ConfigurationError(error.message) from error
