"""Web push in the database: the arena's signing key, and the browsers of each player."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from cryptography.hazmat.primitives.asymmetric import ec

from bot.arena.players.accounts import hashed
from bot.arena.store import facts
from bot.arena.store.connection import Connection, Row
from bot.arena.store.database import Database, as_text
from bot.runtime.base64url import in_base64

MOST_BROWSERS: Final = 10
"""How many browsers of a player are notified; a further one replaces the oldest."""
SIGNING_KEY: Final = "push_key"

_PUT: Final = """
INSERT INTO push_subscriptions (id, account, endpoint, p256dh, auth, language, created_at)
VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (id) DO UPDATE SET account = excluded.account, p256dh = excluded.p256dh,
    auth = excluded.auth, language = excluded.language, created_at = excluded.created_at"""
_OF_ACCOUNT: Final = "SELECT * FROM push_subscriptions WHERE account = ? ORDER BY created_at DESC"
_REMOVE: Final = "DELETE FROM push_subscriptions WHERE id = ?"
_REMOVE_OWN: Final = "DELETE FROM push_subscriptions WHERE id = ? AND account = ?"


@dataclass(frozen=True)
class Subscription:
    """A browser that gets notifications: its address at a push service, and its keys."""

    endpoint: str
    p256dh: str
    auth: str
    language: str


class PushStore:
    """The table of subscriptions. A browser belongs to the player who subscribed it last."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def signing_key(self) -> str:
        """The private key (RFC 8292) as base64url of 32 bytes; created when first asked for."""
        known = await self._database.read(lambda connection: facts.find(connection, SIGNING_KEY))
        if known is not None:
            return known
        new = _new_key()
        return await self._database.write(
            lambda connection: facts.first(connection, SIGNING_KEY, new)
        )

    async def put(self, account: str, subscription: Subscription, now: datetime) -> None:
        """Store a browser of a player."""
        found = subscription
        row = (
            *(hashed(found.endpoint), account, found.endpoint, found.p256dh, found.auth),
            *(found.language, as_text(now)),
        )

        def work(connection: Connection) -> None:
            connection.execute(_PUT, row)
            rows = connection.execute(_OF_ACCOUNT, (account,)).fetchall()
            for old in rows[MOST_BROWSERS:]:
                connection.execute(_REMOVE, (old["id"],))

        await self._database.write(work)

    async def remove(self, endpoint: str, account: str | None = None) -> None:
        """Forget a browser; with `account`, only if it is that player's."""
        key = hashed(endpoint)

        def work(connection: Connection) -> None:
            if account is None:
                connection.execute(_REMOVE, (key,))
            else:
                connection.execute(_REMOVE_OWN, (key, account))

        await self._database.write(work)

    async def of_player(self, account: str) -> list[Subscription]:
        """The browsers of a player, the newest first."""
        rows = await self._database.read(
            lambda connection: connection.execute(_OF_ACCOUNT, (account,)).fetchall()
        )
        return [_subscription(row) for row in rows]


def _subscription(row: Row) -> Subscription:
    return Subscription(row["endpoint"], row["p256dh"], row["auth"], row["language"])


def _new_key() -> str:
    """A new number of a key on the curve P-256, which `VapidKey` reads."""
    number = ec.generate_private_key(ec.SECP256R1()).private_numbers().private_value
    return in_base64(number.to_bytes(32, "big"))
