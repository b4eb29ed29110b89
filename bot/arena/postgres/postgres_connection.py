"""A connection to PostgreSQL that takes the stores' statements and gives rows as they expect them.

The stores write `?` and `:name` for values, and find values in rows by name or index, as sqlite3
has it. psycopg wants `%s` and `%(name)s`, and lets its user choose the class of rows.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from typing import Any, Final, cast

import psycopg
from psycopg.pq import TransactionStatus

from bot.arena.store.connection import Value, Values

_PARTS: Final = re.compile(
    r"""(?P<kept>'[^']*'|"[^"]*"|::)|(?P<percent>%)|(?P<question>\?)|:(?P<name>\w+)"""
)


class PostgresRow:
    """A row whose values are found by the column's name or its index, as in `sqlite3.Row`."""

    __slots__ = ("_positions", "_values")

    def __init__(self, positions: Mapping[str, int], values: Sequence[Any]) -> None:
        self._positions = positions
        self._values = values

    def __getitem__(self, key: str | int) -> Any:  # noqa: ANN401 - a text, a number or None
        return self._values[key if isinstance(key, int) else self._positions[key]]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def keys(self) -> list[str]:
        """The names of the columns."""
        return list(self._positions)


def named_rows(cursor: psycopg.Cursor[Any]) -> Callable[[Sequence[Any]], PostgresRow]:
    """Make rows of the cursor's result (a row factory of psycopg)."""
    columns = cursor.description or ()
    positions = {column.name: number for number, column in enumerate(columns)}
    return lambda values: PostgresRow(positions, values)


class Raw(psycopg.Connection[PostgresRow]):
    """psycopg's connection, which can forget what it has prepared.

    psycopg prepares statements that are repeated. It believes that a statement of a pipeline is
    prepared even if the server has skipped it, because one before it failed; every later use of
    that statement then fails (seen with psycopg 3.3).
    """

    def roll_back(self) -> None:
        """End a transaction that may be open, and prepare all statements again."""
        if self.info.transaction_status is not TransactionStatus.IDLE:
            self.pgconn.exec_(b"ROLLBACK")
        self._prepared.clear()  # the next statement deallocates what the server has


class PostgresCursor:
    """The result of a statement; waits for it when it is needed."""

    def __init__(self, connection: "PostgresConnection", raw: psycopg.Cursor[PostgresRow]) -> None:
        self._connection = connection
        self._raw = raw

    @property
    def rowcount(self) -> int:
        """The number of rows that the statement changed."""
        self._connection.sync()
        return self._raw.rowcount

    @property
    def status(self) -> str | None:
        """The server's word for what the statement did, such as "COMMIT"."""
        self._connection.sync()
        return self._raw.statusmessage

    def fetchone(self) -> Value:
        """The next row, or None after the last one."""
        return self._raw.fetchone()

    def fetchall(self) -> list[Value]:
        """The remaining rows."""
        return cast("list[Value]", self._raw.fetchall())

    def __iter__(self) -> Iterator[Value]:
        return iter(self._raw)


class PostgresConnection:
    """A connection that takes the statements of the stores (`bot.arena.store.connection`)."""

    def __init__(self, raw: Raw) -> None:
        self._raw = raw
        self._pipeline: psycopg.Pipeline | None = None

    def execute(self, sql: str, values: Values = (), /) -> PostgresCursor:
        """Send a statement; within `pipelined`, its result is not awaited."""
        return PostgresCursor(self, self._raw.execute(spelled(sql), values))

    def executemany(self, sql: str, rows: Iterable[Sequence[object]], /) -> None:
        with self._raw.cursor() as cursor:
            cursor.executemany(spelled(sql), rows)

    def copy_in(
        self, table: str, columns: Iterable[str], rows: Iterable[Sequence[object]], /
    ) -> None:
        """Add many rows to a table."""
        sql = f"COPY {table} ({', '.join(columns)}) FROM STDIN"
        with self._raw.cursor() as cursor, cursor.copy(sql.encode()) as copy:
            for row in rows:
                copy.write_row(row)

    def stream(self, sql: str, /) -> Iterator[PostgresRow]:
        """Read many rows within a transaction, without having all of them in memory."""
        with self._raw.cursor("stream") as cursor:
            cursor.execute(sql.encode())
            yield from cursor

    @contextmanager
    def pipelined(self) -> Iterator[None]:
        """Send the statements of the block without waiting for their results."""
        with self._raw.pipeline() as self._pipeline:
            try:
                yield
            finally:
                self._pipeline = None

    def sync(self) -> None:
        """Wait for all results of a pipeline."""
        if self._pipeline is not None:
            self._pipeline.sync()

    def roll_back(self) -> None:
        """End a transaction, if one is open and the connection works."""
        with suppress(psycopg.Error):
            self._raw.roll_back()

    def close(self) -> None:
        self._raw.close()


@lru_cache(maxsize=1024)
def spelled(sql: str) -> bytes:
    """The statement with psycopg's places for values."""
    return _PARTS.sub(_part, sql).encode()


def _part(found: re.Match[str]) -> str:
    if found["kept"]:
        return found["kept"].replace("%", "%%")
    if found["percent"]:
        return "%%"
    return "%s" if found["question"] else f"%({found['name']})s"
