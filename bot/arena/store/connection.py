"""What the stores use of a database system: statements, rows, and the errors of a driver.

Work and queries get a `Connection`, and never see which system it belongs to. Statements are
written once: with `?` or `:name` for values, and in SQL that SQLite and PostgreSQL understand.
sqlite3's own connections, cursors and rows fit these protocols, so that SQLite needs no wrapper.

A `Driver` has everything else that differs between the systems: how to connect, how a transaction
begins and ends, and what an error means.
"""

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum, auto
from typing import Any, Final, Protocol, TypeAlias, TypeVar

from bot.errors import HostError

T = TypeVar("T")
Value: TypeAlias = Any
"""A value of a column: a text, a number or None. Which one, the table says."""
Values = Sequence[object] | Mapping[str, object]
"""The values of a statement, by position for `?` and by name for `:name`."""


class Row(Protocol):
    """A row, whose values are found by the column's name or its index."""

    def __getitem__(self, key: str | int, /) -> Value: ...


class Cursor(Protocol):
    """The rows of a statement, each a `Row`, and the number of rows that it changed."""

    @property
    def rowcount(self) -> int: ...

    def fetchone(self) -> Value: ...

    def fetchall(self) -> list[Value]: ...

    def __iter__(self) -> Iterator[Value]: ...


class Connection(Protocol):
    """An open connection, used by one thread at a time."""

    def execute(self, sql: str, values: Values = ..., /) -> Cursor: ...

    def executemany(self, sql: str, rows: Iterable[Sequence[object]], /) -> object: ...

    def close(self) -> None: ...


UNREADABLE: Final = (sqlite3.DatabaseError,)
"""What a damaged row raises, if other rows can be read after it in the same transaction.

PostgreSQL ends the transaction, so that a damaged row there makes the whole query fail.
"""


class ErrorVerdict(Enum):
    """What an error of a database says about the work during which it came."""

    WORK_FAILED = auto()
    """The statement is wrong, or breaks a rule of the tables."""
    AGAIN = auto()
    """Another transaction came in between; the same work may succeed at once."""
    LATER = auto()
    """The database cannot be written now, which says nothing against the work."""
    RECONNECT = auto()
    """As LATER, and this connection cannot be used any more."""
    DAMAGED = auto()
    """Stored data is damaged."""


class Hold(Enum):
    """How a program holds a PostgreSQL database, by a lock of the connection that writes."""

    SOLE = auto()
    """Alone, as an arena of one process."""
    SHARED = auto()
    """With the other processes of one arena; no arena of one process runs meanwhile."""
    NONE = auto()
    """Not at all, as an operator's command while an arena may run."""


Query = Callable[[Connection], T]
"""Reads within an open transaction."""
Work = Callable[[Connection], T]
"""Writes within an open transaction. It may run again after a failed commit, even if that commit
has succeeded and only its answer was lost, so it must be repeatable."""


class Reader(Protocol):
    """The connection that reads, used by one thread."""

    def read(self, query: Query[T]) -> T:
        """Run `query` in one read transaction. Raises an error of `Driver.errors`."""
        ...

    def hurry(self) -> None:
        """Let reads that would wait for long fail, because the program stops."""
        ...

    def close(self) -> None: ...


class Driver(Protocol):
    """One database system, with one database of it. `name` is the database's in messages."""

    @property
    def name(self) -> str: ...

    @property
    def errors(self) -> tuple[type[Exception], ...]:
        """The errors that `judge` knows."""
        ...

    def connect(self) -> Connection:
        """Open a connection that writes. Raises an error of `errors`."""
        ...

    def reader(self, patience_s: float | None) -> Reader:
        """Open the connection that reads. Raises an error of `errors`.

        A read waits that long for a server that cannot be reached; None is without an end.
        """
        ...

    def transaction(
        self, connection: Connection, run: Callable[[], T], *, is_repeatable: bool
    ) -> T:
        """Commit what `run` writes, and return its result; undo it if anything fails.

        With `is_repeatable`, `run` is repeated statement by statement if a statement fails, so that
        statements may be sent before the results of earlier ones are known.
        """
        ...

    def judge(self, error: Exception) -> ErrorVerdict: ...

    def is_fenced(self, error: Exception) -> bool:
        """Whether a fence made the statement fail (`bot.arena.store.fences`)."""
        ...

    def failure(self, what: str, error: Exception) -> HostError:
        """The error for callers: `what` is "cannot be read" or "cannot be written"."""
        ...
