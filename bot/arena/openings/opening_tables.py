"""The tables of the opening book."""

from typing import Final

from bot.arena.games.game_index import ABORTED, EVERYBODY
from bot.arena.store.connection import Connection
from bot.arena.store.tables import EndedGame, Tables

# openings has a row for each turn that was played in a position up to symmetry
# (`bot.records.symmetry`); latest: the end and the id of the latest game with this turn, with a
# blank between them. openings_due: the finished games that are not counted there yet.
SCRIPT: Final = """
CREATE TABLE openings (
    position TEXT NOT NULL,
    turn TEXT NOT NULL,
    rated BOOLEAN NOT NULL,
    wins_1 BIGINT NOT NULL,
    wins_2 BIGINT NOT NULL,
    draws BIGINT NOT NULL,
    latest TEXT NOT NULL,
    PRIMARY KEY (position, turn, rated)
) WITHOUT ROWID;
CREATE TABLE openings_due (game_id TEXT PRIMARY KEY REFERENCES games (id)) WITHOUT ROWID;
"""

_ALL_DUE: Final = """
INSERT INTO openings_due (game_id)
SELECT game_id FROM game_index WHERE player = ? AND outcome <> ?"""
# A repeated end finds a game that does not run, so that the game is not counted twice.
_DUE_IF_RUNNING: Final = """
INSERT INTO openings_due (game_id) SELECT id FROM games WHERE id = ? AND running
ON CONFLICT (game_id) DO NOTHING"""


def note_end(connection: Connection, game: EndedGame) -> None:
    """Have a game that ends counted, unless it was aborted."""
    if game.result.reason != ABORTED:
        connection.execute(_DUE_IF_RUNNING, (game.game_id,))


def make_all_due(connection: Connection) -> None:
    """Have all finished games counted."""
    connection.execute(_ALL_DUE, (EVERYBODY, ABORTED))


TABLES: Final = Tables(
    "openings",
    SCRIPT,
    after=("games",),
    at_end=note_end,
    fill=make_all_due,
)
