"""Accounts: bots log in by token, people by a key that their browser keeps."""

import hashlib
import hmac
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final, Literal

from bot import wire
from bot.arena.players import account_data, sessions, starting_ratings, tokens
from bot.arena.players.name_store import Names, is_same, origin_of, why_taken
from bot.arena.players.names import RULE, is_name, skeleton
from bot.arena.refusals import Refused, unavailable
from bot.arena.settings import NameLimits, Place
from bot.arena.store import orders
from bot.arena.store.connection import Connection, Hold, Row
from bot.arena.store.database import OPEN_S, Database, as_text
from bot.arena.store.ids import new_id, new_secret
from bot.arena.store.opening import open_database
from bot.arena.store.tables import Role, all_tables
from bot.errors import ConfigurationError
from bot.time_source import SystemTime, TimeSource
from bot.tournaments.glicko2 import Rating
from bot.wire.base import Kind

INSERT: Final = """
INSERT INTO accounts (id, name, skeleton, kind, origin, created_at, seen_at)
VALUES (?, ?, ?, ?, ?, ?, ?)"""
BY_SKELETON: Final = "SELECT * FROM accounts WHERE skeleton = ?"
BY_ID: Final = "SELECT * FROM accounts WHERE id = ?"
BOT_OF: Final = """
SELECT accounts.*, tokens.id AS token, tokens.secret_hash AS token_hash, used_at, ends_at
FROM tokens JOIN accounts ON accounts.id = tokens.account WHERE tokens.secret_hash = ?"""
USED: Final = "UPDATE tokens SET used_at = ? WHERE id = ?"
SEEN: Final = "UPDATE accounts SET seen_at = ?, engine = ? WHERE id = ?"
RENAME: Final = """
UPDATE accounts SET name = ?, skeleton = ?, kind = ?, origin = coalesce(?, origin)
WHERE id = ?"""
KEEP_NAME: Final = """
INSERT INTO former_names (skeleton, account, name, until) VALUES (?, ?, ?, ?)
ON CONFLICT (skeleton) DO UPDATE SET account = excluded.account, name = excluded.name,
    until = excluded.until"""
FORGET_NAME: Final = "DELETE FROM former_names WHERE skeleton = ?"
CLOSE_NAME: Final = """
INSERT INTO closed_names (skeleton, name, since) VALUES (?, ?, ?)
ON CONFLICT (skeleton) DO NOTHING"""
FORGET_NAMES: Final = "DELETE FROM former_names WHERE until <= ?"
FORGET_GUESTS: Final = """
DELETE FROM accounts WHERE kind <> 'bot' AND seen_at < ? AND registered_at IS NULL
AND NOT EXISTS (SELECT 1 FROM games WHERE player_1 = accounts.id OR player_2 = accounts.id)
AND NOT EXISTS (SELECT 1 FROM hosts WHERE account = accounts.id)"""
KEPT: Final = "AND NOT EXISTS (SELECT 1 FROM {table} WHERE account = accounts.id)"


def player_in(row: Row) -> wire.Player:
    """The player of a row of `accounts`."""
    return wire.Player(
        id=row["id"],
        name=row["name"],
        kind=row["kind"],
        engine=row["engine"],
        registered=row["registered_at"] is not None,
    )


def named(connection: Connection, name: str) -> wire.Player:
    """The player of that name, ignoring case. Raises Refused if the name is unknown."""
    row = connection.execute(BY_SKELETON, (skeleton(name),)).fetchone()
    if row is None or not is_same(row["name"], name):
        raise Refused("unknown_player", f"There is no player called {name}.")
    return player_in(row)


def hashed(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


SIGNED_OUT: Final = "This device was signed out."
SEEN_EVERY: Final = timedelta(hours=6)
"""The precision of `seen_at`: most logins write nothing."""
USED_EVERY: Final = timedelta(minutes=1)
"""The precision of a token's `used_at`."""


@dataclass(frozen=True)
class Login:
    """A successful login.

    `guest_key` is set only when the account was just created. `wants_changes` says that the client
    requested `change` events instead of whole games. `token` is the id of a bot's token or of a
    person's session.
    """

    player: wire.Player
    guest_key: str | None = None
    wants_changes: bool = False
    token: str | None = None


@dataclass(frozen=True)
class _Account:
    """`token` is the id of the token or the session; `is_token_news` says that its use is noted."""

    player: wire.Player
    seen_at: datetime
    token: str | None = None
    is_token_news: bool = False


class Accounts:
    """The accounts in the database. Ids identify players; no two names look alike."""

    def __init__(
        self, database: Database, time: TimeSource, limits: NameLimits | None = None
    ) -> None:
        self._database = database
        self._time = time
        self._limits = limits or NameLimits()
        self._names = Names(time, self._limits)

    async def create_token(
        self,
        name: str,
        *,
        new: bool = False,
        by: orders.By = orders.PROGRAM,
        starting: Mapping[str, Rating] | None = None,
        role: Role | None = None,
    ) -> str:
        """A new token for the bot of that name. Creates the account if it does not exist.

        All former tokens of the bot end. With `new`, the bot must not exist yet. An account that
        this creates starts at the ratings `starting`, by game, and gets the `role`.
        Raises ConfigurationError if the name is not allowed, or if it is or looks like the name of
        another account.
        """
        token, own, now = new_secret(), new_id(), self._time.wall()
        order = orders.Order.done(now, "token", name, by)

        def work(connection: Connection) -> None:
            account = self.account_named(connection, name, "bot", lambda _id: not new, own)
            if account == own:
                starting_ratings.put(connection, account, starting or {})
                if role is not None:
                    role(connection, account, as_text(now))
            ended = tokens.replace(connection, account, hashed(token), now, now)
            outcome = "a new token" if not ended else f"a new token; former tokens ended: {ended}"
            orders.put(connection, order.with_outcome(outcome))

        await self._database.write(work)
        return token

    def account_named(
        self,
        connection: Connection,
        name: str,
        kind: Literal["bot", "person"],
        may_use: Callable[[str], bool],
        own: str,
    ) -> str:
        """Within a transaction, return the id of the account of that name.

        If no account has the name, this creates one with the id `own` and without a secret.
        `may_use` decides by the id whether an existing account may be used.
        Raises ConfigurationError if the name is not allowed, or if it is or looks like the name of
        another account.
        """
        if not is_name(name):
            raise ConfigurationError(f"name {name!r}: {RULE}")
        holder = self._names.holder(connection, name)
        if holder is None:
            self._insert(connection, wire.Player(id=own, name=name, kind=kind))
            return own
        if holder["id"] == own:  # the work is repeated after a commit whose answer was lost
            return own
        is_theirs = holder["kind"] == kind and is_same(holder["name"], name)
        if not is_theirs or holder["former"] or not may_use(holder["id"]):
            raise ConfigurationError(f"name {name!r}: {why_taken(name, holder)}")
        return str(holder["id"])

    async def knows_token(self, token: str) -> bool:
        """Return whether a bot can log in with it."""
        with suppress(Refused):
            await self._by_token(token)
            return True
        return False

    async def log_in(self, credentials: wire.Credentials, address: str = "") -> Login:
        """The player of the token or guest key, or a new guest if there is neither.

        Raises Refused if the token or key is unknown, or the wanted name is not free.
        """
        if credentials.token is not None:
            bot = await self._by_token(credentials.token)
            player = await self._seen(bot, credentials.engine, credentials.level)
            return Login(player, token=bot.token)
        if credentials.guest_key is not None:
            account = await self._by_secret(credentials.guest_key)
            if account is None:
                raise Refused("bad_guest_key")
            return Login(await self._seen(account), token=account.token)
        self._check_disk()
        return await self._new_guest(credentials.name, address)

    async def rename(self, player: wire.Player, wish: str, address: str = "") -> wire.Player:
        """Give a player another name. Raises Refused if it is not free.

        A person's former name stays reserved for them (`keep_former_names_days`), because other
        people still know it.
        """
        self._check_disk()
        renamed = player.model_copy(update={"name": wish, "kind": "person"})
        until = self._time.wall() + timedelta(days=self._limits.keep_former_names_days)

        def work(connection: Connection) -> None:
            now = connection.execute(BY_ID, (player.id,)).fetchone()
            if now is not None and (now["name"], now["kind"]) == (wish, "person"):
                return  # also if the work is repeated after a commit whose answer was lost
            self._names.check_choice(connection, wish, player.id, player.name)
            self._names.check_room(connection, address)
            if player.kind != "guest":
                kept = (skeleton(player.name), player.id, player.name, as_text(until))
                connection.execute(KEEP_NAME, kept)
            connection.execute(FORGET_NAME, (skeleton(wish),))
            row = (wish, skeleton(wish), "person", origin_of(connection, address), player.id)
            connection.execute(RENAME, row)

        await self._database.write(work)
        return renamed

    async def rename_by_operator(self, player: wire.Player) -> wire.Player:
        """Give the account of that id this name and kind, whatever it was; no player may have the
        former name again. Repeating this changes nothing. Raises Refused if the name is not free.
        """

        def work(connection: Connection) -> wire.Player:
            row = connection.execute(BY_ID, (player.id,)).fetchone()
            if row is None:
                raise Refused("unknown_player")
            if row["name"] != player.name:
                self._names.check_free(connection, player.name, player.id)
                looks_like, now = skeleton(row["name"]), as_text(self._time.wall())
                connection.execute(FORGET_NAME, (looks_like,))
                renamed = (player.name, skeleton(player.name), player.kind, None, player.id)
                connection.execute(RENAME, renamed)
                if looks_like != skeleton(player.name):
                    connection.execute(CLOSE_NAME, (looks_like, row["name"], now))
            return player_in(row).model_copy(update={"name": player.name, "kind": player.kind})

        return await self._database.write(work)

    async def player(self, account: str) -> wire.Player:
        """The player of that id. Raises Refused if the id is unknown."""
        row = await self._database.read(
            lambda connection: connection.execute(BY_ID, (account,)).fetchone()
        )
        if row is None:
            raise Refused("unknown_player")
        return player_in(row)

    async def forget(self, account: str, neutral: str) -> None:
        """Delete what only concerns that person; see `account_data.forget`."""
        now = self._time.wall()
        await self._database.write(
            lambda connection: account_data.forget(connection, account, neutral, now)
        )

    async def redact(self, account: str, neutral: str) -> None:
        """Write the neutral name into the person's games; see `account_data.redact`."""
        await account_data.redact(self._database, account, neutral)

    async def neutral_name(self, kind: Kind, prefix: str | None = None) -> str:
        """A generated name that is free now."""
        prefix = prefix or ("Bot" if kind == "bot" else "Guest")
        return await self._database.read(lambda connection: self._names.free(connection, prefix))

    async def by_key(self, guest_key: str) -> tuple[wire.Player, str]:
        """The person of a guest key, and the id of the session. Raises Refused."""
        account = await self._by_secret(guest_key)
        if account is None or account.token is None:
            raise Refused("bad_guest_key")
        return account.player, account.token

    async def find(self, name: str) -> wire.Player:
        """The player of that name, ignoring case. Raises Refused if the name is unknown."""
        return await self._database.read(lambda connection: named(connection, name))

    async def forget_guests(self, unseen_for: timedelta) -> int:
        """Delete people who were not seen for that long and never played; returns their number."""
        now = self._time.wall()
        oldest, forgotten = as_text(now - unseen_for), 0
        tables = [table for each in all_tables() for table in each.personal.needed]
        forget = "\n".join([FORGET_GUESTS, *(KEPT.format(table=table) for table in tables)])

        def work(connection: Connection) -> int:
            nonlocal forgotten  # the work may be repeated after a commit whose answer was lost
            connection.execute(FORGET_NAMES, (as_text(now),))
            forgotten = connection.execute(forget, (oldest,)).rowcount or forgotten
            return forgotten

        return await self._database.write(work)

    async def _new_guest(self, wish: str | None, address: str) -> Login:
        key, own, session = new_secret(), new_id(), new_id()
        kind: Literal["guest", "person"] = "guest" if wish is None else "person"

        def work(connection: Connection) -> wire.Player:
            if (made := connection.execute(BY_ID, (own,)).fetchone()) is not None:
                return player_in(made)  # repeated after a commit whose answer was lost
            if wish is not None:
                self._names.check_choice(connection, wish, None)
                self._names.check_room(connection, address)
            name = wish or self._names.free(connection)
            player = wire.Player(id=own, name=name, kind=kind)
            self._insert(connection, player, None if wish is None else address)
            sessions.add(connection, session, own, hashed(key), self._time.wall())
            return player

        return Login(await self._database.write(work), key, token=session)

    def _check_disk(self) -> None:
        if self._database.trouble is not None:
            raise unavailable()

    def _insert(
        self,
        connection: Connection,
        player: wire.Player,
        address: str | None = None,
    ) -> None:
        now = as_text(self._time.wall())
        origin = None if address is None else origin_of(connection, address)
        row = (player.id, player.name, skeleton(player.name), player.kind, origin, now, now)
        connection.execute(INSERT, row)

    async def _by_secret(self, secret: str) -> _Account | None:
        """The person with that key; None if no session has it."""
        wanted, now = hashed(secret), self._time.wall()
        row = await self._database.read(
            lambda connection: connection.execute(sessions.BY_HASH, (wanted,)).fetchone()
        )
        if row is None or not hmac.compare_digest(row["session_hash"], wanted):
            return None
        if row["ends_at"] is not None:
            raise Refused("bad_guest_key", SIGNED_OUT)
        used_long_ago = as_text(now - sessions.USED_EVERY)
        return _Account(
            player_in(row),
            datetime.fromisoformat(row["seen_at"]),
            row["session"],
            row["used_at"] is None or not used_long_ago < row["used_at"] <= as_text(now),
        )

    async def _by_token(self, secret: str) -> _Account:
        """The bot of a token. Raises Refused if the token is unknown or has ended."""
        wanted, now = hashed(secret), as_text(self._time.wall())
        row = await self._database.read(
            lambda connection: connection.execute(BOT_OF, (wanted,)).fetchone()
        )
        if row is None or not hmac.compare_digest(row["token_hash"], wanted):
            raise Refused("bad_token")
        if row["ends_at"] is not None and row["ends_at"] <= now:
            raise Refused("bad_token", "The token was revoked or replaced.")
        used_long_ago = as_text(self._time.wall() - USED_EVERY)
        return _Account(
            player_in(row),
            datetime.fromisoformat(row["seen_at"]),
            row["token"],
            row["used_at"] is None or not used_long_ago < row["used_at"] <= now,
        )

    async def _seen(
        self, account: _Account, engine: str | None = None, level: int | None = None
    ) -> wire.Player:
        player, now = account.player, self._time.wall()
        is_news = (
            engine != player.engine or not account.seen_at <= now < account.seen_at + SEEN_EVERY
        )

        def work(connection: Connection) -> None:
            connection.execute(SEEN, (as_text(now), engine, player.id))
            used = USED if player.kind == "bot" else sessions.USED
            connection.execute(used, (as_text(now), account.token))

        if (is_news or account.is_token_news) and self._database.trouble is None:
            await self._database.write(work)  # otherwise a later login can write it
        return player.model_copy(update={"engine": engine, "level": level})


@asynccontextmanager
async def accounts_in(where: Path | Place) -> AsyncIterator[Accounts]:
    """The accounts in a data folder or at a place, also while an arena runs on it.

    Raises HostError if that arena is of an older version with other tables.
    """
    async with open_database(where, OPEN_S, Hold.NONE) as database:
        yield Accounts(database, SystemTime())


async def issue_token(where: Path | Place, name: str, by: orders.By = orders.PROGRAM) -> str:
    """The token that `bluestone arena token` prints. Raises HostError as `accounts_in` does."""
    async with accounts_in(where) as accounts:
        return await accounts.create_token(name, by=by)
