"""Ratings in the database: folded by the process that has the hall, read by every process."""

from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final, Literal

from bot import wire
from bot.arena.players.accounts import player_in
from bot.arena.ratings import rating_fold
from bot.arena.ratings.rated_games import RatingStanding
from bot.arena.ratings.rating_fold import Change, Folded, RatingTables, standing_in
from bot.arena.settings import Place
from bot.arena.store import fences
from bot.arena.store.connection import Connection, Hold, Row
from bot.arena.store.database import OPEN_S, Database, as_text
from bot.arena.store.opening import open_database

Who = Literal["bot", "person"]


@dataclass(frozen=True)
class Leaders:
    """Some places of a leaderboard, the best first; `total` is the number of places in all."""

    players: list[tuple[wire.Player, RatingStanding]]
    total: int


class RatingStore:
    """Reads and folds ratings.

    With a `duty`, the owner and the epoch of the hall, a fold raises Replaced unless the hall is
    theirs.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self.duty: tuple[str, int] | None = None

    async def fold(self) -> Folded:
        """Rate games that are due; see `rating_fold.fold`."""
        duty, before = self.duty, Folded(0, 0, frozenset(), has_more=False)

        def work(connection: Connection) -> Folded:
            nonlocal before  # the work may be repeated after a commit whose answer was lost
            if duty is not None:
                fences.hold_hall(connection, duty)
            done = rating_fold.fold(connection)
            before = Folded(
                max(done.games, before.games),
                max(done.again, before.again),
                done.accounts | before.accounts,
                done.has_more,
            )
            return before

        return await self._database.write_fenced(work, "the hall")

    async def standings(self, accounts: Collection[str]) -> dict[str, dict[str, RatingStanding]]:
        """The standings of these accounts by game; those without a rated game have none."""
        found: dict[str, dict[str, RatingStanding]] = {each: {} for each in accounts}
        if not accounts:
            return found
        marks = ", ".join("?" * len(accounts))
        rows = await self._database.read(
            lambda connection: connection.execute(
                STANDINGS.format(accounts=marks), list(accounts)
            ).fetchall()
        )
        for row in rows:
            found[row["account"]][row["game"]] = standing(row)
        return found

    async def changes(self, game_id: str) -> list[Change]:
        """What a finished game did to the ratings of its players; empty if it is not rated yet."""
        rows = await self._database.read(
            lambda connection: connection.execute(_CHANGES, (game_id,)).fetchall()
        )
        return [Change(*row) for row in rows]

    async def leaders(
        self, game: str, now: datetime, limit: int, start: int = 0, who: Who | None = None
    ) -> Leaders:
        """The players of a game with established ratings, the best first, from place `start`."""
        values = {
            "game": game,
            "now": as_text(now),
            "limit": limit,
            "start": start,
            "who": who or "all",
        }

        def query(connection: Connection) -> Leaders:
            rows = connection.execute(_LEADERS, values).fetchall()
            total = connection.execute(_LEADERS_COUNT, values).fetchone()[0]
            return Leaders([(player_in(row), standing(row)) for row in rows], total)

        return await self._database.read(query)

    async def opponents_of(self, account: str) -> int:
        """How many opponents an account has had in rated games."""
        row = await self._database.read(
            lambda connection: connection.execute(_OPPONENTS, (account,)).fetchone()
        )
        return int(row[0])

    async def games_of_pair(self, account: str, opponent: str, since: datetime) -> set[str]:
        """The ids of the rated games of two players that have ended since that moment."""
        values = {"account": account, "opponent": opponent, "since": as_text(since)}

        def query(connection: Connection) -> set[str]:
            rated = connection.execute(_OF_PAIR, values).fetchall()
            return {row["id"] for row in (*rated, *connection.execute(_DUE_OF_PAIR, values))}

        return await self._database.read(query)

    # ---- the operator's command --------------------------------------------------------------

    async def stored(self) -> RatingTables:
        """The tables as they are."""
        return await self._database.read(rating_fold.stored)

    async def compare(self) -> tuple[RatingTables, RatingTables]:
        """The tables as they are, and as the finished games give them."""
        return await self._database.read(
            lambda connection: (rating_fold.stored(connection), rating_fold.recomputed(connection))
        )

    async def rebuild(self) -> RatingTables:
        """Replace the tables by what the finished games give."""
        return await self._database.write(rating_fold.rebuild)


@asynccontextmanager
async def ratings_in(where: Path | Place) -> AsyncIterator[RatingStore]:
    """The ratings at a place, also while an arena runs on it. Raises HostError as `accounts_in`."""
    async with open_database(where, OPEN_S, Hold.NONE) as database:
        yield RatingStore(database)


def standing(row: Row) -> RatingStanding:
    """The standing of a row of `ratings`."""
    return standing_in(
        row["games"], row["rated_at"], row["rating"], row["deviation"], row["volatility"]
    )


STANDINGS: Final = "SELECT * FROM ratings WHERE account IN ({accounts})"
_CHANGES: Final = """
SELECT game_id, account, opponent, game, board, score, ended_at, number, before, rating,
    deviation, volatility
FROM rating_changes WHERE game_id = ?"""
_OPPONENTS: Final = "SELECT count(DISTINCT opponent) FROM rating_changes WHERE account = ?"
_OF_PAIR: Final = """
SELECT game_id AS id FROM rating_changes
WHERE account = :account AND opponent = :opponent AND ended_at > :since"""
# Games that have ended and are not rated yet: few.
_DUE_OF_PAIR: Final = """
SELECT id FROM ratings_due JOIN games ON id = game_id
WHERE ended_at > :since AND (
    (player_1 = :account AND player_2 = :opponent)
    OR (player_1 = :opponent AND player_2 = :account))"""
# An account without a key or a token any more may have been deleted: its games stay.
_PLACED: Final = """
FROM ratings JOIN accounts ON accounts.id = account
WHERE game = :game AND established_until > :now AND (:who = 'all' OR kind = :who)
AND (kind = 'bot' OR registered_at IS NOT NULL)"""
_LEADERS: Final = f"""
SELECT accounts.*, ratings.* {_PLACED}
ORDER BY rating DESC, account LIMIT :limit OFFSET :start"""
_LEADERS_COUNT: Final = f"SELECT count(*) {_PLACED}"
