"""Mutes: accounts that may not write in chats for a time, each one row of `facts`."""

from datetime import datetime

from pydantic import BaseModel

from bot.arena.store import facts
from bot.arena.store.connection import Connection


class Mute(BaseModel):
    """Until when, and why."""

    until: datetime
    reason: str


def find(connection: Connection, account: str) -> Mute | None:
    """The mute of an account, which may have ended."""
    found = facts.find(connection, _name(account))
    return None if found is None else Mute.model_validate_json(found)


def put(connection: Connection, account: str, mute: Mute) -> None:
    """Mute an account within the transaction that is open; replaces an earlier mute."""
    facts.put(connection, _name(account), mute.model_dump_json())


def remove(connection: Connection, account: str) -> bool:
    """Remove a mute within the transaction that is open; returns whether there was one."""
    return facts.remove(connection, _name(account))


def _name(account: str) -> str:
    return f"muted {account}"
