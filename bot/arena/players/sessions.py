"""Sessions: the browsers in which a person is signed in, each with a key of its own.

A session that has ended stays in the table for a while (`secret_ends`).
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from bot.arena.store.connection import Connection, Row
from bot.arena.store.database import as_text

MOST: Final = 50
"""Sessions of one person; a further one ends the one that was used longest ago."""
USED_EVERY: Final = timedelta(hours=1)
"""The precision of `used_at`: most logins write nothing."""
LONGEST_LABEL: Final = 60

BY_HASH: Final = """
SELECT accounts.*, sessions.id AS session, sessions.secret_hash AS session_hash, used_at, ends_at
FROM sessions JOIN accounts ON accounts.id = sessions.account WHERE sessions.secret_hash = ?"""
USED: Final = "UPDATE sessions SET used_at = ? WHERE id = ?"
_INSERT: Final = """
INSERT INTO sessions (id, account, secret_hash, label, created_at, used_at, ends_at)
VALUES (:id, :account, :hash, :label, :now, :now, NULL) ON CONFLICT (id) DO NOTHING"""
_END_OLDEST: Final = """
UPDATE sessions SET ends_at = :now WHERE account = :account AND ends_at IS NULL AND id NOT IN (
    SELECT id FROM sessions WHERE account = :account AND ends_at IS NULL
    ORDER BY coalesce(used_at, created_at) DESC, id LIMIT :most)"""
_VALID: Final = """
SELECT id, label, created_at, used_at FROM sessions WHERE account = ? AND ends_at IS NULL
ORDER BY coalesce(used_at, created_at) DESC, id"""
_LABEL: Final = "UPDATE sessions SET label = ? WHERE id = ?"
_END: Final = """
UPDATE sessions SET ends_at = ? WHERE id = ? AND account = ? AND ends_at IS NULL"""
_END_OTHERS: Final = """
UPDATE sessions SET ends_at = ? WHERE account = ? AND id <> ? AND ends_at IS NULL"""
_OF_WHOM: Final = "SELECT account FROM sessions WHERE id = ?"


@dataclass(frozen=True)
class Session:
    """A session that works. `label` names the device; it is empty if that is not known.

    `used_at` is None if an older version made its key for a device that has not used it yet.
    """

    id: str
    label: str
    created_at: datetime
    used_at: datetime | None


def add(
    connection: Connection,
    session: str,
    account: str,
    secret_hash: str,
    now: datetime,
    label: str = "",
) -> None:
    """Add a session within the transaction that is open. Repeating this changes nothing."""
    at, short = as_text(now), label[:LONGEST_LABEL]
    values = {"id": session, "account": account, "hash": secret_hash, "label": short, "now": at}
    connection.execute(_INSERT, values)
    connection.execute(_END_OLDEST, {"account": account, "now": at, "most": MOST})


def is_there(connection: Connection, session: str) -> bool:
    """Whether the session was added, also if it has ended since."""
    return account_of(connection, session) is not None


def account_of(connection: Connection, session: str) -> str | None:
    """Whose session it is, also if it has ended since; None if it was not added."""
    row = connection.execute(_OF_WHOM, (session,)).fetchone()
    return None if row is None else str(row["account"])


def valid(connection: Connection, account: str) -> list[Session]:
    """The sessions of a person that work, the one used last first."""
    return [_session(row) for row in connection.execute(_VALID, (account,))]


def name_device(connection: Connection, session: str, label: str) -> None:
    """Note the device of a session."""
    connection.execute(_LABEL, (label[:LONGEST_LABEL], session))


def end(connection: Connection, account: str, session: str, at: datetime) -> bool:
    """End a session of that account; returns whether it worked until now."""
    return connection.execute(_END, (as_text(at), session, account)).rowcount > 0


def end_others(connection: Connection, account: str, kept: str, at: datetime) -> int:
    """End all sessions of an account but one; returns how many worked until now."""
    return connection.execute(_END_OTHERS, (as_text(at), account, kept)).rowcount


def _session(row: Row) -> Session:
    return Session(
        id=row["id"],
        label=row["label"],
        created_at=datetime.fromisoformat(row["created_at"]),
        used_at=row["used_at"] and datetime.fromisoformat(row["used_at"]),
    )
