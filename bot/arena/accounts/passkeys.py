"""Passkeys, and the challenges that they have not answered yet, as rows of the database.

A challenge is deleted when it is answered, in the transaction of what the answer allows. So each is
answered once, at whichever process of the arena the answer arrives.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Literal

import orjson

from bot.arena.store.connection import Connection, Row
from bot.arena.store.database import as_text
from bot.runtime.base64url import from_base64, in_base64

Purpose = Literal["register", "sign-in", "prove"]
LASTS: Final = timedelta(minutes=5)
"""How long a challenge may be answered."""

_PUT: Final = """
INSERT INTO passkeys (id, account, public_key, sign_count, transports, label, created_at, used_at)
VALUES (?, ?, ?, ?, ?, ?, ?, NULL) ON CONFLICT (id) DO NOTHING"""
_ONE: Final = "SELECT * FROM passkeys WHERE id = ?"
_OF: Final = "SELECT * FROM passkeys WHERE account = ? ORDER BY created_at, id"
_USED: Final = """
UPDATE passkeys SET sign_count = :count, used_at = :at
WHERE id = :id AND (sign_count < :count OR (sign_count = 0 AND :count = 0))"""
_RENAME: Final = "UPDATE passkeys SET label = ? WHERE id = ? AND account = ?"
_REMOVE: Final = "DELETE FROM passkeys WHERE id = ? AND account = ?"
_FORGET_CEREMONIES: Final = "DELETE FROM ceremonies WHERE ends_at <= ?"
_BEGIN: Final = """
INSERT INTO ceremonies (challenge, purpose, account, ends_at) VALUES (?, ?, ?, ?)
ON CONFLICT (challenge) DO NOTHING"""
_FIND_CEREMONY: Final = """
SELECT account FROM ceremonies WHERE challenge = ? AND purpose = ? AND ends_at > ?"""
_END_CEREMONY: Final = "DELETE FROM ceremonies WHERE challenge = ?"


@dataclass(frozen=True)
class Passkey:
    """A passkey of an account. `id` is the credential's id in base64url."""

    id: str
    account: str
    public_key: bytes
    sign_count: int
    transports: tuple[str, ...]
    label: str
    created_at: datetime
    used_at: datetime | None = None


def put(connection: Connection, passkey: Passkey) -> None:
    """Write a new passkey within the transaction that is open."""
    key, transports = in_base64(passkey.public_key), orjson.dumps(passkey.transports)
    row = (passkey.id, passkey.account, key, passkey.sign_count, transports.decode())
    connection.execute(_PUT, (*row, passkey.label, as_text(passkey.created_at)))


def find(connection: Connection, passkey: str) -> Passkey | None:
    """The passkey of that id."""
    row = connection.execute(_ONE, (passkey,)).fetchone()
    return None if row is None else _passkey(row)


def of(connection: Connection, account: str) -> list[Passkey]:
    """The passkeys of an account, the oldest first."""
    return [_passkey(row) for row in connection.execute(_OF, (account,))]


def note_use(connection: Connection, passkey: str, sign_count: int, at: datetime) -> bool:
    """Note the sign count of an answer; returns False if a later answer has been noted already."""
    values = {"id": passkey, "count": sign_count, "at": as_text(at)}
    return connection.execute(_USED, values).rowcount > 0


def rename(connection: Connection, account: str, passkey: str, label: str) -> bool:
    """Give a passkey of that account another label; returns whether there is one."""
    return connection.execute(_RENAME, (label, passkey, account)).rowcount > 0


def remove(connection: Connection, account: str, passkey: str) -> bool:
    """Remove a passkey of that account; returns whether there was one."""
    return connection.execute(_REMOVE, (passkey, account)).rowcount > 0


def begin(
    connection: Connection, challenge: str, purpose: Purpose, account: str | None, now: datetime
) -> None:
    """Store a challenge, and delete those that were not answered in time."""
    connection.execute(_FORGET_CEREMONIES, (as_text(now),))
    connection.execute(_BEGIN, (challenge, purpose, account, as_text(now + LASTS)))


def take(
    connection: Connection, challenge: str, purpose: Purpose, account: str | None, now: datetime
) -> bool:
    """End a challenge; returns whether it could be answered for that account until now."""
    row = connection.execute(_FIND_CEREMONY, (challenge, purpose, as_text(now))).fetchone()
    if row is None or row["account"] != account:
        return False
    return connection.execute(_END_CEREMONY, (challenge,)).rowcount > 0


def _passkey(row: Row) -> Passkey:
    return Passkey(
        id=row["id"],
        account=row["account"],
        public_key=from_base64(row["public_key"]),
        sign_count=row["sign_count"],
        transports=tuple(orjson.loads(row["transports"])),
        label=row["label"],
        created_at=datetime.fromisoformat(row["created_at"]),
        used_at=row["used_at"] and datetime.fromisoformat(row["used_at"]),
    )
