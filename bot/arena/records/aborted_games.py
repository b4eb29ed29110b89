"""Deletes aborted games from the database, with everything that belongs to them.

An aborted game counts nowhere: not in ratings, openings or results. Games of tournaments stay,
because their tournaments refer to them.
"""

from datetime import datetime
from typing import Final

from bot.arena.games.game_index import ABORTED, EVERYBODY
from bot.arena.games.game_store import PENDING_RECORD
from bot.arena.store.connection import Connection
from bot.arena.store.database import Database, as_text
from bot.arena.store.tables import tables_of_games

AT_ONCE: Final = 200
"""The most games that one transaction deletes, so that turns do not wait for it."""

_FIND: Final = """
SELECT game_id FROM game_index JOIN games ON id = game_id
WHERE player = ? AND outcome = ? AND game_index.ended_at >= ? AND game_index.ended_at < ?
AND tournament IS NULL
ORDER BY game_index.ended_at LIMIT ?"""
_DELETE: Final = "DELETE FROM games WHERE id = ?"
_FORGET_RECORD: Final = "DELETE FROM facts WHERE name = ?"


class AbortedGames:
    """Finds and deletes aborted games. `since` is the end of the last search."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._since = ""

    async def delete(self, before: datetime) -> list[str]:
        """Delete some of the aborted games that ended before that moment; returns their ids.

        None are left when the answer is empty.
        """
        values = (EVERYBODY, ABORTED, self._since, as_text(before), AT_ONCE)
        rows = await self._database.read(
            lambda connection: connection.execute(_FIND, values).fetchall()
        )
        found = [row["game_id"] for row in rows]
        if not found:
            self._since = as_text(before)
            return found

        def work(connection: Connection) -> None:
            for table in reversed(tables_of_games()):
                statement = f"DELETE FROM {table} WHERE game_id = ?"  # noqa: S608 - constants
                connection.executemany(statement, [(game_id,) for game_id in found])
            connection.executemany(_DELETE, [(game_id,) for game_id in found])
            names = [(PENDING_RECORD + game_id,) for game_id in found]
            connection.executemany(_FORGET_RECORD, names)

        await self._database.write(work)
        return found
