"""Which players ignore which others, in the database."""

from collections.abc import Iterable
from datetime import datetime
from typing import Final

from bot.arena.store.connection import Connection
from bot.arena.store.database import Database, as_text

_PUT: Final = """
INSERT INTO ignores (account, ignored, since) VALUES (?, ?, ?)
ON CONFLICT (account, ignored) DO NOTHING"""
_COUNT_OTHERS: Final = "SELECT count(*) FROM ignores WHERE account = ? AND ignored <> ?"
_REMOVE: Final = "DELETE FROM ignores WHERE account = ? AND ignored = ?"
_NAMES: Final = """
SELECT name FROM ignores JOIN accounts ON accounts.id = ignores.ignored
WHERE account = ? ORDER BY skeleton"""
_IS_IGNORED: Final = "SELECT 1 FROM ignores WHERE account = ? AND ignored = ?"


class IgnoreStore:
    """Reads and writes the table `ignores`. Players are given by the ids of their accounts."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def put(self, account: str, ignored: str, most: int, now: datetime) -> bool:
        """Let a player ignore another one; returns False if they ignore `most` others already."""

        def work(connection: Connection) -> bool:
            # In the transaction that adds the row, so that requests at once cannot be too many.
            if connection.execute(_COUNT_OTHERS, (account, ignored)).fetchone()[0] >= most:
                return False
            connection.execute(_PUT, (account, ignored, as_text(now)))
            return True

        return await self._database.write(work)

    async def remove(self, account: str, ignored: str) -> None:
        """Let a player no longer ignore another one."""

        def work(connection: Connection) -> None:
            connection.execute(_REMOVE, (account, ignored))

        await self._database.write(work)

    async def names(self, account: str) -> list[str]:
        """The present names of the players whom a player ignores, in alphabetical order."""
        rows = await self._database.read(
            lambda connection: connection.execute(_NAMES, (account,)).fetchall()
        )
        return [row["name"] for row in rows]

    async def ignoring(self, accounts: Iterable[str], ignored: str) -> bool:
        """Return whether one of the accounts ignores a player."""

        def work(connection: Connection) -> bool:
            found = (connection.execute(_IS_IGNORED, (each, ignored)) for each in accounts)
            return any(each.fetchone() is not None for each in found)

        return await self._database.read(work)
