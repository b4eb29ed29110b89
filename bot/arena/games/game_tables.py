"""The tables of games."""

from typing import Final

from bot.arena.games import game_index
from bot.arena.store.connection import Connection
from bot.arena.store.personal_data import Exported, PersonalData
from bot.arena.store.tables import Dialect, Tables, script_of

# thinking_since: when the player to move started to think, in seconds of the arena's own clock
# (`bot.arena.arena_clock`). A turn inserts one row and changes no other: its row has the
# revision and the time, and the row of the game describes the game as it was after `plies` turns.
# owner: the process that plays the game, of an arena with several; its clock is the one of
# `thinking_since`. epoch: how often the game changed its owner; see `bot.arena.store.fences`.
# takeback_offer, takebacks: the player who asks to take a turn back; how often that was granted.
# abort_offer: the player who offers to end the game without a result.
# clocks: of both players after `plies` turns; NULL if no turn was taken back (they follow from the
# turns then).
SCRIPT: Final = """
CREATE TABLE games (
    id TEXT PRIMARY KEY,
    setup TEXT NOT NULL,
    players TEXT NOT NULL,
    player_1 TEXT NOT NULL REFERENCES accounts (id),
    player_2 TEXT NOT NULL REFERENCES accounts (id),
    running BOOLEAN NOT NULL,
    revision BIGINT NOT NULL,
    plies BIGINT NOT NULL,
    draw_offer BIGINT,
    banked_ms BIGINT NOT NULL,
    thinking_since DOUBLE PRECISION,
    result TEXT,
    created_at TEXT NOT NULL,
    ended_at TEXT,
    record TEXT,
    tournament TEXT,
    place TEXT,
    owner TEXT,
    epoch BIGINT NOT NULL DEFAULT 0,
    takeback_offer BIGINT,
    takebacks BIGINT NOT NULL DEFAULT 0,
    hints BIGINT NOT NULL DEFAULT 0,
    clocks TEXT,
    abort_offer BIGINT
);
CREATE TABLE turns (
    game_id TEXT NOT NULL REFERENCES games (id),
    ply BIGINT NOT NULL,
    played TEXT NOT NULL,
    revision BIGINT,
    thinking_since DOUBLE PRECISION,
    PRIMARY KEY (game_id, ply)
) WITHOUT ROWID;
CREATE INDEX games_running ON games (running) WHERE running;
CREATE INDEX games_ended ON games (ended_at);
CREATE INDEX games_player_1 ON games (player_1, ended_at);
CREATE INDEX games_player_2 ON games (player_2, ended_at);
CREATE TABLE game_index (
    player TEXT NOT NULL,
    ended_at TEXT NOT NULL,
    game_id TEXT NOT NULL REFERENCES games (id),
    opponent TEXT NOT NULL,
    game TEXT NOT NULL,
    board TEXT NOT NULL,
    rules TEXT NOT NULL,
    rated BOOLEAN NOT NULL,
    outcome TEXT NOT NULL,
    PRIMARY KEY (player, ended_at, game_id)
) WITHOUT ROWID;
CREATE INDEX game_index_opponent ON game_index (player, opponent, ended_at);
CREATE INDEX game_index_game ON game_index (player, game, board, ended_at);
"""

_OWNERS_OF_6: Final = """
ALTER TABLE games ADD COLUMN owner TEXT;
ALTER TABLE games ADD COLUMN epoch BIGINT NOT NULL DEFAULT 0;
"""
_TAKEBACKS_OF_7: Final = """
ALTER TABLE games ADD COLUMN takeback_offer BIGINT;
ALTER TABLE games ADD COLUMN takebacks BIGINT NOT NULL DEFAULT 0;
ALTER TABLE games ADD COLUMN hints BIGINT NOT NULL DEFAULT 0;
ALTER TABLE games ADD COLUMN clocks TEXT;
"""
_ABORTS_OF_8: Final = "ALTER TABLE games ADD COLUMN abort_offer BIGINT;"


def _to_7(connection: Connection, dialect: Dialect) -> None:
    """Add takebacks, and the index of finished games."""
    dialect.run(connection, _TAKEBACKS_OF_7 + script_of(SCRIPT, "game_index"))
    game_index.index_all(connection)


TABLES: Final = Tables(
    "games",
    SCRIPT,
    after=("players",),
    steps={
        6: lambda connection, dialect: dialect.run(connection, _OWNERS_OF_6),
        7: _to_7,
        8: lambda connection, dialect: dialect.run(connection, _ABORTS_OF_8),
    },
    at_end=game_index.note_end,
    personal=PersonalData(
        exported=[
            Exported(
                "running_games",
                "id setup players created_at",
                "games WHERE (player_1 = :account OR player_2 = :account) AND running",
            ),
        ]
    ),
)
