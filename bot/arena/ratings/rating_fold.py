"""Folds finished rated games into the tables of ratings, in the order of their ends.

Problem. The ratings must be a function of the finished games (and of `starting_ratings`, which
never change), so that an operator can compute them again and compare. But games end in several
processes, a commit may wait for a slow disk, and clocks of machines differ: the games do not arrive
in the order of their ends.

Idea. The order is `(ended_at, id)`, whatever order they arrive in. The transaction that stores the
end of a rated game also puts it into `ratings_due`, so that a crash loses none. A fold takes due
games in that order. If a due game ended before games that are rated already, the changes of these
later games (of the same rules) are taken back first: they become due again, and each account gets
the rating of its last remaining change. So after each fold the tables are what a fold of all games
in order gives, to the last bit.

A fold may run again after a commit whose answer was lost: it then finds nothing due.

Rejected:

- Waiting some seconds for late games: no wait is long enough for a stopped process.
- Rating within the transaction that ends the game: an error in ratings would keep games from
  ending, and two ends in two processes would conflict.
"""

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import astuple, dataclass, field
from datetime import datetime
from typing import Any, Final

import structlog

from bot import wire
from bot.arena.games.game_rows import PLAYERS
from bot.arena.players import starting_ratings
from bot.arena.ratings.rated_games import NEW, RatedGame, RatingStanding, after_game, rated_game
from bot.arena.ratings.rating_tables import DUE_NOW
from bot.arena.store.connection import Connection, Row
from bot.arena.store.database import as_text
from bot.tournaments.glicko2 import Rating

AT_ONCE: Final = 200
"""The most games that one transaction rates."""

log = structlog.get_logger()


@dataclass(frozen=True)
class Change:
    """What a game did to the rating of one of its players: a row of `rating_changes`."""

    game_id: str
    account: str
    opponent: str
    game: str
    board: str
    score: float
    ended_at: str
    number: int
    before: float
    rating: float
    deviation: float
    volatility: float

    @property
    def standing(self) -> RatingStanding:
        """The standing after the game."""
        return standing_in(self.number, self.ended_at, self.rating, self.deviation, self.volatility)


def standing_in(
    games: int, rated_at: str, rating: float, deviation: float, volatility: float
) -> RatingStanding:
    """The standing of a row."""
    moment = datetime.fromisoformat(rated_at)
    return RatingStanding(Rating(rating, deviation, volatility), games, moment)


Load = Callable[[str, str], RatingStanding]
"""The standing of an account in a game before the fold."""


@dataclass
class Book:
    """Standings by account and game, and the changes that games make to them."""

    load: Load
    standings: dict[tuple[str, str], RatingStanding] = field(default_factory=dict)

    def rate(self, game: RatedGame) -> list[Change]:
        """Rate a game; returns the changes of seat 1 and seat 2."""
        before = [self._standing(account, game.game) for account in game.accounts]
        after = after_game(before[0], before[1], game)
        changes = []
        for seat, account in enumerate(game.accounts):
            self.standings[account, game.game] = after[seat]
            score = game.score if seat == 0 else 1 - game.score
            changes.append(_change(game, seat, score, before[seat], after[seat]))
        return changes

    def _standing(self, account: str, game: str) -> RatingStanding:
        key = (account, game)
        if key not in self.standings:
            self.standings[key] = self.load(account, game)
        return self.standings[key]

    def rows(self) -> list[tuple[object, ...]]:
        """The rows of `ratings` for these standings, ordered."""
        return [_rating_row(*key, standing) for key, standing in sorted(self.standings.items())]


def _change(
    game: RatedGame, seat: int, score: float, before: RatingStanding, after: RatingStanding
) -> Change:
    return Change(
        game_id=game.game_id,
        account=game.accounts[seat],
        opponent=game.accounts[1 - seat],
        game=game.game,
        board=game.board,
        score=score,
        ended_at=as_text(game.ended_at),
        number=after.games,
        before=before.rating.rating,
        rating=after.rating.rating,
        deviation=after.rating.deviation,
        volatility=after.rating.volatility,
    )


def _rating_row(account: str, game: str, standing: RatingStanding) -> tuple[object, ...]:
    assert standing.rated_at is not None
    until, rating = standing.established_until, standing.rating
    return (
        account,
        game,
        rating.rating,
        rating.deviation,
        rating.volatility,
        standing.games,
        as_text(standing.rated_at),
        until and as_text(until),
    )


def counted(row: Row) -> RatedGame | None:
    """The rated game of a row of `games`; None if it does not count, or if the row is damaged."""
    try:
        return rated_game(
            row["id"],
            wire.GameSetup.model_validate_json(row["setup"]),
            PLAYERS.validate_json(row["players"]),
            wire.Result.model_validate_json(row["result"]),
            datetime.fromisoformat(row["ended_at"]),
        )
    except (ValueError, TypeError) as error:  # a ValidationError too
        log.error("rated_game_damaged", game=row["id"], why=str(error))  # noqa: TRY400
        return None


# ---- one fold ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Folded:
    """A fold: the games that it rated, those of them rated again, and the accounts concerned."""

    games: int
    again: int
    accounts: frozenset[str]
    has_more: bool


def fold(connection: Connection, most: int = AT_ONCE) -> Folded:
    """Rate at most `most` of the games that are due, within the transaction that is open."""
    connection.execute(_FORGET_RATED)
    again, concerned = _take_back(connection, _due(connection, most))
    due = _due(connection, most)
    book = Book(lambda account, game: _stored(connection, account, game))
    games = [game for row in due if (game := counted(row)) is not None]
    changes = [change for game in games for change in book.rate(game)]
    connection.executemany(_ADD_CHANGE, [astuple(change) for change in changes])
    connection.executemany(_PUT_RATING, book.rows())
    connection.executemany(_NOT_DUE, [(row["id"],) for row in due])
    concerned |= {change.account for change in changes}
    return Folded(len(games), again, frozenset(concerned), len(due) == most)


def _due(connection: Connection, most: int) -> list[Row]:
    return connection.execute(_DUE, (most,)).fetchall()


def _take_back(connection: Connection, due: Iterable[Row]) -> tuple[int, set[str]]:
    """Take back the changes of games that ended after one that is due.

    Returns the number of games that are due again, and the accounts concerned.
    """
    first: dict[str, RatedGame] = {}
    for row in due:
        if (game := counted(row)) is not None:
            first.setdefault(game.game, game)
    again, accounts = 0, set[str]()
    for game in first.values():
        after = (game.game, as_text(game.ended_at), game.game_id)
        later = connection.execute(_LATER, after).fetchall()
        if not later:
            continue
        games = {row["game_id"] for row in later}
        connection.executemany(_MAKE_DUE, [(each,) for each in sorted(games)])
        connection.execute(_REMOVE_LATER, after)
        for account in sorted({row["account"] for row in later}):
            _restore(connection, account, game.game)
            accounts.add(account)
        again += len(games)
        log.warning("ratings_taken_back", game=game.game_id, rules=game.game, games=len(games))
    return again, accounts


def _restore(connection: Connection, account: str, game: str) -> None:
    """Let the rating of an account be that after its last change."""
    row = connection.execute(_LAST_CHANGE, (account, game)).fetchone()
    if row is None:
        connection.execute(_REMOVE_RATING, (account, game))
    else:
        connection.execute(_PUT_RATING, _rating_row(account, game, Change(*row).standing))


def _stored(connection: Connection, account: str, game: str) -> RatingStanding:
    row = connection.execute(_LAST_CHANGE, (account, game)).fetchone()
    return _before(connection, account, game) if row is None else Change(*row).standing


def _before(connection: Connection, account: str, game: str) -> RatingStanding:
    """The standing of an account before its first rated game of these rules."""
    start = starting_ratings.find(connection, account, game)
    return NEW if start is None else RatingStanding(start)


# ---- all games at once -------------------------------------------------------------------------


@dataclass(frozen=True)
class RatingTables:
    """The content of both tables, ordered by their keys."""

    ratings: list[tuple[Any, ...]]
    changes: list[tuple[Any, ...]]

    def digest(self) -> str:
        """A digest of all values. Numbers are written so that they can be read back exactly."""
        found = hashlib.sha256()
        for row in (*self.ratings, *self.changes):
            found.update(repr(row).encode() + b"\n")
        return found.hexdigest()


def stored(connection: Connection) -> RatingTables:
    """The tables as they are."""
    ratings = connection.execute(_ALL_RATINGS).fetchall()
    changes = connection.execute(_ALL_CHANGES).fetchall()
    return RatingTables([tuple(row) for row in ratings], [tuple(row) for row in changes])


def recomputed(connection: Connection, *, with_due: bool = False) -> RatingTables:
    """The tables as the finished games give them; without those that are due, unless `with_due`."""
    book = Book(lambda account, game: _before(connection, account, game))
    changes = list[Change]()
    for row in connection.execute(_GAMES if with_due else _GAMES_RATED):
        if (game := counted(row)) is not None:
            changes += book.rate(game)
    changes.sort(key=lambda change: (change.game_id, change.account))
    return RatingTables(book.rows(), [astuple(change) for change in changes])


def rebuild(connection: Connection) -> RatingTables:
    """Replace the tables by what the finished games give; then no game is due."""
    tables = recomputed(connection, with_due=True)
    for statement in _REMOVE_ALL:
        connection.execute(statement)
    connection.executemany(_ADD_CHANGE, tables.changes)
    connection.executemany(_PUT_RATING, tables.ratings)
    return tables


# ---- statements --------------------------------------------------------------------------------

_FIELDS: Final = (
    "game_id, account, opponent, game, board, score, ended_at, number, before, rating, deviation, "
    "volatility"
)
_RATING_FIELDS: Final = (
    "account, game, rating, deviation, volatility, games, rated_at, established_until"
)
_FORGET_RATED: Final = """
DELETE FROM ratings_due
WHERE EXISTS (SELECT 1 FROM rating_changes WHERE game_id = ratings_due.game_id)"""
_DUE: Final = """
SELECT id, setup, players, result, ended_at FROM ratings_due JOIN games ON id = game_id
WHERE NOT running ORDER BY ended_at, id LIMIT ?"""
_NOT_DUE: Final = "DELETE FROM ratings_due WHERE game_id = ?"
_MAKE_DUE: Final = DUE_NOW
_IS_LATER: Final = "WHERE game = ? AND (ended_at, game_id) > (?, ?)"
_LATER: Final = f"SELECT game_id, account FROM rating_changes {_IS_LATER}"  # noqa: S608
_REMOVE_LATER: Final = f"DELETE FROM rating_changes {_IS_LATER}"  # noqa: S608
_LAST_CHANGE: Final = f"""
SELECT {_FIELDS} FROM rating_changes
WHERE account = ? AND game = ? ORDER BY number DESC LIMIT 1"""  # noqa: S608
_ADD_CHANGE: Final = f"""
INSERT INTO rating_changes ({_FIELDS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""  # noqa: S608
_PUT_RATING: Final = f"""
INSERT INTO ratings ({_RATING_FIELDS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (account, game) DO UPDATE SET rating = excluded.rating,
    deviation = excluded.deviation, volatility = excluded.volatility, games = excluded.games,
    rated_at = excluded.rated_at, established_until = excluded.established_until"""  # noqa: S608
_REMOVE_RATING: Final = "DELETE FROM ratings WHERE account = ? AND game = ?"
_ALL_RATINGS: Final = f"SELECT {_RATING_FIELDS} FROM ratings ORDER BY account, game"  # noqa: S608
_ALL_CHANGES: Final = f"""
SELECT {_FIELDS} FROM rating_changes ORDER BY game_id, account"""  # noqa: S608
_FINISHED: Final = """
SELECT id, setup, players, result, ended_at FROM games
WHERE NOT running AND setup LIKE '%"rated":true%'"""
_GAMES: Final = f"{_FINISHED} ORDER BY ended_at, id"
_GAMES_RATED: Final = f"""{_FINISHED}
AND NOT EXISTS (SELECT 1 FROM ratings_due WHERE game_id = games.id)
ORDER BY ended_at, id"""  # noqa: S608 - constants
_REMOVE_ALL: Final = (
    "DELETE FROM rating_changes",
    "DELETE FROM ratings",
    "DELETE FROM ratings_due",
)
