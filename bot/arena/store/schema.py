"""The tables of the arena as one: created, compared with a database, and brought up to date.

`tables.py` says what a set of tables is. Each room brings its own set.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from bot.arena.store.connection import Connection
from bot.arena.store.tables import Dialect, Tables, all_columns, all_tables
from bot.errors import DataError

VERSION: Final = 8
"""The number of today's tables: `PRAGMA user_version` of a file, and the row of
`schema_version` in PostgreSQL. A released version must stay readable: a change of tables that are
there raises this number and adds a step to their set."""
OLDEST: Final = 5
"""The oldest version that is brought up to date: that of Bluestone 0.9.0."""

Present = Mapping[str, Collection[str]]
"""The columns that a database has, by their tables."""


def create(connection: Connection, dialect: Dialect) -> None:
    """Create all tables, within the transaction that is open."""
    for each in all_tables():
        dialect.run(connection, each.script)


def missing(present: Present) -> list[str]:
    """The columns that a database lacks, as `table.column`, apart from `absent` sets."""
    lacking = {table for each in absent(present) for table in each.columns}
    return [
        f"{table}.{name}"
        for table, columns in all_columns().items()
        for name in columns
        if name not in present.get(table, ()) and table not in lacking
    ]


def absent(present: Present) -> Sequence[Tables]:
    """The sets of capabilities that were installed after the database was made."""
    return [
        each
        for each in all_tables()
        if not each.is_core and not any(present.get(table) for table in each.columns)
    ]


def add_absent(connection: Connection, dialect: Dialect, present: Present) -> None:
    """Create the sets that are absent, within the transaction that is open."""
    for each in absent(present):
        dialect.run(connection, each.script)
        if each.fill is not None:
            each.fill(connection)


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
    return 0 < version < OLDEST


def migrate(connection: Connection, version: int, dialect: Dialect) -> None:
    """Bring the tables of an older version up to date, within the transaction that is open.

    Foreign keys must not be enforced during that time. `add_absent` follows.
    """
    for each in range(version + 1, VERSION + 1):
        for tables in all_tables():
            if (step := tables.steps.get(each)) is not None:
                step(connection, dialect)
