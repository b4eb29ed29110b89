"""Mutes: accounts that may not write in chats for a time, each one row of `facts`."""

from datetime import datetime
from typing import Final

from pydantic import BaseModel

from bot.arena.store.connection import Connection

_FIND: Final = "SELECT value FROM facts WHERE name = ?"
_PUT: Final = """
INSERT INTO facts (name, value) VALUES (?, ?)
ON CONFLICT (name) DO UPDATE SET value = excluded.value"""
_REMOVE: Final = "DELETE FROM facts WHERE name = ?"


class Mute(BaseModel):
    """Until when, and why."""

    until: datetime
    reason: str


def find(connection: Connection, account: str) -> Mute | None:
    """The mute of an account, which may have ended."""
    row = connection.execute(_FIND, (_name(account),)).fetchone()
    return None if row is None else Mute.model_validate_json(row["value"])


def put(connection: Connection, account: str, mute: Mute) -> None:
    """Mute an account within the transaction that is open; replaces an earlier mute."""
    connection.execute(_PUT, (_name(account), mute.model_dump_json()))


def remove(connection: Connection, account: str) -> bool:
    """Remove a mute within the transaction that is open; returns whether there was one."""
    return connection.execute(_REMOVE, (_name(account),)).rowcount > 0


def _name(account: str) -> str:
    return f"muted {account}"
