"""The tables of analyses."""

from typing import Final

from bot.arena.store.connection import Connection
from bot.arena.store.tables import Tables

# game_analyses: a `wire.GameAnalysis` that is complete. analysts: bots that may make them.
SCRIPT: Final = """
CREATE TABLE game_analyses (
    game_id TEXT PRIMARY KEY REFERENCES games (id),
    analysis TEXT NOT NULL,
    made_at TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE analysts (
    account TEXT PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
    since TEXT NOT NULL
) WITHOUT ROWID;
"""

_ADMIT: Final = (
    "INSERT INTO analysts (account, since) VALUES (?, ?) ON CONFLICT (account) DO NOTHING"
)


def admit_analyst(connection: Connection, account: str, since: str) -> None:
    """Let an account take analysis jobs."""
    connection.execute(_ADMIT, (account, since))


TABLES: Final = Tables(
    "analysis",
    SCRIPT,
    after=("games",),
    roles={"analyst": admit_analyst},
)
