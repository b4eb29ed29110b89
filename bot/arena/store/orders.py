"""The operator's orders: what was done to accounts and games, by whom, why, and with what outcome.

Each command of the operator writes one row. The table is therefore the audit log too. A report of a
player about another one is also a row, and asks the arena for nothing.

Some commands change facts in the database: a token ends, an address is blocked. The row is written
in the same transaction as the fact, with its outcome. The running arena reads such facts only when
the mark has changed, and then closes the connections that they forbid.

Other commands need the running arena, because it has the games in memory. For these the row is the
request. Once a second, and when it starts, the arena looks for rows without an outcome, carries
them out in order, and writes the outcome into the row. The command waits for that.

A crash between the effect and its outcome makes the arena carry out the order again. Every effect
is therefore repeatable: it describes a state ("the game is over", "the account has this name"), and
an order whose state is reached already changes nothing.

`news` is one cheap query with no feature of SQLite. The mark changes with each order, so each of
several processes can notice by itself that facts have changed.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final, Literal

from pydantic import BaseModel

from bot.arena.store import facts
from bot.arena.store.connection import Connection, Row
from bot.arena.store.database import Database, as_text
from bot.arena.store.ids import new_id
from bot.arena.store.reports import without_name
from bot.time_source import TimeSource
from bot.wire.base import Kind

Action = Literal[
    "token",
    "rotate",
    "revoke",
    "block",
    "unblock",
    "rename",
    "abort-game",
    "end-tournament",
    "report",
    "recover",
    "delete",
    "maintenance",
    "mute",
    "unmute",
    "decide",
]
MARK: Final = "orders_mark"

_PUT: Final = """
INSERT INTO orders (id, at, action, subject, detail, reason, who, done_at, ok, outcome)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING"""
_PENDING: Final = "SELECT * FROM orders WHERE done_at IS NULL ORDER BY at, id"
_ONE: Final = "SELECT * FROM orders WHERE id = ?"
_LATEST: Final = "SELECT * FROM orders ORDER BY at DESC, id LIMIT ?"
_REPORTS: Final = "SELECT * FROM orders WHERE action = 'report' ORDER BY at, id"
_DECISIONS: Final = "SELECT * FROM orders WHERE action = 'decide' ORDER BY at, id"
_FINISH: Final = """
UPDATE orders SET done_at = ?, ok = ?, outcome = ? WHERE id = ? AND done_at IS NULL"""
_WITHDRAW: Final = """
UPDATE orders SET done_at = ?, ok = 0, outcome = ?
WHERE action = ? AND subject = ? AND done_at IS NULL"""
_NAMED: Final = """
SELECT * FROM orders WHERE done_at IS NOT NULL AND at >= ? AND action <> 'report'
    AND lower(subject) = lower(?)"""
_REDACT: Final = """
UPDATE orders SET subject = ?, detail = NULL, reason = ?, outcome = ? WHERE id = ?"""
_EXPLAIN: Final = "UPDATE orders SET outcome = ? WHERE id = ? AND done_at IS NULL"


@dataclass(frozen=True)
class By:
    """Who gives an order, and why."""

    who: str
    reason: str = ""


PROGRAM: Final = By("bluestone")
"""A program gives the order, such as `bluestone up`."""


class NewName(BaseModel):
    """The `detail` of an order to rename: the account, with the name and the kind that it gets."""

    account: str
    name: str
    kind: Kind


@dataclass(frozen=True)
class Order:
    """A row of the audit log.

    `subject` is what people call the thing: a name, an address, an id. `detail` is what the arena
    needs besides. `done_at` is None while the arena must still carry it out; `outcome` may then say
    what it waits for.
    """

    at: datetime
    action: Action
    subject: str
    by: By
    detail: str | None = None
    done_at: datetime | None = None
    ok: bool | None = None
    outcome: str | None = None
    id: str = field(default_factory=new_id)

    @classmethod
    def done(cls, at: datetime, action: Action, subject: str, by: By) -> "Order":
        """An order that takes effect in the transaction in which it is written.

        It is made before the transaction, so that work that is repeated writes one row.
        """
        return cls(at, action, subject, by, done_at=at, ok=True)

    def with_outcome(self, outcome: str, subject: str | None = None) -> "Order":
        """The order with what the transaction found: its outcome, and the subject's full name."""
        return replace(self, outcome=outcome, subject=subject or self.subject)


def put(connection: Connection, order: Order) -> None:
    """Write an order within the transaction that is open, and let running arenas notice it."""
    done_at = None if order.done_at is None else as_text(order.done_at)
    ok = None if order.ok is None else int(order.ok)
    named = (order.id, as_text(order.at), order.action, order.subject, order.detail)
    connection.execute(_PUT, (*named, order.by.reason, order.by.who, done_at, ok, order.outcome))
    note_change(connection, order.id)


def note_change(connection: Connection, mark: str) -> None:
    """Let running arenas notice, within the transaction that is open, that logins have ended.

    `mark` is any text that was not the mark before.
    """
    facts.put(connection, MARK, mark)


def withdraw(
    connection: Connection, action: Action, subject: str, outcome: str, now: datetime
) -> bool:
    """End pending orders within the transaction that is open; returns whether there was one."""
    row = (as_text(now), outcome, action, subject)
    return connection.execute(_WITHDRAW, row).rowcount > 0


def redact_names(connection: Connection, names: Sequence[str], neutral: str, since: str) -> None:
    """Write a neutral name into what was done to a deleted account since it was made.

    What still waits to be carried out keeps the name that it needs.
    """
    for name in names:
        for row in connection.execute(_NAMED, (since, name)).fetchall():
            texts = [row["reason"], row["outcome"] or ""]
            for each in names:
                texts = [without_name(text, each, neutral, in_any_case=True) for text in texts]
            connection.execute(_REDACT, (neutral, *texts, row["id"]))


def is_known(connection: Connection, order: Order) -> bool:
    """Whether the order is written already, so that the work is repeated after a commit."""
    return connection.execute(_ONE, (order.id,)).fetchone() is not None


@dataclass(frozen=True)
class PlayerReport:
    """A report of a player about another one, and the last decision about it."""

    order: Order
    decision: Order | None


@dataclass(frozen=True)
class News:
    """The orders without an outcome, oldest first, and a mark that changes with each order."""

    mark: str | None
    pending: Sequence[Order]


class Orders:
    """Reads orders and writes their outcomes."""

    def __init__(self, database: Database, time: TimeSource) -> None:
        self._database = database
        self._time = time

    async def put(self, order: Order) -> None:
        await self._database.write(lambda connection: put(connection, order))

    async def news(self) -> News:
        def query(connection: Connection) -> News:
            pending = connection.execute(_PENDING).fetchall()
            return News(facts.find(connection, MARK), [_order(row) for row in pending])

        return await self._database.read(query)

    async def find(self, order_id: str) -> Order | None:
        row = await self._database.read(
            lambda connection: connection.execute(_ONE, (order_id,)).fetchone()
        )
        return None if row is None else _order(row)

    async def latest(self, limit: int) -> list[Order]:
        """The audit log, the last order first."""
        rows = await self._database.read(
            lambda connection: connection.execute(_LATEST, (limit,)).fetchall()
        )
        return [_order(row) for row in rows]

    async def reports(self) -> list[PlayerReport]:
        """The reports of players, the oldest first, with what the operator has decided."""

        def query(connection: Connection) -> list[PlayerReport]:
            decisions = [_order(row) for row in connection.execute(_DECISIONS).fetchall()]
            last = {decision.subject: decision for decision in decisions}
            rows = connection.execute(_REPORTS).fetchall()
            return [PlayerReport(_order(row), last.get(row["id"])) for row in rows]

        return await self._database.read(query)

    async def finish(self, order: Order, outcome: str, *, ok: bool) -> None:
        """Write the outcome of an order; the first outcome stays."""
        row = (as_text(self._time.wall()), int(ok), outcome, order.id)
        await self._database.write(lambda connection: connection.execute(_FINISH, row))

    async def explain(self, order: Order, why: str) -> None:
        """Write what the order waits for, if that is new."""
        if order.outcome != why:
            row = (why, order.id)
            await self._database.write(lambda connection: connection.execute(_EXPLAIN, row))


def _order(row: Row) -> Order:
    return Order(
        id=row["id"],
        at=datetime.fromisoformat(row["at"]),
        action=row["action"],
        subject=row["subject"],
        detail=row["detail"],
        by=By(row["who"], row["reason"]),
        done_at=row["done_at"] and datetime.fromisoformat(row["done_at"]),
        ok=None if row["ok"] is None else bool(row["ok"]),
        outcome=row["outcome"],
    )
