"""The tables of players: accounts, names, sessions, tokens, blocks, and who may host."""

from typing import Final

from bot.arena.store.connection import Connection
from bot.arena.store.ids import new_id
from bot.arena.store.personal_data import Exported, PersonalData
from bot.arena.store.tables import Dialect, Tables, script_of

# accounts.secret_hash: NULL since version 7; bots have tokens, and people have sessions. origin: a
# keyed hash of the address from which a person chose a name. registered_at: since when a person can
# sign in without the key of a browser; NULL for all others.
# sessions: the browsers in which a person is signed in, each with its own guest key. secret_hash:
# the SHA-256 of the key; keys have 256 random bits, so that a slow hash is unnecessary. A session
# that ended is kept for a while, so that its open connections can be found.
# tokens: the secrets of bots, several for each; one that ended is kept as a session is. blocks:
# either an account or a network in CIDR notation. closed_names: names that no player may have.
# hosts: the accounts that may create tournaments.
SCRIPT: Final = """
CREATE TABLE accounts (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    skeleton TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    secret_hash TEXT UNIQUE,
    engine TEXT,
    origin TEXT,
    created_at TEXT NOT NULL,
    seen_at TEXT NOT NULL,
    registered_at TEXT
) WITHOUT ROWID;
CREATE INDEX accounts_origin ON accounts (origin);
CREATE TABLE former_names (
    skeleton TEXT PRIMARY KEY,
    account TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    until TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE sessions (
    id TEXT PRIMARY KEY,
    account TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    secret_hash TEXT NOT NULL UNIQUE,
    label TEXT NOT NULL,
    created_at TEXT NOT NULL,
    used_at TEXT,
    ends_at TEXT
) WITHOUT ROWID;
CREATE INDEX sessions_account ON sessions (account);
CREATE TABLE tokens (
    id TEXT PRIMARY KEY,
    account TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    secret_hash TEXT NOT NULL UNIQUE,
    created_at TEXT NOT NULL,
    used_at TEXT,
    ends_at TEXT
) WITHOUT ROWID;
CREATE INDEX tokens_account ON tokens (account);
CREATE TABLE blocks (
    id TEXT PRIMARY KEY,
    account TEXT REFERENCES accounts (id) ON DELETE CASCADE,
    network TEXT,
    until TEXT,
    reason TEXT NOT NULL,
    created_at TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE closed_names (
    skeleton TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    since TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE hosts (
    account TEXT PRIMARY KEY REFERENCES accounts (id),
    since TEXT NOT NULL
) WITHOUT ROWID;
"""


def _to_7(connection: Connection, dialect: Dialect) -> None:
    """Note which people are registered; the key of each person becomes their first session."""
    registered = "ALTER TABLE accounts ADD COLUMN registered_at TEXT;"
    dialect.run(connection, registered + script_of(SCRIPT, "sessions"))
    people = connection.execute(
        "SELECT id, secret_hash, created_at, seen_at FROM accounts WHERE secret_hash IS NOT NULL"
    ).fetchall()
    connection.executemany(
        "INSERT INTO sessions (id, account, secret_hash, label, created_at, used_at, ends_at)"
        " VALUES (?, ?, ?, '', ?, ?, NULL)",
        [(new_id(), *person) for person in people],
    )
    connection.execute("UPDATE accounts SET secret_hash = NULL")


TABLES: Final = Tables(
    "players",
    SCRIPT,
    after=("store",),
    steps={7: _to_7},
    personal=PersonalData(
        exported=[
            Exported(
                "account",
                "id name kind created_at seen_at registered_at",
                "accounts WHERE id = :account",
            ),
            Exported("former_names", "name until", "former_names WHERE account = :account"),
            Exported(
                "devices",
                "id label created_at used_at ends_at",
                "sessions WHERE account = :account ORDER BY created_at",
            ),
            Exported("may_host_tournaments", "since", "hosts WHERE account = :account"),
        ],
        erased=["former_names", "hosts"],
    ),
)
