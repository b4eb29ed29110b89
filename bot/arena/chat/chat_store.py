"""The lines that the players of a game said to each other, in the database."""

from datetime import datetime
from typing import Final

from bot import wire
from bot.arena.players import mutes
from bot.arena.players.mutes import Mute
from bot.arena.store import orders
from bot.arena.store.connection import Connection, Row
from bot.arena.store.database import Database, as_text
from bot.arena.store.orders import Order

KEPT_DAYS: Final = 30
"""Days after the end of a game for which its chat is kept."""
_PUT: Final = """
INSERT INTO chat (id, game_id, seat, kind, body, at) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (id) DO NOTHING"""
_COUNT: Final = "SELECT count(*) FROM chat WHERE game_id = ? AND id <> ?"
_OF_GAME: Final = "SELECT * FROM chat WHERE game_id = ? ORDER BY at, id LIMIT ?"
_FORGET: Final = """
DELETE FROM chat WHERE game_id IN (SELECT id FROM games WHERE ended_at < ?)"""


class ChatStore:
    """Reads and writes lines of chats; each write is on the disk when it returns."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def put(self, game_id: str, line: wire.ChatLine, most: int) -> bool:
        """Add a line to the chat of a game; returns False if it has `most` lines already."""
        row = (line.id, game_id, line.seat, line.kind, line.body, as_text(line.at))

        def work(connection: Connection) -> bool:
            # In the transaction that adds the line, so that lines at once cannot be too many.
            if connection.execute(_COUNT, (game_id, line.id)).fetchone()[0] >= most:
                return False
            connection.execute(_PUT, row)
            return True

        return await self._database.write(work)

    async def lines(self, game_id: str, limit: int) -> list[wire.ChatLine]:
        """The first lines of a game, oldest first."""
        rows = await self._database.read(
            lambda connection: connection.execute(_OF_GAME, (game_id, limit)).fetchall()
        )
        return [_line(row) for row in rows]

    async def mute_of(self, account: str) -> Mute | None:
        """The operator's mute of an account, which may have ended."""
        return await self._database.read(lambda connection: mutes.find(connection, account))

    async def report(self, order: Order) -> None:
        """Write a report into the operator's audit log."""
        await self._database.write(lambda connection: orders.put(connection, order))

    async def forget(self, ended_before: datetime) -> None:
        """Delete the chats of games that ended before that moment."""

        def work(connection: Connection) -> None:
            connection.execute(_FORGET, (as_text(ended_before),))

        await self._database.write(work)


def _line(row: Row) -> wire.ChatLine:
    return wire.ChatLine(
        id=row["id"],
        seat=1 if row["seat"] == 1 else 2,
        kind=row["kind"],
        body=row["body"],
        at=datetime.fromisoformat(row["at"]),
    )
