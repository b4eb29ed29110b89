"""The tables of every arena: single values by their names, and the orders of operators."""

from typing import Final

from bot.arena.store.tables import Tables

# orders: what the operator did, and what the arena must still do (`done_at` is NULL); see
# `bot.arena.store.orders`.
SCRIPT: Final = """
CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE orders (
    id TEXT PRIMARY KEY,
    at TEXT NOT NULL,
    action TEXT NOT NULL,
    subject TEXT NOT NULL,
    detail TEXT,
    reason TEXT NOT NULL,
    who TEXT NOT NULL,
    done_at TEXT,
    ok BIGINT,
    outcome TEXT
) WITHOUT ROWID;
CREATE INDEX orders_pending ON orders (at) WHERE done_at IS NULL;
"""

TABLES: Final = Tables(
    "store",
    SCRIPT,
)
