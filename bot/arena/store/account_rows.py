"""Accounts as rows of the database: statements, and what is made of what they find."""

import hashlib
import hmac
import secrets
import sqlite3
from typing import Final

from bot import wire
from bot.arena.store.database import Row

SECRET_BYTES: Final = 32
ORIGIN_KEY: Final = "origin_key"

INSERT: Final = """
INSERT INTO accounts (id, name, skeleton, kind, secret_hash, origin, created_at, seen_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?)"""
BY_SKELETON: Final = "SELECT * FROM accounts WHERE skeleton = ?"
BY_HASH: Final = "SELECT * FROM accounts WHERE secret_hash = ?"
HOLDER: Final = """
SELECT id, name, kind, 0 AS former FROM accounts WHERE skeleton = :skeleton
UNION ALL
SELECT account, former_names.name, kind, 1 FROM former_names
JOIN accounts ON accounts.id = former_names.account
WHERE former_names.skeleton = :skeleton AND until > :now"""
HELD: Final = """
SELECT (SELECT count(*) FROM accounts WHERE origin = :origin AND kind = 'person') + (
    SELECT count(*) FROM former_names JOIN accounts ON accounts.id = former_names.account
    WHERE origin = :origin AND until > :now)"""
SEEN: Final = "UPDATE accounts SET seen_at = ?, engine = ? WHERE id = ?"
NEW_HASH: Final = "UPDATE accounts SET secret_hash = ? WHERE id = ?"
RENAME: Final = """
UPDATE accounts SET name = ?, skeleton = ?, kind = ?, origin = coalesce(?, origin)
WHERE id = ?"""
KEEP_NAME: Final = """
INSERT INTO former_names (skeleton, account, name, until) VALUES (?, ?, ?, ?)
ON CONFLICT (skeleton) DO UPDATE SET account = excluded.account, name = excluded.name,
    until = excluded.until"""
FORGET_NAME: Final = "DELETE FROM former_names WHERE skeleton = ?"
FORGET_NAMES: Final = "DELETE FROM former_names WHERE until <= ?"
FORGET_GUESTS: Final = """
DELETE FROM accounts WHERE kind <> 'bot' AND seen_at < ?
AND NOT EXISTS (SELECT 1 FROM games WHERE player_1 = accounts.id OR player_2 = accounts.id)
AND NOT EXISTS (SELECT 1 FROM hosts WHERE account = accounts.id)
AND NOT EXISTS (SELECT 1 FROM tournament_entrants WHERE account = accounts.id)"""
FACT: Final = "SELECT value FROM facts WHERE name = ?"
NOTE_FACT: Final = "INSERT INTO facts (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING"


def origin_of(connection: sqlite3.Connection, address: str) -> str | None:
    """An address as a keyed hash: enough to count by, and nothing that says where people live."""
    if not address:
        return None
    connection.execute(NOTE_FACT, (ORIGIN_KEY, new_secret()))
    key: str = connection.execute(FACT, (ORIGIN_KEY,)).fetchone()["value"]
    return hmac.new(key.encode(), address.encode(), hashlib.sha256).hexdigest()


def why_taken(name: str, holder: Row) -> str:
    """One sentence: whose it is, and what it is mistaken for if not the same."""
    whose = "a bot" if holder["kind"] == "bot" else "somebody else"
    begins = "belonged until lately" if holder["former"] else "belongs"
    if is_same(name, holder["name"]):
        return f"The name {name} {begins} to {whose}."
    return f"The name {name} looks like {holder['name']}, which {begins} to {whose}."


def is_same(name: str, other: str) -> bool:
    return name.lower() == other.lower()


def player_in(row: Row) -> wire.Player:
    return wire.Player(id=row["id"], name=row["name"], kind=row["kind"], engine=row["engine"])


def new_secret() -> str:
    """256 random bits, as a text that goes into an address."""
    return secrets.token_urlsafe(SECRET_BYTES)


def hashed(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
