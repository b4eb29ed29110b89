"""Profiles of players: their rated games, by game, opponent and board."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from bot import wire
from bot.arena.players.accounts import named, player_in
from bot.arena.ratings.rated_games import RatingStanding
from bot.arena.ratings.rating_store import STANDINGS, standing
from bot.arena.store.connection import Connection, Row
from bot.arena.store.database import Database, as_text
from bot.tournaments.glicko2 import PROVISIONAL

LONGEST_CURVE: Final = 300
"""The most points of a rating curve."""
MOST_OPPONENTS: Final = 100


@dataclass(frozen=True)
class RatedTally:
    """Rated games against an opponent or on a board, counted by their result."""

    games: int
    won: int
    drawn: int
    lost: int


@dataclass(frozen=True)
class GameProfile:
    """An account's rated games of one game.

    `rank` is the place on the leaderboard, None without one. `curve` has the moments of the ends of
    games and the ratings after them, thinned to `LONGEST_CURVE`; `best` is the highest rating of an
    established player, with the id of the game that led to it.
    """

    game: str
    standing: RatingStanding
    rank: int | None
    all: RatedTally
    curve: list[tuple[str, float]]
    best: tuple[float, str, str] | None
    opponents: list[tuple[wire.Player, RatedTally]]
    boards: list[tuple[str, RatedTally]]


@dataclass(frozen=True)
class Profile:
    """What everybody may know about an account. `games` counts all its finished games."""

    player: wire.Player
    since: datetime
    games: int
    ratings: list[GameProfile]


class Profiles:
    """Reads profiles from the database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def find(self, name: str, now: datetime) -> Profile:
        """The profile of the account of that name, ignoring case.

        Raises Refused if the name is unknown.
        """
        return await self._database.read(lambda connection: _profile(connection, name, now))


def _profile(connection: Connection, name: str, now: datetime) -> Profile:
    player = named(connection, name)
    since = connection.execute(_SINCE, (player.id,)).fetchone()["created_at"]
    games = connection.execute(_GAMES_OF, {"player": player.id}).fetchone()[0]
    rows = connection.execute(STANDINGS.format(accounts="?"), (player.id,)).fetchall()
    ratings = [_game_profile(connection, player, row, now) for row in rows]
    ratings.sort(key=lambda each: (-each.all.games, each.game))
    return Profile(player, datetime.fromisoformat(since), games, ratings)


def _game_profile(
    connection: Connection, player: wire.Player, row: Row, now: datetime
) -> GameProfile:
    values = {
        "account": player.id,
        "game": row["game"],
        "last": row["games"],
        "step": -(-row["games"] // LONGEST_CURVE),
        "now": as_text(now),
        "rating": row["rating"],
        "most": MOST_OPPONENTS,
        "provisional": PROVISIONAL,
    }

    def found(statement: str) -> list[Row]:
        return connection.execute(statement, values).fetchall()

    best, boards = found(_BEST), [(each["board"], _tally(each)) for each in found(_BY_BOARD)]
    until = row["established_until"]
    is_placed = until is not None and until > as_text(now)
    return GameProfile(
        game=row["game"],
        standing=standing(row),
        rank=1 + int(found(_ABOVE)[0][0]) if is_placed else None,
        all=_sum(tally for _, tally in boards),
        curve=[(each["ended_at"], each["rating"]) for each in found(_CURVE)],
        best=(best[0]["rating"], best[0]["ended_at"], best[0]["game_id"]) if best else None,
        opponents=[(player_in(each), _tally(each)) for each in found(_BY_OPPONENT)],
        boards=boards,
    )


def _tally(row: Row) -> RatedTally:
    return RatedTally(row["played"], row["won"], row["drawn"], row["lost"])


def _sum(tallies: Iterable[RatedTally]) -> RatedTally:
    played = won = drawn = lost = 0
    for each in tallies:
        played, won = played + each.games, won + each.won
        drawn, lost = drawn + each.drawn, lost + each.lost
    return RatedTally(played, won, drawn, lost)


_SINCE: Final = "SELECT created_at FROM accounts WHERE id = ?"
_GAMES_OF: Final = """
SELECT (SELECT count(*) FROM games WHERE player_1 = :player AND ended_at IS NOT NULL)
    + (SELECT count(*) FROM games WHERE player_2 = :player AND ended_at IS NOT NULL)"""
_MINE: Final = "rating_changes.account = :account AND rating_changes.game = :game"
_COUNTS: Final = """
    count(*) AS played,
    sum(CASE WHEN score = 1 THEN 1 ELSE 0 END) AS won,
    sum(CASE WHEN score = 0.5 THEN 1 ELSE 0 END) AS drawn,
    sum(CASE WHEN score = 0 THEN 1 ELSE 0 END) AS lost"""
_BY_BOARD: Final = f"""
SELECT board, {_COUNTS} FROM rating_changes WHERE {_MINE}
GROUP BY board ORDER BY played DESC, board"""  # noqa: S608 - constants
_BY_OPPONENT: Final = f"""
SELECT accounts.*, played, won, drawn, lost FROM (
    SELECT opponent, {_COUNTS} FROM rating_changes WHERE {_MINE}
    GROUP BY opponent ORDER BY played DESC, opponent LIMIT :most
) AS counts JOIN accounts ON accounts.id = opponent ORDER BY played DESC, opponent"""  # noqa: S608
_CURVE: Final = f"""
SELECT ended_at, rating FROM rating_changes
WHERE {_MINE} AND ((:last - number) % :step = 0 OR number = 1) ORDER BY number"""  # noqa: S608
_BEST: Final = f"""
SELECT rating, ended_at, game_id FROM rating_changes
WHERE {_MINE} AND deviation <= :provisional ORDER BY rating DESC, number LIMIT 1"""  # noqa: S608
_ABOVE: Final = """
SELECT count(*) FROM ratings JOIN accounts ON accounts.id = account
WHERE game = :game AND established_until > :now AND (kind = 'bot' OR registered_at IS NOT NULL)
AND (rating > :rating OR (rating = :rating AND account < :account))"""
