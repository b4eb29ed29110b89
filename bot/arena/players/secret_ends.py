"""When the tokens of bots and the sessions of people end, and how long ended ones are kept.

One that has ended stays in its table for `KEPT`, because a connection that was opened with it may
still have to be closed.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Final

from bot.arena.store.connection import Connection
from bot.arena.store.database import Database, as_text

KEPT: Final = timedelta(days=30)

_ENDS: Final = """
SELECT id, ends_at FROM tokens WHERE ends_at IS NOT NULL
UNION ALL SELECT id, ends_at FROM sessions WHERE ends_at IS NOT NULL"""
_FORGET: Final = (
    "DELETE FROM tokens WHERE ends_at < ?",
    "DELETE FROM sessions WHERE ends_at < ?",
)


async def ends(database: Database) -> Mapping[str, datetime]:
    """When tokens and sessions end or have ended, by id."""
    rows = await database.read(lambda connection: connection.execute(_ENDS).fetchall())
    return {row["id"]: datetime.fromisoformat(row["ends_at"]) for row in rows}


async def forget_ended(database: Database, now: datetime) -> None:
    """Delete tokens and sessions that ended long ago."""
    before = (as_text(now - KEPT),)

    def work(connection: Connection) -> None:
        for statement in _FORGET:
            connection.execute(statement, before)

    await database.write(work)
