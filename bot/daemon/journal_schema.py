"""The tables of the journal's file, and how a file of an earlier version gets them."""

import sqlite3
from typing import Final

from bot.runtime.database import refuse_later, version_of

VERSION: Final = 4
"""Kept in the file as `user_version`; the first version left 0 there."""

_GAMES: Final = """
CREATE TABLE IF NOT EXISTS games (
    platform TEXT NOT NULL,
    game TEXT NOT NULL,
    records_bytes INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (platform, game)
) WITHOUT ROWID
"""
_WORK: Final = """
CREATE TABLE IF NOT EXISTS work (
    platform TEXT NOT NULL,
    game TEXT NOT NULL,
    ply INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (
        state IN ('accepted', 'thinking', 'submitted', 'confirmed', 'given_up')
    ),
    since REAL NOT NULL,
    turn TEXT,
    info TEXT,
    refused TEXT NOT NULL DEFAULT '[]',
    reason TEXT,
    position TEXT,
    PRIMARY KEY (platform, game, ply)
) WITHOUT ROWID
"""
_FROM_VERSION_1: Final = """
INSERT INTO work (platform, game, ply, state, since, turn, info)
SELECT platform, game, ply,
    CASE state WHEN 'chosen' THEN 'submitted' WHEN 'done' THEN 'confirmed' ELSE state END,
    CAST(strftime('%s', 'now') AS REAL), turn, info
FROM work_1
"""


def set_up(database: sqlite3.Connection) -> None:
    """Within a transaction: make the tables, or bring them up to date.

    Raises sqlite3.Error, also for a file of a later version.
    """
    refuse_later(database, VERSION)
    version = version_of(database)
    is_of_version_1 = version == 0 and _has_work(database)
    if is_of_version_1:
        database.execute("ALTER TABLE work RENAME TO work_1")
    if version == 2:
        database.execute("ALTER TABLE work ADD COLUMN position TEXT")
    if is_of_version_1 or version in (2, 3):
        added = "records_bytes INTEGER NOT NULL DEFAULT 0"
        database.execute(f"ALTER TABLE games ADD COLUMN {added}")
    database.execute(_GAMES)
    database.execute(_WORK)
    if is_of_version_1:
        database.execute(_FROM_VERSION_1)
        database.execute("DROP TABLE work_1")
    database.execute(f"PRAGMA user_version = {VERSION}")


def _has_work(database: sqlite3.Connection) -> bool:
    tables = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'work'"
    return database.execute(tables).fetchone() is not None
