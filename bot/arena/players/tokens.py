"""Tokens of bots: several per account, so that a new one can work before the old one ends.

A token that has ended stays in the table for a while (`secret_ends`).
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from bot.arena.store.connection import Connection, Row
from bot.arena.store.database import as_text
from bot.arena.store.ids import new_short_id

_INSERT: Final = """
INSERT INTO tokens (id, account, secret_hash, created_at, used_at, ends_at)
VALUES (?, ?, ?, ?, NULL, NULL) ON CONFLICT (secret_hash) DO NOTHING"""
_OTHERS: Final = """
SELECT count(*) FROM tokens WHERE account = :account AND secret_hash <> :new
AND (ends_at IS NULL OR ends_at > :now)"""
_END_OTHERS: Final = """
UPDATE tokens SET ends_at = :at WHERE account = :account AND secret_hash <> :new
AND (ends_at IS NULL OR ends_at > :at)"""
_END: Final = (
    "UPDATE tokens SET ends_at = :at WHERE id = :id AND (ends_at IS NULL OR ends_at > :at)"
)
_VALID: Final = """
SELECT tokens.id, name, tokens.created_at, used_at, ends_at
FROM tokens JOIN accounts ON accounts.id = account
WHERE ends_at IS NULL OR ends_at > ? ORDER BY name, tokens.created_at, tokens.id"""
_ONE: Final = """
SELECT tokens.id, name, tokens.created_at, used_at, ends_at
FROM tokens JOIN accounts ON accounts.id = account WHERE tokens.id = ?"""


@dataclass(frozen=True)
class Token:
    """A token that works; the secret is not stored. `ends_at` is None if it has no end."""

    id: str
    bot: str
    created_at: datetime
    used_at: datetime | None
    ends_at: datetime | None

    def works(self, now: datetime) -> bool:
        return self.ends_at is None or self.ends_at > now


def replace(
    connection: Connection, account: str, secret_hash: str, now: datetime, ends_at: datetime
) -> int:
    """Add a token within the transaction that is open, and let the others end at `ends_at`.

    Returns how many others worked until now. Repeating this changes nothing.
    """
    values = {"account": account, "at": as_text(ends_at), "now": as_text(now), "new": secret_hash}
    others: int = connection.execute(_OTHERS, values).fetchone()[0]
    connection.execute(_END_OTHERS, values)
    connection.execute(_INSERT, (new_short_id(), account, secret_hash, as_text(now)))
    return others


def end(connection: Connection, token: str, at: datetime) -> None:
    """Let one token end at that moment, unless it ends before."""
    connection.execute(_END, {"id": token, "at": as_text(at)})


def valid(connection: Connection, now: datetime) -> list[Token]:
    """The tokens that work now, by name and age."""
    return [_token(row) for row in connection.execute(_VALID, (as_text(now),))]


def find(connection: Connection, token: str) -> Token | None:
    """The token of that id, whether it works or has ended."""
    row = connection.execute(_ONE, (token,)).fetchone()
    return None if row is None else _token(row)


def _token(row: Row) -> Token:
    return Token(
        id=row["id"],
        bot=row["name"],
        created_at=datetime.fromisoformat(row["created_at"]),
        used_at=row["used_at"] and datetime.fromisoformat(row["used_at"]),
        ends_at=row["ends_at"] and datetime.fromisoformat(row["ends_at"]),
    )
