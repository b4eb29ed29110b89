"""The door: from the `auth` of a connection to the player who it is, or a refusal."""

import asyncio
from collections.abc import Callable

import structlog

from bot import wire
from bot.arena.accounts import Accounts, Login
from bot.arena.frame_budget import Pace
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
        self._renaming = asyncio.Lock()
        self._renamed: dict[str, wire.Player] = {}
        self._tasks: set[asyncio.Task[Login]] = set()
        self.on_rename: Callable[[str, wire.Player], None] = lambda _former, _player: None

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
        if login.player.kind != "bot" and wish not in {None, self.current(login.player).name}:
            return await self._rename(login.player, str(wish), address)
        return login

    def current(self, player: wire.Player) -> wire.Player:
        """A player as they are called now, if that has changed while they were looked up."""
        return self._renamed.get(str(player.id), player)

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

    async def _rename(self, player: wire.Player, wish: str, address: str) -> Login:
        """A guest who comes back under another name gets it, unless others count on the old."""
        # To the end, whatever becomes of the connection: the database and we have to agree.
        task = asyncio.create_task(self._rename_alone(player, wish, address))
        self._tasks.add(task)
        task.add_done_callback(self._finished)
        return await asyncio.shield(task)

    async def _rename_alone(self, player: wire.Player, wish: str, address: str) -> Login:
        async with self._renaming:
            player = self.current(player)
            former = player.name
            if former == wish or self._is_bound(former):
                return Login(player)
            with self._lobby.held_back(former):
                renamed = await self._accounts.rename(player, wish, address)
            self._renamed[str(renamed.id)] = renamed
            self.on_rename(former, renamed)
        log.info("renamed", player=former, to=renamed.name)
        return Login(renamed)

    def _is_bound(self, name: str) -> bool:
        """Whether others count on that name."""
        return self._games.count_of(name) > 0 or self._lobby.binds(name)

    def _finished(self, task: asyncio.Task[Login]) -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None and not isinstance(error, Refused):
            log.error("rename_failed", exc_info=error)

    def pace_of(self, player: wire.Player) -> Pace:
        """How many frames a connection of that player may send: messages, pongs, and some more."""
        limits = self._limits
        factor = 2 * (limits.bot_factor if player.kind == "bot" else 1)
        return Pace(1 + limits.messages_per_s * factor, limits.messages_burst * factor)

    def new_bucket(self, player: wire.Player) -> TokenBucket:
        """How much a connection of that player may ask."""
        limits = self._limits
        factor = limits.bot_factor if player.kind == "bot" else 1
        return TokenBucket(
            limits.messages_per_s * factor, limits.messages_burst * factor, self._time
        )
