"""Moderation: what the operator ordered, carried out by the running arena.

The operator's commands write into the database (`bot.arena.store.orders`, which explains the two
kinds). This service reads the database once a second. It

- keeps the blocks and the ends of tokens in memory, so that a login costs no query, and closes open
  connections that are no longer allowed;
- keeps the plan of a maintenance up to date (`bot.arena.games.maintenance`);
- carries out orders, each through the service that players use too, and writes the outcome.
"""

import asyncio
import ipaddress
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, assert_never

import structlog

from bot import wire
from bot.arena.arena_clock import ArenaClock
from bot.arena.games.all_games import AllGames
from bot.arena.games.maintenance import MaintenanceMode
from bot.arena.lobby.challenge_service import Challenges
from bot.arena.lobby.renaming import Renaming
from bot.arena.operator import maintenance_store as maintenance
from bot.arena.players import blocks, secret_ends
from bot.arena.players.accounts import SIGNED_OUT
from bot.arena.players.blocks import Block
from bot.arena.refusals import UNAVAILABLE, Refused
from bot.arena.store.database import Database
from bot.arena.store.orders import Action, NewName, Order, Orders
from bot.errors import HostError
from bot.runtime.alarms import Alarms
from bot.wire.base import Kind

POLL_S: Final = 1.0
WAITING: Final = frozenset({"not_now", UNAVAILABLE})
"""Refusals after which an order is tried again."""

OrderHandler = Callable[[Order], Awaitable[str]]
"""Carries out an order, and returns its outcome. Raises Refused."""

log = structlog.get_logger()


@dataclass(frozen=True)
class Bans:
    """The facts that forbid logins, as of the last time that they were read.

    `token_ends` has the tokens of bots and the sessions of people.
    """

    accounts: Mapping[str, Block] = field(default_factory=dict)
    networks: Sequence[tuple[ipaddress.IPv4Network | ipaddress.IPv6Network, Block]] = ()
    token_ends: Mapping[str, datetime] = field(default_factory=dict)

    def check(self, address: str, now: datetime) -> None:
        """Raises Refused if the address is blocked; `address` is as `counted_as` gives it."""
        if not self.networks:
            return
        try:
            theirs = ipaddress.ip_network(address)
        except ValueError:  # a connection without an address
            return
        for network, block in self.networks:
            if network.version == theirs.version and network.overlaps(theirs):
                _check_block(block, "Your address is", now)

    def check_player(
        self, account: str, token: str | None, now: datetime, kind: Kind = "bot"
    ) -> None:
        """Raises Refused if the account is blocked, or the token or session has ended."""
        if (block := self.accounts.get(account)) is not None:
            _check_block(block, "Your account is", now)
        ends_at = None if token is None else self.token_ends.get(token)
        if ends_at is not None and ends_at <= now:
            if kind != "bot":
                raise Refused("bad_guest_key", SIGNED_OUT)
            raise Refused("bad_token", "The token was revoked or replaced.")

    def next_end(self, now: datetime) -> datetime | None:
        """When the next token ends."""
        return min((at for at in self.token_ends.values() if at > now), default=None)


def _check_block(block: Block, who: str, now: datetime) -> None:
    if block.until is None:
        raise Refused("blocked", f"{who} blocked by the operator: {block.reason}")
    left_s = (block.until - now).total_seconds()
    if left_s > 0:
        until = f"{block.until:%Y-%m-%d %H:%M} UTC"
        message = f"{who} blocked by the operator until {until}: {block.reason}"
        raise Refused("blocked", message, retry_after_s=left_s)


class Moderation:
    """Refuses logins, closes connections, carries out orders.

    `close_forbidden` closes all connections that `check` and `check_player` now forbid, and returns
    how many; the network sets it.
    """

    def __init__(
        self,
        database: Database,
        games: AllGames,
        challenges: Challenges,
        renaming: Renaming,
        mode: MaintenanceMode,
        clock: ArenaClock,
    ) -> None:
        self.close_forbidden: Callable[[], int] = lambda: 0
        self._database = database
        self._orders = Orders(database, clock)
        self._games = games
        self._challenges = challenges
        self._renaming = renaming
        self._mode = mode
        self._clock = clock
        self._alarms = Alarms(clock)
        self._bans = Bans()
        self._mark: str | None = None
        self._polling = asyncio.Lock()
        self._next_end: datetime | None = None
        self.handlers: dict[Action, OrderHandler] = {}
        """What carries out the orders about capabilities."""
        self.carries_out_orders = True
        """False in all but one process of an arena of several."""

    async def open(self) -> None:
        """Read the facts before the first login, and carry out the orders that wait."""
        await secret_ends.forget_ended(self._database, self._clock.wall())
        await self._read_facts()
        await self._poll()

    async def read_plan(self) -> None:
        """Read whether maintenance is planned."""
        self._mode.set(await self._database.read(maintenance.planned))

    async def close(self) -> None:
        await self._alarms.close()

    # ---- logins ------------------------------------------------------------------------------

    def check(self, address: str) -> None:
        """Raises Refused if the address is blocked."""
        self._bans.check(address, self._clock.wall())

    def check_player(self, player: wire.Player, token: str | None) -> None:
        """Raises Refused if the account is blocked, or if the token or the session of the
        connection has ended.
        """
        self._bans.check_player(str(player.id), token, self._clock.wall(), player.kind)

    def look_soon(self) -> None:
        """Look at once for what has changed, because this process has changed it."""
        self._alarms.set("poll", self._clock.monotonic(), self._poll)

    # ---- orders ------------------------------------------------------------------------------

    async def _poll(self) -> None:
        async with self._polling:
            await self._look()

    async def _look(self) -> None:
        try:
            news = await self._orders.news()
            if news.mark != self._mark:
                await self._read_facts()
                self._mark = news.mark
            elif self._next_end is not None and self._next_end <= self._clock.wall():
                self._enforce()
            for order in news.pending if self.carries_out_orders else ():
                await self._carry_out(order)
        except HostError as error:
            log.warning("orders_not_read", why=str(error))
        finally:  # after a bug too: the operator's next command must still be heard
            self._alarms.set("poll", self._clock.monotonic() + POLL_S, self._poll)

    async def _read_facts(self) -> None:
        await self._read_bans()
        await self.read_plan()

    async def _read_bans(self) -> None:
        now = self._clock.wall()
        found = await self._database.read(lambda connection: blocks.current(connection, now))
        self._bans = Bans(
            {block.account: block for block in found if block.account is not None},
            [(ipaddress.ip_network(each.network), each) for each in found if each.network],
            await secret_ends.ends(self._database),
        )
        self._enforce()
        for block in self._bans.accounts.values():
            if block.name is not None:
                await self._challenges.withdraw_all(block.name, f"{block.name} has been blocked.")

    def _enforce(self) -> None:
        self._next_end = self._bans.next_end(self._clock.wall())
        if closed := self.close_forbidden():
            log.info("connections_closed", count=closed)

    async def _carry_out(self, order: Order) -> None:
        """Carry out an order, and write its outcome; one that must wait stays."""
        try:
            outcome = await self._do(order)
        except Refused as refused:
            if refused.code in WAITING and order.action == "rename":
                await self._orders.explain(order, f"waits: {refused.message}")
                return
            await self._finish(order, refused.message, ok=False)
        except HostError:
            raise
        except Exception as error:
            log.exception("order_failed", order=order.id, action=order.action)
            await self._finish(order, f"failed: {error!r}", ok=False)
        else:
            await self._finish(order, outcome, ok=True)

    async def _finish(self, order: Order, outcome: str, *, ok: bool) -> None:
        await self._orders.finish(order, outcome, ok=ok)
        facts = {"action": order.action, "subject": order.subject, "who": order.by.who}
        log.info("order_carried_out", ok=ok, outcome=outcome, **facts)

    async def _do(self, order: Order) -> str:
        """Returns the outcome. Raises Refused."""
        if (handler := self.handlers.get(order.action)) is not None:
            return await handler(order)
        match order.action:
            case "abort-game":
                result = await self._games.abort_by_operator(order.subject, order.by.reason)
                return f"the game is over: {result.message}"
            case "end-tournament":
                raise Refused("unknown_tournament")  # this arena has none
            case "rename":
                wish = NewName.model_validate_json(order.detail or "")
                renamed = wire.Player(id=wish.account, name=wish.name, kind=wish.kind)
                player = await self._renaming.rename_by_operator(order.subject, renamed)
                return f"{order.subject} is called {player.name} now"
            case "delete":
                neutral = NewName.model_validate_json(order.detail or "").name
                await self._renaming.delete(order.subject, neutral)
                return f"the account is deleted, and is called {neutral} now"
            case (
                "token"
                | "rotate"
                | "revoke"
                | "block"
                | "unblock"
                | "recover"
                | "report"
                | "maintenance"
                | "mute"
                | "unmute"
                | "decide"
            ):
                return "done"
            case never:
                assert_never(never)
