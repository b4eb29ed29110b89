"""The tables of the arena, and the steps that bring older tables up to date.

`tables.py`, `account_tables.py` and `record_tables.py` describe them once, with the types of
PostgreSQL; a `Dialect` replaces what one system calls otherwise. The statements of the arena keep
to SQL that SQLite and PostgreSQL accept (`ON CONFLICT`, no row ids, an alias for each subquery
after `FROM`).
"""

import re
import secrets
import string
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Final

from bot.arena.games import record_tables
from bot.arena.players import account_tables
from bot.arena.store import tables
from bot.arena.store.connection import Connection
from bot.errors import DataError

VERSION: Final = 8
"""The number of today's tables: `PRAGMA user_version` of a file, and the row of
`schema_version` in PostgreSQL."""


@dataclass(frozen=True)
class Dialect:
    """The words of a database system for some words of the tables' description."""

    words: Mapping[str, str]

    def spelled(self, script: str) -> str:
        pattern = "|".join(rf"\b{re.escape(word)}\b" for word in self.words)
        return re.sub(pattern, lambda found: self.words[found[0]], script)


SQLITE: Final = Dialect({"BIGINT": "INTEGER", "BOOLEAN": "INTEGER", "DOUBLE PRECISION": "REAL"})
# The order of texts must not depend on the locale of the server: moments are compared as texts.
POSTGRES: Final = Dialect({"TEXT": 'TEXT COLLATE "C"', "WITHOUT ROWID": ""})

SECRET_BYTES: Final = 32
ID_LETTERS: Final = string.ascii_letters + string.digits


def new_id() -> str:
    """A random id for an account, a game or a challenge: about 71 bits, so that none repeats."""
    return "".join(secrets.choice(ID_LETTERS) for _ in range(12))


def new_short_id() -> str:
    """A random id for a token or a block, short enough to be typed by an operator."""
    return new_id()[:8]


def new_secret() -> str:
    """Return 256 random bits as a text that may be in a URL."""
    return secrets.token_urlsafe(SECRET_BYTES)


def create(connection: Connection, dialect: Dialect) -> None:
    """Create all tables, within the transaction that is open."""
    games = account_tables.ACCOUNTS + tables.GAMES + tables.TURNS + tables.FACTS + tables.INDEXES
    _run(connection, games + tables.TOURNAMENTS + tables.MODERATION + tables.PROCESSES, dialect)
    _run(connection, tables.CHAT, dialect)
    _run(connection, account_tables.SIGN_IN, dialect)
    _run(connection, account_tables.PUSH + account_tables.IGNORES + tables.PUZZLES, dialect)
    _run(connection, record_tables.TABLES, dialect)
    _run(connection, tables.RATINGS, dialect)
    _run(connection, tables.ANALYSES, dialect)


def missing(present: Mapping[str, Collection[str]]) -> list[str]:
    """The columns that a database lacks, as `table.column`; `present` are those that it has."""
    return [
        f"{table}.{name}"
        for table, columns in tables.COLUMNS.items()
        for name in columns.split()
        if name not in present.get(table, ())
    ]


def check_version(version: int, name: str, place: str = "data folder") -> None:
    """Raises DataError if this program cannot use tables of that version.

    `name` is that of the database, and another `place` may have another one.
    """
    if version > VERSION:
        raise DataError(
            f"{name}: made by a newer version of Bluestone (schema {version}, this version knows "
            f"{VERSION}); update Bluestone, or choose another {place}"
        )
    if is_too_old(version):
        raise DataError(
            f"{name}: made by a version of Bluestone before the first release (schema {version}, "
            f"this version needs {VERSION}), which cannot be brought up to date; "
            f"move the file away to start with an empty database, or choose another {place}"
        )


def is_too_old(version: int) -> bool:
    """Return whether no steps lead from the tables of this version to today's; 0 is an
    empty file.
    """
    return 0 < version < VERSION and any(each not in STEPS for each in range(version, VERSION))


def migrate(connection: Connection, version: int, dialect: Dialect) -> None:
    """Bring the tables of an older version up to date, within the transaction that is open.

    Foreign keys must not be enforced during that time.
    """
    for each in range(version, VERSION):
        STEPS[each](connection, dialect)


def _run(connection: Connection, script: str, dialect: Dialect) -> None:
    """Run several statements; sqlite3's `executescript` would commit the open transaction first."""
    for statement in dialect.spelled(script).split(";"):
        if statement.strip():
            connection.execute(statement)


def _to_5(connection: Connection, dialect: Dialect) -> None:
    """Add the tables of moderation; the secret of each bot becomes its first token."""
    _run(connection, tables.MODERATION, dialect)
    bots = connection.execute(
        "SELECT id, secret_hash, created_at, seen_at FROM accounts"
        " WHERE kind = 'bot' AND secret_hash IS NOT NULL"
    ).fetchall()
    connection.executemany(
        "INSERT INTO tokens (id, account, secret_hash, created_at, used_at, ends_at)"
        " VALUES (?, ?, ?, ?, ?, NULL)",
        [(new_short_id(), *bot) for bot in bots],
    )
    connection.execute("UPDATE accounts SET secret_hash = NULL WHERE kind = 'bot'")


def _to_6(connection: Connection, dialect: Dialect) -> None:
    """Add the tables of an arena with several processes, and the owners of games."""
    owners = """
    ALTER TABLE games ADD COLUMN owner TEXT;
    ALTER TABLE games ADD COLUMN epoch BIGINT NOT NULL DEFAULT 0"""
    _run(connection, owners + ";" + tables.PROCESSES, dialect)


def _to_7(connection: Connection, dialect: Dialect) -> None:
    """Note which people are registered; add the tables of what people come back for."""
    _run(connection, "ALTER TABLE accounts ADD COLUMN registered_at TEXT", dialect)
    _run(connection, account_tables.PUSH + tables.PUZZLES, dialect)
    _run(connection, record_tables.TABLES, dialect)
    record_tables.index_all(connection)
    _run(connection, tables.ANALYSES, dialect)
    _run(connection, tables.TAKEBACKS_OF_7 + tables.CHAT, dialect)
    _add_ratings(connection, dialect)
    _add_sessions(connection, dialect)


def _to_8(connection: Connection, dialect: Dialect) -> None:
    """Add the table of ignored players, and offers to abort a game."""
    _run(connection, account_tables.IGNORES + tables.ABORTS_OF_8, dialect)


def _add_ratings(connection: Connection, dialect: Dialect) -> None:
    """Add the tables of ratings; the rated games so far become due."""
    due = """
    INSERT INTO ratings_due (game_id)
    SELECT id FROM games WHERE NOT running AND setup LIKE '%"rated":true%'"""
    _run(connection, tables.RATINGS + due, dialect)


def _add_sessions(connection: Connection, dialect: Dialect) -> None:
    """Add the tables of signing in; the key of each person becomes their first session."""
    _run(connection, account_tables.SIGN_IN, dialect)
    people = connection.execute(
        "SELECT id, secret_hash, created_at, seen_at FROM accounts WHERE secret_hash IS NOT NULL"
    ).fetchall()
    connection.executemany(
        "INSERT INTO sessions (id, account, secret_hash, label, created_at, used_at, ends_at)"
        " VALUES (?, ?, ?, '', ?, ?, NULL)",
        [(new_id(), *person) for person in people],
    )
    connection.execute("UPDATE accounts SET secret_hash = NULL")


STEPS: Final[Mapping[int, Callable[[Connection, Dialect], None]]] = {
    4: _to_5,
    5: _to_6,
    6: _to_7,
    7: _to_8,
}
"""The change to the next version, by the version that it starts from.

A released version must stay readable: a change of the tables raises `VERSION` and adds a step.
"""
