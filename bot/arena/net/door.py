"""The door: from the `auth` of a connection to the player who it is, or a refusal."""

from dataclasses import replace

from bot import wire
from bot.arena.model.refusals import Refused
from bot.arena.net.login_attempts import LoginAttempts
from bot.arena.net.rate_limit import AddressBuckets
from bot.arena.net.socket_io import NOT_JSON, Incoming, parsed
from bot.arena.service.renaming import Renaming
from bot.arena.settings import ConnectionLimits
from bot.arena.store.accounts import Accounts, Login
from bot.arena.store.hosts import Hosts
from bot.time_source import TimeSource


class Door:
    """Checks credentials, and how often an address tries."""

    def __init__(
        self,
        accounts: Accounts,
        hosts: Hosts,
        renaming: Renaming,
        limits: ConnectionLimits,
        time: TimeSource,
    ) -> None:
        self._accounts = accounts
        self._hosts = hosts
        self._renaming = renaming
        self._newcomers = AddressBuckets(limits.new_guests_per_s, limits.new_guests_burst, time)
        self._attempts = LoginAttempts(limits, time)

    async def admit(self, auth: object, address: str) -> Login:
        """Who wants to come in; Refused if they may not. An unreadable `auth` is an `Incoming`."""
        if isinstance(auth, Incoming):
            raise Refused(auth.problem or NOT_JSON)
        credentials = parsed(wire.Credentials, auth)
        login = await self._login(credentials, address)
        return replace(login, wants_changes=credentials.events == "new")

    async def _login(self, credentials: wire.Credentials, address: str) -> Login:
        secret = credentials.guest_key if credentials.token is None else credentials.token
        if secret is None:
            return await self._new_guest(credentials, address)
        async with self._attempts.attempt(address, secret):
            login = await self._accounts.log_in(credentials, address)
        if login.player.kind == "person":  # it may have become one lately
            await self._hosts.may_host(login.player.id)
        player, wish = self._renaming.current(login.player), credentials.name
        if player.kind != "bot" and wish is not None and wish != player.name:
            player = await self._renaming.rename(player, wish, address)
        return Login(player)

    async def _new_guest(self, credentials: wire.Credentials, address: str) -> Login:
        bucket = self._newcomers.of(address)
        if not bucket.take():
            message = "Too many new guests from this address."
            raise Refused("rate_limited", message, retry_after_s=bucket.wait_s)
        login = await self._accounts.log_in(credentials, address)
        if login.guest_key is not None:
            self._attempts.remember(login.guest_key)
        return login
