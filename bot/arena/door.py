"""The door: from the `auth` of a connection to the player who it is, or a refusal."""

import structlog

from bot import wire
from bot.arena.accounts import Accounts, Login
from bot.arena.games import Games
from bot.arena.lobby import Lobby
from bot.arena.login_attempts import LoginAttempts
from bot.arena.packets import NOT_JSON, Incoming
from bot.arena.presence import Presence
from bot.arena.rate_limit import AddressBuckets, TokenBucket
from bot.arena.refusals import Refused
from bot.arena.requests import parsed
from bot.arena.settings import ConnectionLimits
from bot.arena.sockets import ONLY_NEWCOMERS, Sockets
from bot.time_source import TimeSource

log = structlog.get_logger()


class Door:
    """Checks credentials, how often an address tries, and how many connections a player has."""

    def __init__(
        self,
        accounts: Accounts,
        games: Games,
        lobby: Lobby,
        presence: Presence,
        sockets: Sockets,
        limits: ConnectionLimits,
        time: TimeSource,
    ) -> None:
        self._accounts = accounts
        self._games = games
        self._lobby = lobby
        self._presence = presence
        self._sockets = sockets
        self._limits = limits
        self._time = time
        self._newcomers = AddressBuckets(limits.new_guests_per_s, limits.new_guests_burst, time)
        self._attempts = LoginAttempts(limits, time)

    async def admit(self, auth: object, address: str) -> Login:
        """Who wants to come in; Refused if they may not. An unreadable `auth` is an `Incoming`."""
        if isinstance(auth, Incoming):
            raise Refused(auth.problem or NOT_JSON)
        credentials = parsed(wire.Credentials, auth)
        secret = credentials.guest_key if credentials.token is None else credentials.token
        if secret is None:
            return await self._new_guest(credentials, address)
        async with self._attempts.attempt(address, secret):
            login = await self._accounts.log_in(credentials, address)
        wish = credentials.name
        if login.player.kind != "bot" and wish not in {None, login.player.name}:
            return await self._renamed(login, str(wish), address)
        return login

    def check_room_for(self, player: wire.Player) -> None:
        """Refused if the player has as many connections as there may be."""
        held = self._presence.count_of(player.name)
        if held >= self._limits.connections_per_player:
            raise Refused("too_many", f"{player.name} has {held} connections already.")
        if self._sockets.is_closed_to(held):
            raise Refused("too_many", ONLY_NEWCOMERS)

    async def _new_guest(self, credentials: wire.Credentials, address: str) -> Login:
        bucket = self._newcomers.of(address)
        if not bucket.take():
            message = "Too many new guests from this address."
            raise Refused("rate_limited", message, retry_after_s=bucket.wait_s)
        login = await self._accounts.log_in(credentials, address)
        if login.guest_key is not None:
            self._attempts.remember(login.guest_key)
        return login

    async def _renamed(self, login: Login, wish: str, address: str) -> Login:
        """A guest who comes back under another name gets it, unless others count on the old."""
        name = login.player.name
        if self._games.count_of(name) or self._lobby.challenges_of(name):
            return login
        player = await self._accounts.rename(login.player, wish, address)
        log.info("renamed", player=name, to=player.name)
        return Login(player, former_name=name)

    def new_bucket(self, player: wire.Player) -> TokenBucket:
        """How much a connection of that player may ask."""
        limits = self._limits
        factor = limits.bot_factor if player.kind == "bot" else 1
        return TokenBucket(
            limits.messages_per_s * factor, limits.messages_burst * factor, self._time
        )
