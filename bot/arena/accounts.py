"""Who may come in: bots by token, people by a key that their browser keeps."""

import hashlib
import hmac
import re
import secrets
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Final

from pydantic import TypeAdapter, ValidationError
from sqlalchemy import RowMapping, delete, insert, or_, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection

from bot import wire
from bot.arena.database import Database, accounts, as_text, games, open_database
from bot.arena.refusals import Refused
from bot.errors import ConfigurationError
from bot.time_source import SystemTime, TimeSource

SECRET_BYTES: Final = 32
GENERATED_NAME_TRIES: Final = 20
NAME: TypeAdapter[str] = TypeAdapter(wire.Name)


@dataclass(frozen=True)
class Login:
    """Who has come in.

    `guest_key` only where it has just been made, `former_name` where the name has just changed.
    """

    player: wire.Player
    guest_key: str | None = None
    former_name: str | None = None


class Accounts:
    """The accounts in the database; names differ by more than capitals and blanks at an end."""

    def __init__(self, database: Database, time: TimeSource) -> None:
        self._database = database
        self._time = time

    async def create_token(self, name: str) -> str:
        """A new token for the bot of that name, made if there is none of that name.

        A token that the bot had before is no longer good. Raises ConfigurationError if the name
        is not allowed, or belongs to a person.
        """
        try:
            NAME.validate_python(name)
        except ValidationError as error:
            raise ConfigurationError(
                f"name {name!r}: 2 to 24 letters, digits, blanks and . _ - are allowed, "
                "the first a letter or a digit"
            ) from error
        token = _new_secret()
        async with self._database.write() as connection:
            row = await _by_name(connection, name)
            if row is None:
                await self._insert(connection, name, "bot", token)
            elif row["kind"] != "bot":
                raise ConfigurationError(f"name {name!r}: belongs to a person on this arena")
            else:
                await connection.execute(
                    update(accounts)
                    .where(accounts.c.name == row["name"])
                    .values(secret_hash=_hash(token))
                )
        return token

    async def log_in(self, credentials: wire.Credentials) -> Login:
        """The player whose token or guest key this is, or a new guest; Refused if neither."""
        if credentials.token is not None:
            row = await self._by_secret(credentials.token)
            if row is None or row["kind"] != "bot":
                raise Refused("bad_token")
            return Login(await self._seen(row, credentials.engine))
        if credentials.guest_key is not None:
            row = await self._by_secret(credentials.guest_key)
            if row is None or row["kind"] == "bot":
                raise Refused("bad_guest_key")
            return Login(await self._seen(row, None))
        return await self._new_guest(credentials.name)

    async def rename(self, old: str, new: str) -> wire.Player:
        """Give a guest the name that he wishes; Refused if somebody else has it."""
        async with self._database.write() as connection:
            row = await _by_name(connection, new)
            if row is not None and row["name"] != old:
                raise Refused("name_taken", f"The name {new} belongs to somebody else.")
            await connection.execute(
                update(accounts)
                .where(accounts.c.name == old)
                .values(name=new, folded_name=_folded(new), kind="person")
            )
        return wire.Player(name=new, kind="person")

    async def find(self, name: str) -> wire.Player:
        """The player of that name, however its capitals are written; Refused if there is none."""
        async with self._database.read() as connection:
            row = await _by_name(connection, name)
        if row is None:
            raise Refused("unknown_player", f"There is nobody called {name}.")
        return _player(row)

    async def forget_guests(self, unseen_for: timedelta) -> int:
        """Drop people who have not been here for so long and never played; how many."""
        oldest = as_text(self._time.wall() - unseen_for)
        played = select(games.c.id).where(
            or_(games.c.player_1 == accounts.c.name, games.c.player_2 == accounts.c.name)
        )
        async with self._database.write() as connection:
            done = await connection.execute(
                delete(accounts).where(
                    accounts.c.kind != "bot", accounts.c.seen_at < oldest, ~played.exists()
                )
            )
        return done.rowcount

    async def _new_guest(self, wish: str | None) -> Login:
        key = _new_secret()
        kind: wire.Kind = "guest" if wish is None else "person"
        for _ in range(GENERATED_NAME_TRIES):
            name = wish or f"Guest-{secrets.token_hex(3)}"
            try:
                async with self._database.write() as connection:
                    await self._insert(connection, name, kind, key)
            except IntegrityError as error:
                if wish is not None:
                    message = f"The name {wish} belongs to somebody else."
                    raise Refused("name_taken", message) from error
            else:
                return Login(wire.Player(name=name, kind=kind), key)
        raise Refused("server_error", "No free name was found for a new guest.")

    async def _insert(
        self, connection: AsyncConnection, name: str, kind: wire.Kind, secret: str
    ) -> None:
        now = as_text(self._time.wall())
        await connection.execute(
            insert(accounts).values(
                name=name,
                folded_name=_folded(name),
                kind=kind,
                secret_hash=_hash(secret),
                created_at=now,
                seen_at=now,
            )
        )

    async def _by_secret(self, secret: str) -> RowMapping | None:
        hashed = _hash(secret)
        async with self._database.read() as connection:
            query = select(accounts).where(accounts.c.secret_hash == hashed)
            row = (await connection.execute(query)).mappings().one_or_none()
        if row is None or not hmac.compare_digest(row["secret_hash"], hashed):
            return None
        return row

    async def _seen(self, row: RowMapping, engine: str | None) -> wire.Player:
        seen_at = as_text(self._time.wall())
        async with self._database.write() as connection:
            await connection.execute(
                update(accounts)
                .where(accounts.c.name == row["name"])
                .values(seen_at=seen_at, engine=engine)
            )
        return _player(row).model_copy(update={"engine": engine})


async def issue_token(data: Path, name: str) -> str:
    """What `bluestone arena token` prints; works while an arena runs on the same folder."""
    async with open_database(data) as database:
        return await Accounts(database, SystemTime()).create_token(name)


async def _by_name(connection: AsyncConnection, name: str) -> RowMapping | None:
    query = select(accounts).where(accounts.c.folded_name == _folded(name))
    return (await connection.execute(query)).mappings().one_or_none()


def _player(row: RowMapping) -> wire.Player:
    return wire.Player(name=row["name"], kind=row["kind"], engine=row["engine"])


def _folded(name: str) -> str:
    return re.sub(r"\s+", " ", name).strip().casefold()


def _new_secret() -> str:
    return secrets.token_urlsafe(SECRET_BYTES)


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
