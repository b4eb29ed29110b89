"""Blocks: accounts and networks that may not log in.

A network is stored as it is, not as a hash, because an address cannot be compared with the hash of
a network. Removing the block removes it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from bot.arena.store.connection import Connection, Row
from bot.arena.store.database import as_text
from bot.arena.store.ids import new_short_id

_REMOVE: Final = "DELETE FROM blocks WHERE account = :account OR network = :network"
_PUT: Final = """
INSERT INTO blocks (id, account, network, until, reason, created_at)
VALUES (:id, :account, :network, :until, :reason, :created_at)"""
_CURRENT: Final = """
SELECT blocks.id, account, name, network, until, reason, blocks.created_at
FROM blocks LEFT JOIN accounts ON accounts.id = account
WHERE until IS NULL OR until > ? ORDER BY blocks.created_at, blocks.id"""
_FORGET: Final = "DELETE FROM blocks WHERE until <= ?"


@dataclass(frozen=True)
class Block:
    """Either `account`, an id, or `network`, in CIDR notation, is set; `name` is the account's.

    `until` is None if only the operator ends the block.
    """

    account: str | None
    name: str | None
    network: str | None
    until: datetime | None
    reason: str
    created_at: datetime

    @property
    def subject(self) -> str:
        """What people call the blocked thing."""
        return self.name or self.network or self.account or ""


def put(connection: Connection, block: Block) -> None:
    """Write a block within the transaction that is open; it replaces one of the same thing."""
    remove(connection, block.account, block.network)
    connection.execute(
        _PUT,
        {
            "id": new_short_id(),
            "account": block.account,
            "network": block.network,
            "until": None if block.until is None else as_text(block.until),
            "reason": block.reason,
            "created_at": as_text(block.created_at),
        },
    )


def remove(connection: Connection, account: str | None, network: str | None) -> bool:
    """Remove the block of an account or a network; returns whether there was one."""
    values = {"account": account, "network": network}
    return connection.execute(_REMOVE, values).rowcount > 0


def current(connection: Connection, now: datetime) -> Sequence[Block]:
    """The blocks that hold now, oldest first."""
    return [_block(row) for row in connection.execute(_CURRENT, (as_text(now),))]


def forget_ended(connection: Connection, now: datetime) -> None:
    connection.execute(_FORGET, (as_text(now),))


def _block(row: Row) -> Block:
    return Block(
        account=row["account"],
        name=row["name"],
        network=row["network"],
        until=row["until"] and datetime.fromisoformat(row["until"]),
        reason=row["reason"],
        created_at=datetime.fromisoformat(row["created_at"]),
    )
