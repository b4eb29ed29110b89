"""Copies the SQLite database of a stopped arena into the database of a server.

Everything happens in one transaction of the target: tables, rows and the comparison. So the target
has either all rows, or it is as it was. Rows are compared by a count and a checksum of each table,
which are computed from what each side reads back. The checksum is a sum over the rows, so that it
does not depend on their order.
"""

import hashlib
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import orjson

from bot.arena.store import schema
from bot.arena.store.data_folder import sole_user
from bot.arena.store.servers import Target, driver_of
from bot.arena.store.tables import all_columns
from bot.errors import DataError, HostError
from bot.runtime.database import version_of

OnProgress = Callable[[str, int, int], None]
"""Gets a table, how many of its rows are copied, and how many it has."""
STEP: Final = 10_000
"""Rows between two reports of progress."""
_MODULUS: Final = 1 << 256


@dataclass(frozen=True)
class CopiedTable:
    """A table that is the same on both sides. `checksum` is hexadecimal."""

    table: str
    rows: int
    checksum: str


def copy_database(source: Path, url: str, on_progress: OnProgress) -> list[CopiedTable]:
    """Copy all tables of the file into the database of that URL, and compare them.

    Holds the source's folder and the target meanwhile, so that no arena uses them.

    Raises HostError if an arena uses one of them, if the target has rows already, or if one cannot
    be read or written; DataError if the file has tables of another version, or if a copy differs.
    """
    driver = driver_of(url)
    with sole_user(source.parent), _undisturbed(source) as file:
        try:
            return driver.fill(lambda target: _copy(file, target, driver.name, on_progress))
        except sqlite3.Error as error:
            raise HostError(f"{source}: cannot be read: {error}") from error


@contextmanager
def _undisturbed(source: Path) -> Iterator[sqlite3.Connection]:
    if not source.is_file():
        raise HostError(f"{source}: there is no such file")
    try:
        connection = sqlite3.connect(f"{source.absolute().as_uri()}?mode=rw", uri=True)
        with closing(connection):
            version = version_of(connection)
            if version != schema.VERSION:
                raise DataError(
                    f"{source}: its tables have version {version}, and {schema.VERSION} is needed; "
                    "start and stop the arena on it once with this version of Bluestone"
                )
            # An operator's command must wait: what it wrote now would be missing in the copy.
            connection.execute("BEGIN IMMEDIATE")
            yield connection
    except sqlite3.Error as error:
        raise HostError(f"{source}: cannot be read: {error}") from error


def _copy(
    source: sqlite3.Connection, target: Target, name: str, on_progress: OnProgress
) -> list[CopiedTable]:
    for table in all_columns():
        found = target.execute(f"SELECT 1 FROM {table} LIMIT 1")  # noqa: S608 - a constant
        if found.fetchone() is not None:
            raise HostError(f"{name}: is not empty: there are rows in {table}")
    return [
        _copy_table(source, target, table, columns, on_progress)
        for table, columns in all_columns().items()
    ]


def _copy_table(
    source: sqlite3.Connection,
    target: Target,
    table: str,
    columns: Mapping[str, str],
    on_progress: OnProgress,
) -> CopiedTable:
    """Copy one table. Raises DataError if the target reads other rows back."""
    listed = ", ".join(columns)
    select = f"SELECT {listed} FROM {table}"  # noqa: S608 - constants
    total: int = source.execute(f"SELECT count(*) FROM {table}").fetchone()[0]  # noqa: S608
    truths = [kind.startswith("BOOLEAN") for kind in columns.values()]

    def rows() -> Iterator[list[object]]:
        for number, row in enumerate(source.execute(select)):
            if number and number % STEP == 0:
                on_progress(table, number, total)
            yield [
                bool(value) if is_truth else value
                for value, is_truth in zip(row, truths, strict=True)
            ]

    target.copy_in(table, columns, rows())
    count, checksum = checksum_of(source.execute(select))
    found = checksum_of(target.stream(select))
    if found != (count, checksum):
        raise DataError(f"{table}: {count} rows were copied, and {found[0]} others were read back")
    if total:
        on_progress(table, total, total)
    return CopiedTable(table, count, checksum)


def checksum_of(rows: Iterable[Iterable[object]]) -> tuple[int, str]:
    """The number of rows and their checksum."""
    count = total = 0
    for row in rows:
        values = [int(value) if isinstance(value, bool) else value for value in row]
        digest = hashlib.sha256(orjson.dumps(values)).digest()
        total = (total + int.from_bytes(digest, "big")) % _MODULUS
        count += 1
    return count, f"{total:064x}"
