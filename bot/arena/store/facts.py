"""The table `facts`: single values by their names, read and written in the caller's transaction."""

from typing import Final

from bot.arena.store.connection import Connection

_FIND: Final = "SELECT value FROM facts WHERE name = ?"
_PUT: Final = """
INSERT INTO facts (name, value) VALUES (?, ?)
ON CONFLICT (name) DO UPDATE SET value = excluded.value"""
_ADD: Final = "INSERT INTO facts (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING"
_REMOVE: Final = "DELETE FROM facts WHERE name = ?"


def find(connection: Connection, name: str) -> str | None:
    """Return the value of a fact, or None if the database does not have it."""
    row = connection.execute(_FIND, (name,)).fetchone()
    return None if row is None else str(row["value"])


def put(connection: Connection, name: str, value: str) -> None:
    """Write a fact; it replaces an earlier value."""
    connection.execute(_PUT, (name, value))


def first(connection: Connection, name: str, value: str) -> str:
    """Write a fact unless there is one, and return the value that is there now."""
    connection.execute(_ADD, (name, value))
    return find(connection, name) or value


def remove(connection: Connection, name: str) -> bool:
    """Remove a fact; returns whether there was one."""
    return connection.execute(_REMOVE, (name,)).rowcount > 0
