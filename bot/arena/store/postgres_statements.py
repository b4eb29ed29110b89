"""The stores' statements and rows, as psycopg takes and gives them.

The stores write `?` and `:name` for values, and find values in rows by name or index, as sqlite3
has it. psycopg wants `%s` and `%(name)s`, and lets its user choose the class of rows.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

import psycopg

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
