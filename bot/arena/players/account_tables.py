"""The tables of accounts: names, ways to sign in, browsers with notifications, ignored players.

A change belongs to `STEPS` of `schema.py` too, which brings older tables up to date.
"""

from typing import Final

COLUMNS: Final = {
    "accounts": "id name skeleton kind secret_hash engine origin created_at seen_at registered_at",
    "former_names": "skeleton account name until",
    "sessions": "id account secret_hash label created_at used_at ends_at",
    "passkeys": "id account public_key sign_count transports label created_at used_at",
    "recovery_links": "account secret_hash created_at used_at",
    "ceremonies": "challenge purpose account ends_at",
    "push_subscriptions": "id account endpoint p256dh auth language created_at",
    "ignores": "account ignored since",
}
"""The columns of each table, in order."""

# secret_hash: NULL since version 7; bots have tokens, and people have sessions.
# origin: a keyed hash of the address from which a person chose a name.
# registered_at: since when a person can sign in without the key of a browser; NULL for all others.
ACCOUNTS: Final = """
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
"""
# sessions: the browsers in which a person is signed in, each with its own guest key. secret_hash:
# the SHA-256 of the key; keys have 256 random bits, so that a slow hash is unnecessary. A session
# that ended is kept for a while, so that its open connections can be found. passkeys.id: the
# credential's id, and public_key its COSE key, both in base64url; transports: a JSON list.
# recovery_links: at most one for each person; it works until used_at. ceremonies: the challenges of
# passkeys that were not answered yet; each is answered once.
SIGN_IN: Final = """
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
CREATE TABLE passkeys (
    id TEXT PRIMARY KEY,
    account TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    public_key TEXT NOT NULL,
    sign_count BIGINT NOT NULL,
    transports TEXT NOT NULL,
    label TEXT NOT NULL,
    created_at TEXT NOT NULL,
    used_at TEXT
) WITHOUT ROWID;
CREATE INDEX passkeys_account ON passkeys (account);
CREATE TABLE recovery_links (
    account TEXT PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
    secret_hash TEXT NOT NULL UNIQUE,
    created_at TEXT NOT NULL,
    used_at TEXT
) WITHOUT ROWID;
CREATE TABLE ceremonies (
    challenge TEXT PRIMARY KEY,
    purpose TEXT NOT NULL,
    account TEXT REFERENCES accounts (id) ON DELETE CASCADE,
    ends_at TEXT NOT NULL
) WITHOUT ROWID;
"""
# push_subscriptions: browsers that get notifications. id: the SHA-256 of the endpoint.
PUSH: Final = """
CREATE TABLE push_subscriptions (
    id TEXT PRIMARY KEY,
    account TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    endpoint TEXT NOT NULL,
    p256dh TEXT NOT NULL,
    auth TEXT NOT NULL,
    language TEXT NOT NULL,
    created_at TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX push_subscriptions_account ON push_subscriptions (account);
"""
# ignores: the player of `account` accepts no challenges and no chat from the player `ignored`.
IGNORES: Final = """
CREATE TABLE ignores (
    account TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    ignored TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    since TEXT NOT NULL,
    PRIMARY KEY (account, ignored)
) WITHOUT ROWID;
CREATE INDEX ignores_ignored ON ignores (ignored);
"""
