"""The operator's desk: the commands that work on the data folder of an arena, running or not.

Facts (tokens, blocks) are written at once. Orders for games, tournaments and names are written for
the arena, and `outcome` waits until it has carried them out (`bot.arena.store.orders`).
"""

import ipaddress
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from bot import wire
from bot.arena.operator import maintenance_store as maintenance
from bot.arena.operator.maintenance_store import GamesLeft
from bot.arena.players import blocks, mutes, tokens
from bot.arena.players.accounts import Accounts, hashed, named
from bot.arena.players.blocks import Block
from bot.arena.players.mutes import Mute
from bot.arena.players.names import RULE, is_name
from bot.arena.players.tokens import Token
from bot.arena.refusals import Refused
from bot.arena.settings import Place
from bot.arena.store import orders
from bot.arena.store.connection import Connection, Hold
from bot.arena.store.database import OPEN_S, Database
from bot.arena.store.ids import new_secret
from bot.arena.store.opening import open_database
from bot.arena.store.orders import Action, By, NewName, Order, Orders, PlayerReport
from bot.arena.store.tables import all_columns
from bot.errors import ConfigurationError
from bot.time_source import SystemTime, TimeSource
from bot.wire.base import Kind

LOOK_S: Final = 0.1
DRAIN_LOOK_S: Final = 1.0
_GAME: Final = "SELECT 1 FROM games WHERE id = ?"
_TOURNAMENT: Final = "SELECT 1 FROM tournaments WHERE id = ?"
IPV6_SUBSCRIBER: Final = 64
"""The arena counts the addresses of one IPv6 subscriber, a /64, as one."""


@dataclass(frozen=True)
class Rotation:
    """A new token, and the number of other tokens, which work until `ends_at`."""

    secret: str
    others: int
    ends_at: datetime


class Desk:
    """Gives orders in the name of `by`. Methods raise ConfigurationError for unknown things."""

    def __init__(self, database: Database, time: TimeSource, by: By) -> None:
        self._database = database
        self._time = time
        self._by = by
        self._accounts = Accounts(database, time)
        self._orders = Orders(database, time)

    # ---- tokens ----------------------------------------------------------------------------

    async def tokens(self) -> Sequence[Token]:
        """The tokens that work now, by name and age."""
        now = self._time.wall()
        return await self._database.read(lambda connection: tokens.valid(connection, now))

    async def rotate(self, name: str, overlap: timedelta) -> Rotation:
        """A new token for a bot that has an account; the others work for `overlap` longer."""
        secret, now = new_secret(), self._time.wall()
        ends_at = now + overlap
        order = Order.done(now, "rotate", name, self._by)

        def work(connection: Connection) -> Rotation:
            bot = _named(connection, name)
            if bot.kind != "bot":
                raise ConfigurationError(f"{bot.name} is not a bot, so it has no token")
            others = tokens.replace(connection, str(bot.id), hashed(secret), now, ends_at)
            until = f"{ends_at:%Y-%m-%d %H:%M:%S} UTC"
            outcome = f"a new token; former tokens end at {until}: {others}"
            orders.put(connection, order.with_outcome(outcome, bot.name))
            return Rotation(secret, others, ends_at)

        return await self._database.write(work)

    async def revoke(self, token_id: str) -> Token:
        """End a token now."""
        now = self._time.wall()
        order = Order.done(now, "revoke", token_id, self._by)

        def work(connection: Connection) -> Token:
            token = tokens.find(connection, token_id)
            if token is None or not (token.works(now) or orders.is_known(connection, order)):
                raise ConfigurationError(f"there is no token {token_id} that works")
            tokens.end(connection, token_id, now)
            orders.put(connection, order.with_outcome(f"token {token_id} of {token.bot} ended"))
            return token

        return await self._database.write(work)

    # ---- people ----------------------------------------------------------------------------

    async def change_account(
        self, action: Action, name: str, change: Callable[[Connection, wire.Player, datetime], str]
    ) -> None:
        """Change the account of that name, and note it with the outcome that `change` returns."""
        now = self._time.wall()
        order = Order.done(now, action, name, self._by)

        def work(connection: Connection) -> None:
            player = _named(connection, name)
            outcome = change(connection, player, now)
            orders.put(connection, order.with_outcome(outcome, player.name))

        await self._database.write(work)

    # ---- blocks ----------------------------------------------------------------------------

    async def block_account(self, name: str, until: datetime | None) -> Block:
        """Block an account; replaces an earlier block of it."""

        def find(connection: Connection) -> Block:
            player = _named(connection, name)
            return Block(str(player.id), player.name, None, until, self._by.reason, now)

        now = self._time.wall()
        return await self._block(find)

    async def block_network(self, text: str, until: datetime | None) -> Block:
        """Block an address or a network; replaces an earlier block of it."""
        network, now = network_of(text), self._time.wall()
        block = Block(None, None, network, until, self._by.reason, now)
        return await self._block(lambda _connection: block)

    async def _block(self, find: Callable[[Connection], Block]) -> Block:
        now = self._time.wall()
        order = Order.done(now, "block", "", self._by)

        def work(connection: Connection) -> Block:
            block = find(connection)
            blocks.forget_ended(connection, now)
            blocks.put(connection, block)
            orders.put(
                connection, order.with_outcome(f"blocked {_until(block.until)}", block.subject)
            )
            return block

        return await self._database.write(work)

    async def unblock(self, name: str | None, network: str | None) -> str:
        """Remove the block of an account or a network; returns what was blocked."""
        now = self._time.wall()
        wanted = None if network is None else network_of(network)
        order = Order.done(now, "unblock", "", self._by)

        def work(connection: Connection) -> str:
            player = None if name is None else _named(connection, name)
            subject = wanted or "" if player is None else player.name
            account = None if player is None else str(player.id)
            was_blocked = blocks.remove(connection, account, wanted)
            if not was_blocked and not orders.is_known(connection, order):
                raise ConfigurationError(f"{subject} is not blocked")
            orders.put(connection, order.with_outcome("unblocked", subject))
            return subject

        return await self._database.write(work)

    async def blocks(self) -> Sequence[Block]:
        now = self._time.wall()
        return await self._database.read(lambda connection: blocks.current(connection, now))

    # ---- chats -----------------------------------------------------------------------------

    async def mute(self, name: str, until: datetime) -> str:
        """Refuse what an account writes in chats; returns its name."""
        order = Order.done(self._time.wall(), "mute", name, self._by)

        def work(connection: Connection) -> str:
            player = _named(connection, name)
            mutes.put(connection, str(player.id), Mute(until=until, reason=self._by.reason))
            orders.put(connection, order.with_outcome(f"muted {_until(until)}", player.name))
            return player.name

        return await self._database.write(work)

    async def unmute(self, name: str) -> str:
        """Let an account write in chats again; returns its name."""
        order = Order.done(self._time.wall(), "unmute", name, self._by)

        def work(connection: Connection) -> str:
            player = _named(connection, name)
            was_muted = mutes.remove(connection, str(player.id))
            if not was_muted and not orders.is_known(connection, order):
                raise ConfigurationError(f"{player.name} is not muted")
            orders.put(connection, order.with_outcome("may write again", player.name))
            return player.name

        return await self._database.write(work)

    async def reports(self) -> Sequence[PlayerReport]:
        """The reports of players about each other, the oldest first."""
        return await self._orders.reports()

    async def report(self, start: str) -> PlayerReport:
        """The report whose id begins so. Raises ConfigurationError unless there is just one."""
        found = [each for each in await self.reports() if each.order.id.startswith(start)]
        if not found or not start:
            raise ConfigurationError(f"there is no report {start}")
        if len(found) > 1:
            ids = ", ".join(each.order.id for each in found)
            raise ConfigurationError(f"several reports begin with {start}: {ids}")
        return found[0]

    async def decide(self, start: str) -> PlayerReport:
        """Note what was decided about a report: the reason of `By`; returns the report."""
        report = await self.report(start)
        order = Order.done(self._time.wall(), "decide", report.order.id, self._by)
        await self._orders.put(order.with_outcome("decided"))
        return report

    # ---- maintenance -----------------------------------------------------------------------

    async def plan_maintenance(self, starts_at: datetime | None) -> wire.Maintenance:
        """Let no games start from then on (None: from now), for the reason of `By`."""
        now = self._time.wall()
        order = Order.done(now, "maintenance", "arena", self._by)
        planned = wire.Maintenance(reason=self._by.reason, starts_at=starts_at or now)

        def work(connection: Connection) -> wire.Maintenance:
            maintenance.plan(connection, planned)
            from_then = f"no games start from {planned.starts_at:%Y-%m-%d %H:%M:%S} UTC"
            orders.put(connection, order.with_outcome(from_then))
            return planned

        return await self._database.write(work)

    async def end_maintenance(self) -> None:
        """Let games start again."""
        order = Order.done(self._time.wall(), "maintenance", "arena", self._by)

        def work(connection: Connection) -> None:
            if not maintenance.end(connection) and not orders.is_known(connection, order):
                raise ConfigurationError("no maintenance is planned")
            orders.put(connection, order.with_outcome("ended: games start again"))

        await self._database.write(work)

    async def maintenance(self) -> tuple[wire.Maintenance | None, GamesLeft]:
        """What is planned, and the games that run."""
        return await self._database.read(
            lambda connection: (
                maintenance.planned(connection),
                maintenance.games_left(connection),
            )
        )

    async def drained(self, wait_s: float) -> GamesLeft:
        """The games that run, as soon as none is live; after `wait_s` of maintenance otherwise.

        Games may start until the planned moment, and until the arena has looked at the plan.
        """
        planned, _ = await self.maintenance()
        if planned is not None:
            ahead = (planned.starts_at - self._time.wall()).total_seconds()
            await self._time.sleep(max(ahead, 0) + DRAIN_LOOK_S)
        deadline = self._time.monotonic() + wait_s
        while True:
            _, left = await self.maintenance()
            if left.live == 0 or self._time.monotonic() >= deadline:
                return left
            await self._time.sleep(DRAIN_LOOK_S)

    # ---- orders for the arena ----------------------------------------------------------------

    async def rename(self, name: str, new: str | None) -> Order:
        """Order another name for an account; a neutral one is generated if `new` is None."""
        player = await self._database.read(lambda connection: _named(connection, name))
        kind: Kind = player.kind
        if new is None:
            new = await self._accounts.neutral_name(kind)
            kind = "bot" if kind == "bot" else "guest"  # a guest may choose a name
        elif not is_name(new):
            raise ConfigurationError(f"name {new!r}: {RULE}")
        detail = NewName(account=str(player.id), name=new, kind=kind).model_dump_json()
        return await self._order("rename", player.name, detail)

    async def delete(self, name: str) -> Order:
        """Order the deletion of a person's account."""
        player = await self._database.read(lambda connection: _named(connection, name))
        if player.kind == "bot":
            raise ConfigurationError(f"{player.name} is a bot: block it, and revoke its tokens")
        neutral = await self._accounts.neutral_name("guest", "Deleted")
        detail = NewName(account=str(player.id), name=neutral, kind="guest").model_dump_json()
        return await self._order("delete", str(player.id), detail)

    async def abort_game(self, game_id: str) -> Order:
        """Order the end of a game; an id that the database lacks is refused at once."""
        unknown = Refused("unknown_game_id").message
        return await self._order_about("abort-game", game_id, _GAME, unknown)

    async def end_tournament(self, tournament_id: str) -> Order:
        """Order the end of a tournament; an id that the database lacks is refused at once."""
        if "tournaments" not in all_columns():
            raise ConfigurationError("this installation has no tournaments")
        unknown = Refused("unknown_tournament").message
        return await self._order_about("end-tournament", tournament_id, _TOURNAMENT, unknown)

    async def _order(self, action: Action, subject: str, detail: str | None = None) -> Order:
        order = Order(self._time.wall(), action, subject, self._by, detail)
        await self._orders.put(order)
        return order

    async def _order_about(self, action: Action, subject: str, query: str, unknown: str) -> Order:
        """Give the order if the query finds the subject, else note that it is refused."""
        order = Order(self._time.wall(), action, subject, self._by)

        def work(connection: Connection) -> Order:
            given = order
            if connection.execute(query, (subject,)).fetchone() is None:
                given = replace(order, done_at=order.at, ok=False, outcome=unknown)
            orders.put(connection, given)
            return given

        return await self._database.write(work)

    async def withdraw(self, action: Action, subject: str) -> str:
        """End an order that the arena has not carried out; returns the outcome.

        An order that the arena carries out at this moment may take effect all the same.
        """
        now = self._time.wall()
        outcome = f"withdrawn by {self._by.who}: {self._by.reason}"

        is_ended = False

        def work(connection: Connection) -> str:
            nonlocal is_ended  # the work may be repeated after a commit whose answer was lost
            name = _named(connection, subject).name if action == "rename" else subject
            is_ended = orders.withdraw(connection, action, name, outcome, now) or is_ended
            if not is_ended:
                raise ConfigurationError(f"no order to {action} {name} is pending")
            return outcome

        return await self._database.write(work)

    async def outcome(self, order: Order, wait_s: float) -> Order:
        """The order as soon as the arena has carried it out; as it is after `wait_s` otherwise."""
        deadline = self._time.monotonic() + wait_s
        while True:
            latest = await self._orders.find(order.id) or order
            if latest.done_at is not None or self._time.monotonic() >= deadline:
                return latest
            await self._time.sleep(LOOK_S)

    async def audit(self, limit: int) -> Sequence[Order]:
        """The latest orders, the last one first."""
        return await self._orders.latest(limit)


@asynccontextmanager
async def open_desk(where: Path | Place, by: By) -> AsyncIterator[Desk]:
    """A desk on a data folder or at a place, also while an arena runs on it.

    Raises HostError as `accounts_in`.
    """
    async with open_database(where, OPEN_S, Hold.NONE) as database:
        yield Desk(database, SystemTime(), by)


def network_of(text: str) -> str:
    """An address or a network as it is stored, in CIDR notation.

    A part of an IPv6 /64 becomes the whole /64. Raises ConfigurationError.
    """
    try:
        network = ipaddress.ip_network(text, strict=False)
    except ValueError as error:
        raise ConfigurationError(f"address {text!r}: not an address or a network") from error
    if isinstance(network, ipaddress.IPv6Network) and network.prefixlen > IPV6_SUBSCRIBER:
        network = network.supernet(new_prefix=IPV6_SUBSCRIBER)
    return str(network)


def _named(connection: Connection, name: str) -> wire.Player:
    try:
        return named(connection, name)
    except Refused as refused:
        raise ConfigurationError(refused.message) from refused


def _until(until: datetime | None) -> str:
    return "without an end" if until is None else f"until {until:%Y-%m-%d %H:%M:%S} UTC"
