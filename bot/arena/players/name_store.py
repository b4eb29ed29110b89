"""Names of accounts in the database: which account has one, and whether another may have it."""

import hashlib
import hmac
import secrets
from typing import Final

from bot.arena.players.names import is_reserved, skeleton
from bot.arena.refusals import Refused
from bot.arena.settings import NameLimits
from bot.arena.store import facts
from bot.arena.store.connection import Connection, Row
from bot.arena.store.database import as_text
from bot.arena.store.ids import new_secret
from bot.time_source import TimeSource

ORIGIN_KEY: Final = "origin_key"
GENERATED_NAME_TRIES: Final = 20

HOLDER: Final = """
SELECT id, name, kind, 0 AS former FROM accounts WHERE skeleton = :skeleton
UNION ALL
SELECT account, former_names.name, kind, 1 FROM former_names
JOIN accounts ON accounts.id = former_names.account
WHERE former_names.skeleton = :skeleton AND until > :now
UNION ALL
SELECT '', name, 'closed', 1 FROM closed_names WHERE skeleton = :skeleton"""
HELD: Final = """
SELECT (SELECT count(*) FROM accounts WHERE origin = :origin AND kind = 'person') + (
    SELECT count(*) FROM former_names JOIN accounts ON accounts.id = former_names.account
    WHERE origin = :origin AND until > :now)"""


def origin_of(connection: Connection, address: str) -> str | None:
    """An address as a keyed hash, to count names per address without storing addresses."""
    if not address:
        return None
    key = facts.first(connection, ORIGIN_KEY, new_secret())
    return hmac.new(key.encode(), address.encode(), hashlib.sha256).hexdigest()


def why_taken(name: str, holder: Row) -> str:
    """Return a sentence: which account has the name, and the similar name if it is not the same."""
    if holder["kind"] == "closed":
        return f"The name {name} is not available."
    whose = "a bot" if holder["kind"] == "bot" else "another player"
    begins = "belonged until recently" if holder["former"] else "belongs"
    if is_same(name, holder["name"]):
        return f"The name {name} {begins} to {whose}."
    return f"The name {name} looks like {holder['name']}, which {begins} to {whose}."


def is_same(name: str, other: str) -> bool:
    """Return whether the names differ in case at most."""
    return name.lower() == other.lower()


class Names:
    """Checks names within the transaction that is open."""

    def __init__(self, time: TimeSource, limits: NameLimits) -> None:
        self._time = time
        self._limits = limits

    def free(self, connection: Connection, prefix: str = "Guest") -> str:
        """A generated name that no account has."""
        for _ in range(GENERATED_NAME_TRIES):
            name = f"{prefix}-{secrets.token_hex(3)}"
            if self.holder(connection, name) is None:
                return name
        raise Refused("server_error", "No free name was found for a new guest.")

    def holder(self, connection: Connection, name: str) -> Row | None:
        """The account that has, or until recently had, a name that looks like that."""
        now = as_text(self._time.wall())
        values = {"skeleton": skeleton(name), "now": now}
        holder: Row | None = connection.execute(HOLDER, values).fetchone()
        return holder

    def check_free(self, connection: Connection, wish: str, own_id: str | None) -> None:
        """Raises Refused if another account has the name, or one that looks like it."""
        holder = self.holder(connection, wish)
        if holder is not None and holder["id"] != own_id:
            raise Refused("name_taken", why_taken(wish, holder))

    def check_choice(
        self, connection: Connection, wish: str, own_id: str | None, former: str = ""
    ) -> None:
        """As `check_free`, for a name that a player chooses: the arena's own names are refused.

        A player called `former`, which looks the same, already has such a name and keeps it.
        """
        self.check_free(connection, wish, own_id)
        if is_reserved(wish) and skeleton(wish) != skeleton(former):
            raise Refused("name_taken", f"The name {wish} is reserved for the arena.")

    def check_room(self, connection: Connection, address: str) -> None:
        """Raises Refused if people at the address hold too many names."""
        origin = origin_of(connection, address)
        values = {"origin": origin, "now": as_text(self._time.wall())}
        held = connection.execute(HELD, values).fetchone()[0]
        if origin is not None and held >= self._limits.names_per_address:
            raise Refused("too_many", "People at your address hold too many names already.")
