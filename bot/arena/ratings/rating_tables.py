"""The tables of ratings."""

from typing import Final

from bot.arena.store.connection import Connection
from bot.arena.store.personal_data import Exported, PersonalData
from bot.arena.store.tables import EndedGame, Tables

# ratings_due: rated games that have ended and are not in the other two tables yet. rating_changes:
# what a game did to the rating of each of its players; `number` counts the rated games of the
# account in that game, `before` is the rating before this one. ratings: the last change of each
# account. established_until: when the rating becomes provisional if no game follows; NULL if it is
# provisional already.
SCRIPT: Final = """
CREATE TABLE ratings_due (
    game_id TEXT PRIMARY KEY REFERENCES games (id)
) WITHOUT ROWID;
CREATE TABLE ratings (
    account TEXT NOT NULL REFERENCES accounts (id),
    game TEXT NOT NULL,
    rating DOUBLE PRECISION NOT NULL,
    deviation DOUBLE PRECISION NOT NULL,
    volatility DOUBLE PRECISION NOT NULL,
    games BIGINT NOT NULL,
    rated_at TEXT NOT NULL,
    established_until TEXT,
    PRIMARY KEY (account, game)
) WITHOUT ROWID;
CREATE INDEX ratings_best ON ratings (game, rating);
CREATE TABLE rating_changes (
    game_id TEXT NOT NULL REFERENCES games (id),
    account TEXT NOT NULL REFERENCES accounts (id),
    opponent TEXT NOT NULL REFERENCES accounts (id),
    game TEXT NOT NULL,
    board TEXT NOT NULL,
    score DOUBLE PRECISION NOT NULL,
    ended_at TEXT NOT NULL,
    number BIGINT NOT NULL,
    before DOUBLE PRECISION NOT NULL,
    rating DOUBLE PRECISION NOT NULL,
    deviation DOUBLE PRECISION NOT NULL,
    volatility DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (game_id, account)
) WITHOUT ROWID;
CREATE INDEX rating_changes_account ON rating_changes (account, game, number);
CREATE INDEX rating_changes_order ON rating_changes (game, ended_at, game_id);
"""

DUE_NOW: Final = "INSERT INTO ratings_due (game_id) VALUES (?) ON CONFLICT (game_id) DO NOTHING"
"""Makes a game due, in the transaction that stores its end."""
_ALL_DUE: Final = """
INSERT INTO ratings_due (game_id)
SELECT id FROM games WHERE NOT running AND setup LIKE '%"rated":true%'"""


def note_end(connection: Connection, game: EndedGame) -> None:
    """Let a rated game that ends be rated (`bot.arena.ratings.rating_fold`)."""
    if game.setup.rated:
        connection.execute(DUE_NOW, (game.game_id,))


def make_all_due(connection: Connection) -> None:
    """Let the rated games so far be rated."""
    connection.execute(_ALL_DUE)


TABLES: Final = Tables(
    "ratings",
    SCRIPT,
    after=("games",),
    at_end=note_end,
    fill=make_all_due,
    personal=PersonalData(
        exported=[
            Exported(
                "ratings",
                "game rating deviation games rated_at",
                "ratings WHERE account = :account",
            ),
            Exported(
                "rating_changes",
                "game_id game board score ended_at before rating",
                "rating_changes WHERE account = :account ORDER BY ended_at, game_id",
            ),
        ]
    ),
)
