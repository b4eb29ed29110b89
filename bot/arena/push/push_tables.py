"""The table of browsers that get notifications."""

from typing import Final

from bot.arena.store.personal_data import Exported, PersonalData
from bot.arena.store.tables import Tables

# id: the SHA-256 of the endpoint.
SCRIPT: Final = """
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

TABLES: Final = Tables(
    "push",
    SCRIPT,
    after=("players",),
    personal=PersonalData(
        exported=[
            Exported(
                "notifications",
                "endpoint language created_at",
                "push_subscriptions WHERE account = :account ORDER BY created_at",
            ),
        ],
        erased=["push_subscriptions"],
    ),
)
