"""Login: from the `auth` of a connection to a player, or a refusal."""

import asyncio
import hashlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Final

from bot import wire
from bot.arena.edge.validation import parsed
from bot.arena.lobby.renaming import Renamer
from bot.arena.players.accounts import Accounts, Login
from bot.arena.players.hosts import Hosts
from bot.arena.refusals import Refused
from bot.arena.settings import ConnectionLimits
from bot.runtime.bounded import BoundedMemory
from bot.runtime.rate_limit import AddressBuckets
from bot.time_source import TimeSource

WRONG_SECRET: Final = frozenset(
    {
        "bad_token",
        "bad_guest_key",
        "bad_passkey",
        "copied_passkey",
        "bad_recovery_link",
        "bad_device_link",
    }
)
REMEMBERED_BYTES: Final = 4_000_000
"""About 10,000 secrets that were right."""
TOO_MANY: Final = "There were too many failed logins from this address."


@dataclass
class _Running:
    """Attempts of one address in progress; `settled` is set when one of them ends."""

    count: int = 0
    settled: asyncio.Event = field(default_factory=asyncio.Event)


class LoginAttempts:
    """Limits failed logins per address; an attempt counts as failed until it has succeeded.

    So a thousand attempts at once are limited too: while an address has as many in progress as it
    may fail, further ones wait for a result. Secrets that have succeeded before are not limited,
    so that strangers at the same address cannot lock a player out.
    """

    def __init__(self, limits: ConnectionLimits, time: TimeSource) -> None:
        self._buckets = AddressBuckets(limits.failed_logins_per_s, limits.failed_logins_burst, time)
        self._running: dict[str, _Running] = {}
        self._known: BoundedMemory[bytes, None] = BoundedMemory(REMEMBERED_BYTES)

    @asynccontextmanager
    async def attempt(self, address: str, secret: str) -> AsyncIterator[None]:
        """Wraps the check of a secret. Raises Refused before it if there were too many failures."""
        digest = _digest(secret)
        is_known = digest in self._known
        if not is_known:
            await self._reserve(address)
        is_wrong = False
        try:
            yield
        except Refused as refused:
            is_wrong = refused.code in WRONG_SECRET
            raise
        else:
            self.remember(secret)
        finally:
            if is_wrong:
                self._known.forget(digest)
            if not is_known:
                self._settle(address, is_wrong)

    async def _reserve(self, address: str) -> None:
        bucket = self._buckets.of(address)
        while not bucket.take():
            if address not in self._running:
                raise Refused("rate_limited", TOO_MANY, retry_after_s=bucket.wait_s)
            await self._running[address].settled.wait()
        self._running.setdefault(address, _Running()).count += 1

    def _settle(self, address: str, is_wrong: bool) -> None:
        if not is_wrong:
            self._buckets.of(address).give_back()
        running = self._running[address]
        running.count -= 1
        running.settled.set()
        if running.count:
            running.settled = asyncio.Event()
        else:
            del self._running[address]

    def remember(self, secret: str) -> None:
        """Note a valid secret; further attempts with it are not limited."""
        self._known.put(_digest(secret), None)


def _digest(secret: str) -> bytes:
    return hashlib.sha256(secret.encode()).digest()


class Authenticator:
    """Checks credentials, and limits attempts per address."""

    def __init__(
        self,
        accounts: Accounts,
        hosts: Hosts,
        renamer: Renamer,
        limits: ConnectionLimits,
        time: TimeSource,
        attempts: LoginAttempts,
    ) -> None:
        self._accounts = accounts
        self._hosts = hosts
        self._renamer = renamer
        self._newcomers = AddressBuckets(limits.new_guests_per_s, limits.new_guests_burst, time)
        self._attempts = attempts

    async def authenticate(self, auth: object, address: str) -> Login:
        """The login for the `auth` of a connection. Raises Refused."""
        credentials = parsed(wire.Credentials, auth or None)
        login = await self._login(credentials, address)
        return replace(login, wants_changes=credentials.events == "new")

    async def _login(self, credentials: wire.Credentials, address: str) -> Login:
        secret = credentials.guest_key if credentials.token is None else credentials.token
        if secret is None:
            return await self._new_guest(credentials, address)
        async with self._attempts.attempt(address, secret):
            login = await self._accounts.log_in(credentials, address)
        if login.player.kind == "person":  # the operator may have made them a host since
            await self._hosts.look_up(login.player.id)
        player, wish = self._renamer.current(login.player), credentials.name
        if player.kind != "bot" and wish is not None and wish != player.name:
            player = await self._renamer.rename(player, wish, address)
        return replace(login, player=player)

    async def _new_guest(self, credentials: wire.Credentials, address: str) -> Login:
        bucket = self._newcomers.of(address)
        if not bucket.take():
            message = "Too many new guests from this address."
            raise Refused("rate_limited", message, retry_after_s=bucket.wait_s)
        login = await self._accounts.log_in(credentials, address)
        if login.guest_key is not None:
            self._attempts.remember(login.guest_key)
        return login
