"""Searches in finished games, and their records for downloads."""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, fields
from datetime import datetime
from functools import partial
from typing import Final

from bot.arena.games.game_index import EVERYBODY
from bot.arena.games.game_store import SummaryPage, summary_page
from bot.arena.players.names import skeleton
from bot.arena.store.connection import Connection, Row
from bot.arena.store.database import Database, as_text

RECORDS_AT_ONCE: Final = 20
LATEST: Final = "9999"

_ACCOUNT: Final = """
SELECT id FROM accounts WHERE id = ? UNION ALL SELECT id FROM accounts WHERE skeleton = ?"""
_FOUND: Final = """
SELECT game_id, ended_at FROM game_index
WHERE player = :player AND {conditions} ORDER BY ended_at DESC, game_id DESC LIMIT :limit"""
_SUMMARIES: Final = """
SELECT id, setup, players, plies, result, created_at, games.ended_at, place
FROM ({found}) AS found JOIN games ON games.id = found.game_id
ORDER BY found.ended_at DESC, found.game_id DESC"""
_RECORDS: Final = """
SELECT found.ended_at AS ended_at, found.game_id AS game_id, record
FROM ({found}) AS found JOIN games ON games.id = found.game_id
ORDER BY found.ended_at DESC, found.game_id DESC"""
_BEFORE: Final = "ended_at < :before"
_AFTER_CURSOR: Final = "(ended_at < :before OR (ended_at = :before AND game_id < :before_id))"


@dataclass(frozen=True)
class Search:
    """What finished games are searched for; None leaves a part open.

    `player` and `opponent` are ids of accounts. `outcome` is won, lost, drawn or aborted for the
    player; without a player it is first, second, drawn or aborted. Games ended in the time from
    `since` up to, but not including, `until`.
    """

    player: str | None = None
    opponent: str | None = None
    game: str | None = None
    board: str | None = None
    rules: str | None = None
    outcome: str | None = None
    rated: bool | None = None
    since: datetime | None = None
    until: datetime | None = None

    def conditions(self) -> list[str]:
        """The conditions in SQL, besides the one of the player."""
        equal = ("opponent", "game", "board", "rules", "outcome", "rated")
        found = [f"{name} = :{name}" for name in equal if getattr(self, name) is not None]
        return found + (["ended_at >= :since"] if self.since is not None else [])

    def latest(self, before: datetime | None = None) -> str:
        """The moment before which the games ended, as a text: one bound of the index."""
        moments = [as_text(at) for at in (before, self.until) if at is not None]
        return min(moments, default=LATEST)

    def values(self) -> dict[str, object]:
        """The values of the conditions."""
        given = {each.name: getattr(self, each.name) for each in fields(self)}
        moments = {name: as_text(at) for name, at in given.items() if isinstance(at, datetime)}
        return {**given, **moments, "player": self.player or EVERYBODY}


class GameSearch:
    """Finds finished games in the database, whichever process played them."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def player_id(self, text: str) -> str | None:
        """The id of the account with that id or that name; None if both are unknown."""

        def query(connection: Connection) -> str | None:
            row = connection.execute(_ACCOUNT, (text, skeleton(text))).fetchone()
            return None if row is None else str(row["id"])

        return await self._database.read(query)

    async def page(self, search: Search, before: datetime | None, limit: int) -> SummaryPage:
        """The games that the search finds and that ended before that moment, the last one first."""
        values = {
            **search.values(),
            "before": search.latest(before),
            "limit": limit + 1,
        }
        statement = _statement(_SUMMARIES, search, _BEFORE)
        rows = await self._database.read(partial(_all_rows, statement=statement, values=values))
        return summary_page(rows, limit)

    async def records(self, search: Search) -> AsyncIterator[list[str]]:
        """The records of all games that the search finds, as JSON, the last game first.

        Yields many at a time.
        """
        statement = _statement(_RECORDS, search, _AFTER_CURSOR)
        before, before_id = search.latest(), ""
        while True:
            values = {
                **search.values(),
                "before": before,
                "before_id": before_id,
                "limit": RECORDS_AT_ONCE,
            }
            rows = await self._database.read(partial(_all_rows, statement=statement, values=values))
            yield [row["record"] for row in rows if row["record"] is not None]
            if len(rows) < RECORDS_AT_ONCE:
                return
            before, before_id = rows[-1]["ended_at"], rows[-1]["game_id"]


def _all_rows(connection: Connection, statement: str, values: Mapping[str, object]) -> list[Row]:
    return connection.execute(statement, values).fetchall()


def _statement(template: str, search: Search, cursor: str) -> str:
    conditions = " AND ".join([cursor, *search.conditions()])
    return template.format(found=_FOUND.format(conditions=conditions))
