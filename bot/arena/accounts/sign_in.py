"""How a person signs in without the key of a browser: passkeys, and one recovery link.

A person with one of them is *registered*. A person who signs in gets a new session, whose key the
browser keeps as the guest key. All of this is rows of the database, so that every process of an
arena can do it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import structlog

from bot import wire
from bot.arena.accounts import passkeys, proofs
from bot.arena.accounts.passkeys import Passkey, Purpose
from bot.arena.players import sessions
from bot.arena.players.accounts import BY_ID, hashed, player_in
from bot.arena.players.sessions import Session
from bot.arena.refusals import Refused, unavailable
from bot.arena.store import orders
from bot.arena.store.connection import Connection
from bot.arena.store.database import Database, as_text
from bot.arena.store.ids import new_id, new_secret
from bot.time_source import TimeSource

MOST_PASSKEYS: Final = 20
LAST_WAY: Final = (
    "This is your only way to sign in again. Create a recovery link or another passkey first."
)
STALE: Final = "The request for the passkey is too old or was used before. Try again."
COPIED: Final = (
    "The counter of this passkey did not rise, so another copy of it may be in use. Sign in with "
    "your recovery link or another passkey, remove this passkey, and create a new one."
)
NOT_YOUR_PASSKEY: Final = "This passkey belongs to another account."
NO_NAME: Final = "Choose a name first."

_REGISTER: Final = """
UPDATE accounts SET registered_at = coalesce(registered_at, ?) WHERE id = ?"""
_RECOVERY: Final = "SELECT * FROM recovery_links WHERE account = ?"
_BY_LINK: Final = "SELECT * FROM recovery_links WHERE secret_hash = ?"
_PUT_LINK: Final = """
INSERT INTO recovery_links (account, secret_hash, created_at, used_at) VALUES (?, ?, ?, NULL)
ON CONFLICT (account) DO UPDATE SET secret_hash = excluded.secret_hash,
    created_at = excluded.created_at, used_at = NULL"""
_LINK_USED: Final = "UPDATE recovery_links SET used_at = ? WHERE account = ?"


log = structlog.get_logger()


@dataclass(frozen=True)
class SignedIn:
    """A new session: the person, the key of the session, and its id."""

    player: wire.Player
    guest_key: str
    session: str


@dataclass(frozen=True)
class WaysIn:
    """A person's devices, passkeys, and since when a recovery link can be used."""

    player: wire.Player
    sessions: Sequence[Session]
    passkeys: Sequence[Passkey]
    recovery_since: datetime | None


class SignInStore:
    """Methods raise Refused for what a person may not do."""

    def __init__(self, database: Database, time: TimeSource) -> None:
        self._database = database
        self._time = time

    def check_disk(self) -> None:
        """Raises Refused while the database cannot be written."""
        if self._database.trouble is not None:
            raise unavailable()

    async def ways_in(self, account: str) -> WaysIn:
        """What the page of the account shows."""

        def query(connection: Connection) -> WaysIn:
            link = connection.execute(_RECOVERY, (account,)).fetchone()
            is_open = link is not None and link["used_at"] is None
            return WaysIn(
                _player(connection, account),
                sessions.valid(connection, account),
                passkeys.of(connection, account),
                datetime.fromisoformat(link["created_at"]) if is_open else None,
            )

        return await self._database.read(query)

    # ---- passkeys --------------------------------------------------------------------------

    async def begin(self, challenge: str, purpose: Purpose, account: str | None) -> None:
        """Note a challenge that a passkey may answer once."""
        self.check_disk()
        now = self._time.wall()
        await self._database.write(
            lambda connection: passkeys.begin(connection, challenge, purpose, account, now)
        )

    async def add_passkey(self, made: Passkey, challenge: str, session: str) -> wire.Player:
        """Add a passkey of a person, who is there. With it, the person is registered."""
        self.check_disk()
        now = self._time.wall()

        def work(connection: Connection) -> wire.Player:
            known = passkeys.find(connection, made.id)
            if known == made:  # repeated after a commit whose answer was lost
                return _player(connection, made.account)
            if known is not None:
                raise Refused("bad_passkey", "This passkey is registered already.")
            if not passkeys.take(connection, challenge, "register", made.account, now):
                raise Refused("bad_passkey", STALE)
            if len(passkeys.of(connection, made.account)) >= MOST_PASSKEYS:
                raise Refused("too_many", f"An account has at most {MOST_PASSKEYS} passkeys.")
            passkeys.put(connection, made)
            proofs.note_proof(connection, made.account, session, now)
            return register(connection, made.account, now)

        return await self._database.write(work)

    async def passkey(self, passkey: str) -> Passkey:
        """The passkey of that id."""
        found = await self._database.read(lambda connection: passkeys.find(connection, passkey))
        if found is None:
            raise Refused("bad_passkey", "This passkey is not known here. It may be removed.")
        return found

    async def sign_in(
        self, passkey: Passkey, sign_count: int, challenge: str, label: str
    ) -> SignedIn:
        """A new session after an answer of that passkey, whose signature has been verified."""
        self.check_disk()
        now, key, session = self._time.wall(), new_secret(), new_id()

        def work(connection: Connection) -> SignedIn:
            if not sessions.is_there(connection, session):
                if not passkeys.take(connection, challenge, "sign-in", None, now):
                    raise Refused("bad_passkey", STALE)
                _note_use(connection, passkey, sign_count, now)
                sessions.add(connection, session, passkey.account, hashed(key), now, label)
                proofs.note_proof(connection, passkey.account, session, now)
            return SignedIn(_player(connection, passkey.account), key, session)

        return await self._database.write(work)

    async def rename_passkey(self, account: str, passkey: str, label: str) -> None:
        """Give a passkey of that person another label."""
        self.check_disk()
        if not await self._database.write(
            lambda connection: passkeys.rename(connection, account, passkey, label)
        ):
            raise Refused("bad_passkey", "You have no such passkey.")

    async def remove_passkey(self, account: str, passkey: str) -> None:
        """Remove a passkey of that person, unless it is the only way to sign in again."""
        self.check_disk()

        def work(connection: Connection) -> None:
            others = [each for each in passkeys.of(connection, account) if each.id != passkey]
            link = connection.execute(_RECOVERY, (account,)).fetchone()
            if not others and (link is None or link["used_at"] is not None):
                raise Refused("not_now", LAST_WAY)
            passkeys.remove(connection, account, passkey)

        await self._database.write(work)

    # ---- the recovery link -----------------------------------------------------------------

    async def new_recovery(self, account: str, session: str) -> str:
        """The secret of a new recovery link; a former one does not work any more."""
        self.check_disk()
        secret, now = new_secret(), self._time.wall()

        def work(connection: Connection) -> None:
            put_recovery(connection, account, hashed(secret), now)
            proofs.note_proof(connection, account, session, now)

        await self._database.write(work)
        return secret

    async def recover(self, secret: str, label: str) -> SignedIn:
        """A new session for the person of a recovery link, which works once."""
        self.check_disk()
        now, key, session = self._time.wall(), new_secret(), new_id()

        def work(connection: Connection) -> SignedIn:
            link = connection.execute(_BY_LINK, (hashed(secret),)).fetchone()
            if link is None:
                raise Refused("bad_recovery_link")
            account = link["account"]
            if not sessions.is_there(connection, session):
                if link["used_at"] is not None:
                    raise Refused("bad_recovery_link", "This recovery link was used before.")
                connection.execute(_LINK_USED, (as_text(now), account))
                sessions.add(connection, session, account, hashed(key), now, label)
                proofs.note_proof(connection, account, session, now)
            return SignedIn(_player(connection, account), key, session)

        return await self._database.write(work)

    # ---- proofs ----------------------------------------------------------------------------

    async def check_proof(self, account: str, session: str) -> None:
        """Raises Refused if the person could prove who they are, and has not done so just now."""
        now = self._time.wall()

        def query(connection: Connection) -> bool:
            link = connection.execute(_RECOVERY, (account,)).fetchone()
            has_link = link is not None and link["used_at"] is None
            can_prove = has_link or bool(passkeys.of(connection, account))
            return not can_prove or proofs.is_proved(connection, account, session, now)

        if not await self._database.read(query):
            raise Refused("proof_needed")

    async def prove_by_passkey(
        self, account: str, session: str, passkey: Passkey, sign_count: int, challenge: str
    ) -> None:
        """Note a proof by an answer of that passkey, whose signature has been verified."""
        self.check_disk()
        now = self._time.wall()

        def work(connection: Connection) -> None:
            if passkey.account != account:
                raise Refused("bad_passkey", NOT_YOUR_PASSKEY)
            if not passkeys.take(connection, challenge, "prove", account, now):
                if proofs.is_proved(connection, account, session, now):
                    return  # repeated after a commit whose answer was lost
                raise Refused("bad_passkey", STALE)
            _note_use(connection, passkey, sign_count, now)
            proofs.note_proof(connection, account, session, now)

        await self._database.write(work)

    async def prove_by_link(self, account: str, session: str, secret: str) -> None:
        """Note a proof by the person's recovery link, which still works afterwards."""
        self.check_disk()
        now = self._time.wall()

        def work(connection: Connection) -> None:
            link = connection.execute(_BY_LINK, (hashed(secret),)).fetchone()
            if link is None or link["account"] != account or link["used_at"] is not None:
                raise Refused("bad_recovery_link")
            proofs.note_proof(connection, account, session, now)

        await self._database.write(work)

    # ---- devices ---------------------------------------------------------------------------

    async def name_device(self, session: str, label: str) -> None:
        """Note on which device a session is used."""
        self.check_disk()
        await self._database.write(
            lambda connection: sessions.name_device(connection, session, label)
        )

    async def link_for_another_device(self, account: str) -> tuple[str, datetime]:
        """The secret of a link that signs in one more device once, and until when it works.

        It replaces a former one that was not used.
        """
        self.check_disk()
        now, secret = self._time.wall(), new_secret()
        await self._database.write(
            lambda connection: proofs.put_device_link(connection, account, hashed(secret), now)
        )
        return secret, now + proofs.LINK_LASTS

    async def sign_in_device(self, secret: str, label: str) -> SignedIn:
        """A new session for the person of a link for another device."""
        self.check_disk()
        now, key, session = self._time.wall(), new_secret(), new_id()

        def work(connection: Connection) -> SignedIn:
            account = sessions.account_of(connection, session)
            if account is None:
                account = proofs.take_device_link(connection, hashed(secret), now)
                if account is None:
                    raise Refused("bad_device_link")
                sessions.add(connection, session, account, hashed(key), now, label)
            return SignedIn(_player(connection, account), key, session)

        return await self._database.write(work)

    async def end_session(self, account: str, session: str) -> None:
        """Sign a device out. Raises Refused if the person has no such session."""
        self.check_disk()
        now, mark = self._time.wall(), new_id()

        def work(connection: Connection) -> None:
            if not sessions.end(connection, account, session, now):
                raise Refused("unknown_device")
            orders.note_change(connection, mark)

        await self._database.write(work)

    async def end_other_sessions(self, account: str, kept: str) -> int:
        """Sign all devices out but one; returns how many."""
        self.check_disk()
        now, mark = self._time.wall(), new_id()

        def work(connection: Connection) -> int:
            ended = sessions.end_others(connection, account, kept, now)
            orders.note_change(connection, mark)
            return ended

        return await self._database.write(work)


def register(connection: Connection, account: str, now: datetime) -> wire.Player:
    """Note within the transaction that is open that a person can sign in again."""
    player = _player(connection, account)
    if player.kind != "person":
        raise Refused("name_needed", NO_NAME)
    connection.execute(_REGISTER, (as_text(now), account))
    return player.model_copy(update={"registered": True})


def put_recovery(connection: Connection, account: str, secret_hash: str, now: datetime) -> None:
    """Write a recovery link within the transaction that is open; it replaces a former one."""
    register(connection, account, now)
    connection.execute(_PUT_LINK, (account, secret_hash, as_text(now)))


def _player(connection: Connection, account: str) -> wire.Player:
    row = connection.execute(BY_ID, (account,)).fetchone()
    if row is None:
        raise Refused("bad_guest_key")
    return player_in(row)


def _note_use(connection: Connection, passkey: Passkey, sign_count: int, now: datetime) -> None:
    """Note an answer. A count that did not rise may come from a copy: it is refused.

    Counts of synchronised passkeys are always 0. WebAuthn leaves the decision to the site.
    """
    if passkeys.note_use(connection, passkey.id, sign_count, now):
        return
    known = passkeys.find(connection, passkey.id)
    if known is None:  # removed a moment ago
        raise Refused("bad_passkey")
    counts = {"count": sign_count, "last_count": known.sign_count}
    log.warning("passkey_count_went_back", account=known.account, **counts)
    raise Refused("copied_passkey", COPIED)
