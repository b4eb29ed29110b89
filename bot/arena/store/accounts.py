"""Accounts: bots log in by token, people by a key that their browser keeps."""

import hashlib
import hmac
import secrets
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final, Literal

from bot import wire
from bot.arena.model.names import RULE, is_name, skeleton
from bot.arena.model.refusals import Refused, unavailable
from bot.arena.settings import NameLimits
from bot.arena.store.database import OPEN_S, Database, Row, as_text, open_database
from bot.arena.store.schema import new_id
from bot.errors import ConfigurationError
from bot.time_source import SystemTime, TimeSource

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
    """An address as a keyed hash, to count names per address without storing addresses."""
    if not address:
        return None
    connection.execute(NOTE_FACT, (ORIGIN_KEY, new_secret()))
    key: str = connection.execute(FACT, (ORIGIN_KEY,)).fetchone()["value"]
    return hmac.new(key.encode(), address.encode(), hashlib.sha256).hexdigest()


def why_taken(name: str, holder: Row) -> str:
    """Return a sentence: which account has the name, and the similar name if it is not the same."""
    whose = "a bot" if holder["kind"] == "bot" else "another player"
    begins = "belonged until recently" if holder["former"] else "belongs"
    if is_same(name, holder["name"]):
        return f"The name {name} {begins} to {whose}."
    return f"The name {name} looks like {holder['name']}, which {begins} to {whose}."


def is_same(name: str, other: str) -> bool:
    return name.lower() == other.lower()


def player_in(row: Row) -> wire.Player:
    """The player of a row of `accounts`."""
    return wire.Player(id=row["id"], name=row["name"], kind=row["kind"], engine=row["engine"])


def new_secret() -> str:
    """Return 256 random bits as a text that may be in a URL."""
    return secrets.token_urlsafe(SECRET_BYTES)


def hashed(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


GENERATED_NAME_TRIES: Final = 20
SEEN_EVERY: Final = timedelta(hours=6)
"""The precision of `seen_at`: most logins write nothing."""


@dataclass(frozen=True)
class Login:
    """A successful login.

    `guest_key` is set only when the account was just created. `wants_changes` says that the client
    requested `change` events instead of whole games.
    """

    player: wire.Player
    guest_key: str | None = None
    wants_changes: bool = False


@dataclass(frozen=True)
class _Account:
    player: wire.Player
    secret_hash: str
    seen_at: datetime


class Accounts:
    """The accounts in the database. Ids identify players; no two names look alike."""

    def __init__(
        self, database: Database, time: TimeSource, limits: NameLimits | None = None
    ) -> None:
        self._database = database
        self._time = time
        self._limits = limits or NameLimits()

    async def create_token(self, name: str, *, new: bool = False) -> str:
        """A new token for the bot of that name; the account is created if there is none.

        A former token of the bot becomes invalid. With `new`, the bot must not exist yet.
        Raises ConfigurationError if the name is not allowed, or if it is or looks like the name of
        another account.
        """
        token = new_secret()

        def work(connection: sqlite3.Connection) -> None:
            self.put_secret(connection, name, "bot", token, lambda _id: not new)

        await self._database.write(work)
        return token

    def put_secret(
        self,
        connection: sqlite3.Connection,
        name: str,
        kind: Literal["bot", "person"],
        secret: str,
        may_renew: Callable[[str], bool],
    ) -> str:
        """Within a transaction, set the secret of the account of that name; returns its id.

        The account is created if there is none. Of an existing one, `may_renew` decides by its id.
        Raises ConfigurationError if the name is not allowed, or if it is or looks like the name of
        another account.
        """
        if not is_name(name):
            raise ConfigurationError(f"name {name!r}: {RULE}")
        holder = self._holder(connection, name)
        if holder is None:
            player = wire.Player(id=new_id(), name=name, kind=kind)
            self._insert(connection, player, secret)
            return str(player.id)
        is_theirs = holder["kind"] == kind and is_same(holder["name"], name)
        if not is_theirs or holder["former"] or not may_renew(holder["id"]):
            raise ConfigurationError(f"name {name!r}: {why_taken(name, holder)}")
        connection.execute(NEW_HASH, (hashed(secret), holder["id"]))
        return str(holder["id"])

    async def knows_token(self, token: str) -> bool:
        """Return whether a bot can log in with it."""
        account = await self._by_secret(token)
        return account is not None and account.player.kind == "bot"

    async def log_in(self, credentials: wire.Credentials, address: str = "") -> Login:
        """The player of the token or guest key, or a new guest if there is neither.

        Raises Refused if the token or key is unknown, or the wanted name is not free.
        """
        if credentials.token is not None:
            account = await self._by_secret(credentials.token)
            if account is None or account.player.kind != "bot":
                raise Refused("bad_token")
            return Login(await self._seen(account, credentials.engine, credentials.level))
        if credentials.guest_key is not None:
            account = await self._by_secret(credentials.guest_key)
            if account is None or account.player.kind == "bot":
                raise Refused("bad_guest_key")
            return Login(await self._seen(account))
        self._check_disk()
        return await self._new_guest(credentials.name, address)

    async def rename(self, player: wire.Player, wish: str, address: str = "") -> wire.Player:
        """Give a player another name. Raises Refused if it is not free.

        A person's former name stays reserved for them (`keep_former_names_days`), because other
        people still know it.
        """
        self._check_disk()
        renamed = wire.Player(id=player.id, name=wish, kind="person")
        until = self._time.wall() + timedelta(days=self._limits.keep_former_names_days)

        def work(connection: sqlite3.Connection) -> None:
            self._check_free(connection, wish, player.id)
            self._check_room(connection, address)
            if player.kind != "guest":
                kept = (skeleton(player.name), player.id, player.name, as_text(until))
                connection.execute(KEEP_NAME, kept)
            connection.execute(FORGET_NAME, (skeleton(wish),))
            row = (wish, skeleton(wish), "person", origin_of(connection, address), player.id)
            connection.execute(RENAME, row)

        await self._database.write(work)
        return renamed

    async def find(self, name: str) -> wire.Player:
        """The player of that name, ignoring case. Raises Refused if there is none."""
        row = await self._database.read(
            lambda connection: connection.execute(BY_SKELETON, (skeleton(name),)).fetchone()
        )
        if row is None or not is_same(row["name"], name):
            raise Refused("unknown_player", f"There is no player called {name}.")
        return player_in(row)

    async def forget_guests(self, unseen_for: timedelta) -> int:
        """Delete people who were not seen for that long and never played; returns their number."""
        now = self._time.wall()
        oldest = as_text(now - unseen_for)

        def work(connection: sqlite3.Connection) -> int:
            connection.execute(FORGET_NAMES, (as_text(now),))
            return connection.execute(FORGET_GUESTS, (oldest,)).rowcount

        return await self._database.write(work)

    async def _new_guest(self, wish: str | None, address: str) -> Login:
        key = new_secret()
        kind: Literal["guest", "person"] = "guest" if wish is None else "person"

        def work(connection: sqlite3.Connection) -> wire.Player:
            if wish is not None:
                self._check_free(connection, wish, None)
                self._check_room(connection, address)
            name = wish or self._free_name(connection)
            player = wire.Player(id=new_id(), name=name, kind=kind)
            self._insert(connection, player, key, None if wish is None else address)
            return player

        return Login(await self._database.write(work), key)

    def _check_disk(self) -> None:
        if self._database.trouble is not None:
            raise unavailable()

    def _free_name(self, connection: sqlite3.Connection) -> str:
        for _ in range(GENERATED_NAME_TRIES):
            name = f"Guest-{secrets.token_hex(3)}"
            if self._holder(connection, name) is None:
                return name
        raise Refused("server_error", "No free name was found for a new guest.")

    def _holder(self, connection: sqlite3.Connection, name: str) -> Row | None:
        """The account that has, or until recently had, a name that looks like that."""
        now = as_text(self._time.wall())
        values = {"skeleton": skeleton(name), "now": now}
        holder: Row | None = connection.execute(HOLDER, values).fetchone()
        return holder

    def _check_free(self, connection: sqlite3.Connection, wish: str, own_id: str | None) -> None:
        holder = self._holder(connection, wish)
        if holder is not None and holder["id"] != own_id:
            raise Refused("name_taken", why_taken(wish, holder))

    def _check_room(self, connection: sqlite3.Connection, address: str) -> None:
        origin = origin_of(connection, address)
        values = {"origin": origin, "now": as_text(self._time.wall())}
        held = connection.execute(HELD, values).fetchone()[0]
        if origin is not None and held >= self._limits.names_per_address:
            raise Refused("too_many", "People at your address hold too many names already.")

    def _insert(
        self,
        connection: sqlite3.Connection,
        player: wire.Player,
        secret: str,
        address: str | None = None,
    ) -> None:
        now = as_text(self._time.wall())
        origin = None if address is None else origin_of(connection, address)
        looks_like = skeleton(player.name)
        row = (player.id, player.name, looks_like, player.kind, hashed(secret), origin, now, now)
        connection.execute(INSERT, row)

    async def _by_secret(self, secret: str) -> _Account | None:
        wanted = hashed(secret)
        row = await self._database.read(
            lambda connection: connection.execute(BY_HASH, (wanted,)).fetchone()
        )
        if row is None or not hmac.compare_digest(row["secret_hash"], wanted):
            return None
        return _Account(player_in(row), wanted, datetime.fromisoformat(row["seen_at"]))

    async def _seen(
        self, account: _Account, engine: str | None = None, level: int | None = None
    ) -> wire.Player:
        player, now = account.player, self._time.wall()
        is_news = (
            engine != player.engine or not account.seen_at <= now < account.seen_at + SEEN_EVERY
        )
        if is_news and self._database.trouble is None:  # a later login can write it
            row = (as_text(now), engine, player.id)
            await self._database.write(lambda connection: connection.execute(SEEN, row))
        return player.model_copy(update={"engine": engine, "level": level})


@asynccontextmanager
async def accounts_in(data: Path) -> AsyncIterator[Accounts]:
    """The accounts in a data folder, also while an arena runs on it.

    Raises HostError if that arena is of an older version with other tables.
    """
    async with open_database(data, patience_s=OPEN_S, beside_arena=True) as database:
        yield Accounts(database, SystemTime())


async def issue_token(data: Path, name: str) -> str:
    """The token that `bluestone arena token` prints. Raises HostError as `accounts_in` does."""
    async with accounts_in(data) as accounts:
        return await accounts.create_token(name)
