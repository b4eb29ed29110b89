"""The tables of signing in."""

from typing import Final

from bot.arena.store.personal_data import Exported, PersonalData
from bot.arena.store.tables import Tables

# passkeys.id: the credential's id, and public_key its COSE key, both in base64url; transports: a
# JSON list. recovery_links: at most one for each person; it works until used_at. ceremonies: the
# challenges of passkeys that were not answered yet; each is answered once.
SCRIPT: Final = """
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

TABLES: Final = Tables(
    "accounts",
    SCRIPT,
    after=("players",),
    personal=PersonalData(
        exported=[
            Exported(
                "passkeys",
                "id public_key sign_count transports label created_at used_at",
                "passkeys WHERE account = :account ORDER BY created_at",
            ),
            Exported(
                "recovery_link", "created_at used_at", "recovery_links WHERE account = :account"
            ),
        ],
        erased=["passkeys", "recovery_links", "ceremonies"],
    ),
)
