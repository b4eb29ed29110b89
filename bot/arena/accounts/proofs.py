"""Short-lived rights of an account: a person was there just now; one more device may sign in.

A key of a browser can be stolen, and says only that somebody has played in that browser. What would
give a thief the account for good, such as a new recovery link, needs a *proof*: this session has
shown a passkey or the recovery link within the last minutes. Both rights are rows of `ceremonies`,
so that every process of an arena knows them, and old rows are deleted with old challenges.
"""

from datetime import datetime, timedelta
from typing import Final

from bot.arena.store.connection import Connection
from bot.arena.store.database import as_text

PROOF_LASTS: Final = timedelta(minutes=5)
LINK_LASTS: Final = timedelta(minutes=10)

_FORGET: Final = "DELETE FROM ceremonies WHERE ends_at <= ?"
_PUT: Final = """
INSERT INTO ceremonies (challenge, purpose, account, ends_at) VALUES (?, ?, ?, ?)
ON CONFLICT (challenge) DO UPDATE SET ends_at = excluded.ends_at"""
_FIND: Final = """
SELECT account FROM ceremonies WHERE challenge = ? AND purpose = ? AND ends_at > ?"""
_END: Final = "DELETE FROM ceremonies WHERE challenge = ?"
_END_LINKS: Final = "DELETE FROM ceremonies WHERE account = ? AND purpose = 'device'"


def note_proof(connection: Connection, account: str, session: str, now: datetime) -> None:
    """Note that the person has proved who they are, within the transaction that is open."""
    connection.execute(_FORGET, (as_text(now),))
    row = (_proof_of(session), "proved", account, as_text(now + PROOF_LASTS))
    connection.execute(_PUT, row)


def is_proved(connection: Connection, account: str, session: str, now: datetime) -> bool:
    """Return whether this session has proved a short time ago whose it is."""
    row = connection.execute(_FIND, (_proof_of(session), "proved", as_text(now))).fetchone()
    return row is not None and row["account"] == account


def put_device_link(connection: Connection, account: str, secret_hash: str, now: datetime) -> None:
    """Write a link for another device; it replaces one that was not used."""
    connection.execute(_FORGET, (as_text(now),))
    connection.execute(_END_LINKS, (account,))
    connection.execute(_PUT, (secret_hash, "device", account, as_text(now + LINK_LASTS)))


def take_device_link(connection: Connection, secret_hash: str, now: datetime) -> str | None:
    """End a link for another device; returns whose it is, or None if it does not work."""
    row = connection.execute(_FIND, (secret_hash, "device", as_text(now))).fetchone()
    if row is None:
        return None
    connection.execute(_END, (secret_hash,))
    return str(row["account"])


def _proof_of(session: str) -> str:
    """What stands in the place of the challenge; no challenge has a colon."""
    return f"proof:{session}"
