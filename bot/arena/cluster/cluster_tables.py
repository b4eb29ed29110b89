"""The tables of an arena with several processes."""

from typing import Final

from bot.arena.store.tables import Tables

# processes: those of the arena. lease_until: in seconds since 1970 of the clock of the database.
# clock_s: the own arena clock of the process at its last renewal. duties: what only one process
# does, and which one; epoch: how often that changed. presence: who is connected to which process;
# player: a `wire.Player`.
SCRIPT: Final = """
CREATE TABLE processes (
    id TEXT PRIMARY KEY,
    address TEXT,
    pid BIGINT,
    version TEXT,
    lease_until DOUBLE PRECISION NOT NULL,
    clock_s DOUBLE PRECISION NOT NULL,
    presence_revision BIGINT NOT NULL,
    started_at TEXT,
    ended BOOLEAN NOT NULL
) WITHOUT ROWID;
CREATE TABLE duties (
    name TEXT PRIMARY KEY,
    owner TEXT,
    epoch BIGINT NOT NULL
) WITHOUT ROWID;
CREATE TABLE presence (
    process TEXT NOT NULL REFERENCES processes (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    player TEXT NOT NULL,
    PRIMARY KEY (process, name)
) WITHOUT ROWID;
"""

TABLES: Final = Tables(
    "cluster",
    SCRIPT,
    after=("store",),
)
