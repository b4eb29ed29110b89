# ruff: noqa: S608 - the parts of the statements are constants
"""Processes of one arena, their leases, and what each of them owns: games and duties.

Problem. Several processes play the games of one arena. When one of them dies, others must continue
its games, and exactly one of them each. A process that is only slow must not lose its games at the
first hiccup, and an outage of the database, in which no process can renew its lease, must not end
all of them.

Idea. A process renews its lease every few seconds, by the clock of the database, so that the clocks
of the machines do not matter. A lease that is over says only that others may end the process. It
has ended when one of them has written so, and only a process whose own lease is valid may. After an
outage all leases are over; each process renews its own, and nothing has changed.

The games of an ended process are claimed one transaction after another, with `SKIP LOCKED`, so that
several processes share them. Each claim raises the epoch of the game. Writes that are on their way
fail (`bot.arena.store.fences`).

All transactions that write are SERIALIZABLE and may run again after a commit whose answer was lost,
so that a claim may return less than it has claimed; `Leases.owned` finds the rest.

An id belongs to one life of a process: another start of the program needs another id.
"""

import secrets
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from bot.arena.games.game_takeover import Claimed, load, take
from bot.arena.store import facts
from bot.arena.store.connection import Connection
from bot.arena.store.database import Database

__all__ = ["Claimed", "LeasedProcess", "Leases", "living"]

SECRET: Final = "link_secret"  # noqa: S105 - the name of a fact
SECRET_BYTES: Final = 32


@dataclass(frozen=True)
class LeasedProcess:
    """A process that has not ended.

    `lease_left_s` is negative if the lease is over. `games` is the number of its running games.
    """

    id: str
    address: str
    pid: int
    version: str
    lease_left_s: float
    presence_revision: int
    games: int


class Leases:
    """The lease of this process, and the view of the others. Needs PostgreSQL."""

    def __init__(self, database: Database, process_id: str, lease_s: float) -> None:
        self._database = database
        self._id = process_id
        self._lease_s = lease_s

    # ---- processes ---------------------------------------------------------------------------

    async def join(self, address: str, pid: int, version: str, clock_s: float) -> None:
        """Store this process with a new lease, or again after another one has ended it.

        It is reached at `address`. Games and duties that no other process has claimed meanwhile
        still belong to it. Its presence is empty.
        """
        row = {
            "id": self._id,
            "address": address,
            "pid": pid,
            "version": version,
            "lease_s": self._lease_s,
            "clock_s": clock_s,
        }

        def work(connection: Connection) -> None:
            connection.execute(_JOIN, row)
            connection.execute(_NO_PRESENCE, (self._id,))

        await self._database.write(work)

    async def renew(self, clock_s: float) -> bool:
        """Renew the lease, and store the process's clock. False if another process has ended it.

        A lease that is over is renewed unless another process has ended this one.
        """
        row = (self._lease_s, clock_s, self._id)
        return await self._database.write(
            lambda connection: connection.execute(_RENEW, row).fetchone() is not None
        )

    async def leave(self, clock_s: float) -> None:
        """End this process, so that others may claim its games at once."""

        def work(connection: Connection) -> None:
            connection.execute(_LEAVE, (clock_s, self._id))
            connection.execute(_FORGET_PRESENCE)
            connection.execute(_FORGET_ENDED)

        await self._database.write(work)

    async def members(self) -> list[LeasedProcess]:
        """All processes that have not ended, by id."""
        return await self._database.read(living)

    async def end_expired(self) -> list[str]:
        """End the other processes whose lease is over. Returns their ids.

        Does nothing unless this process's own lease is valid.
        """
        row = {"me": self._id}

        def work(connection: Connection) -> list[str]:
            ended = [each["id"] for each in connection.execute(_END_EXPIRED, row).fetchall()]
            if ended:
                connection.execute(_FORGET_PRESENCE)
            return ended

        return await self._database.write(work)

    async def secret(self) -> str:
        """The secret that only the processes of the arena know."""
        new = secrets.token_urlsafe(SECRET_BYTES)
        return await self._database.write(lambda connection: facts.first(connection, SECRET, new))

    # ---- games -------------------------------------------------------------------------------

    async def claim_games(self, limit: int) -> list[Claimed]:
        """Take over running games without a living owner, at most `limit`, oldest first.

        Their clocks are stopped. Games that a transaction has locked are left out, so a caller
        must ask again later. A process that has ended claims nothing.
        """
        row = {"me": self._id, "limit": limit}

        def work(connection: Connection) -> list[Claimed]:
            return take(connection, connection.execute(_CLAIM, row).fetchall(), self._id)

        return await self._database.write(work)

    async def owned(self, but: Collection[str] = ()) -> list[Claimed]:
        """The running games of this process, without those whose ids are in `but`.

        Finds the games of a claim whose answer was lost.
        """
        row = (self._id, list(but))
        return await self._database.read(
            lambda connection: load(connection, connection.execute(_MINE, row).fetchall())
        )

    async def owners(self) -> dict[str, tuple[str | None, int]]:
        """The owner and the epoch of each running game, by the game's id."""
        rows = await self._database.read(lambda connection: connection.execute(_OWNERS).fetchall())
        return {game_id: (owner, epoch) for game_id, owner, epoch in rows}

    # ---- duties ------------------------------------------------------------------------------

    async def claim_duty(self, name: str) -> int | None:
        """Take over a duty that no living process has.

        Returns its epoch if this process has it now, or had it before; None if another one has it,
        or if this process has ended.
        """
        row = {"name": name, "me": self._id}

        def work(connection: Connection) -> int | None:
            connection.execute(_CLAIM_DUTY, row)
            found = connection.execute(_DUTY, row).fetchone()
            return found["epoch"] if found is not None and found["owner"] == self._id else None

        return await self._database.write(work)

    async def duty(self, name: str) -> tuple[str, int] | None:
        """The living process that has this duty, and its epoch."""
        found = await self._database.read(
            lambda connection: connection.execute(_DUTY, {"name": name}).fetchone()
        )
        return None if found is None else (found["owner"], found["epoch"])


def living(connection: Connection) -> list[LeasedProcess]:
    """All processes that have not ended, by id."""
    return [LeasedProcess(*row) for row in connection.execute(_MEMBERS).fetchall()]


# ---- statements ------------------------------------------------------------------------------

_NOW: Final = "extract(epoch from clock_timestamp())::double precision"
_IS_ALIVE: Final = "EXISTS (SELECT 1 FROM processes AS mine WHERE mine.id = :me AND NOT mine.ended)"
_JOIN: Final = f"""
INSERT INTO processes (
    id, address, pid, version, lease_until, clock_s, presence_revision, started_at, ended
) VALUES (
    :id, :address, :pid, :version, {_NOW} + :lease_s, :clock_s, 0,
    to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"+00:00"'), false
) ON CONFLICT (id) DO UPDATE SET address = excluded.address, pid = excluded.pid,
    version = excluded.version, lease_until = excluded.lease_until, clock_s = excluded.clock_s,
    presence_revision = processes.presence_revision + 1, ended = false"""
_RENEW: Final = f"""
UPDATE processes SET lease_until = {_NOW} + ?, clock_s = ? WHERE id = ? AND NOT ended
RETURNING id"""
_LEAVE: Final = f"""
UPDATE processes SET ended = true, lease_until = {_NOW}, clock_s = ? WHERE id = ? AND NOT ended"""
_NO_PRESENCE: Final = "DELETE FROM presence WHERE process = ?"
_FORGET_PRESENCE: Final = """
DELETE FROM presence WHERE process IN (SELECT id FROM processes WHERE ended)"""
_FORGET_ENDED: Final = """
DELETE FROM processes WHERE ended
    AND NOT EXISTS (SELECT 1 FROM games WHERE running AND owner = processes.id)"""
_MEMBERS: Final = f"""
SELECT id, address, pid, version, lease_until - {_NOW}, presence_revision,
    (SELECT count(*) FROM games WHERE running AND owner = processes.id)
FROM processes WHERE NOT ended ORDER BY id"""
# A process that is stopped during its renewal keeps its row locked. No other process may wait for
# that.
_END_EXPIRED: Final = f"""
UPDATE processes SET ended = true
WHERE id IN (
    SELECT id FROM processes
    WHERE id <> :me AND NOT ended AND lease_until < {_NOW} AND EXISTS (
        SELECT 1 FROM processes AS mine
        WHERE mine.id = :me AND NOT mine.ended AND mine.lease_until >= {_NOW}
    ) FOR NO KEY UPDATE OF processes SKIP LOCKED
) RETURNING id"""
# NO KEY UPDATE does not wait for the foreign keys of new turns; a fenced turn has this lock too.
_CLAIM: Final = f"""
SELECT * FROM games
WHERE running AND {_IS_ALIVE} AND NOT EXISTS (
    SELECT 1 FROM processes WHERE processes.id = games.owner AND NOT processes.ended
)
ORDER BY created_at LIMIT :limit FOR NO KEY UPDATE OF games SKIP LOCKED"""
_MINE: Final = """
SELECT * FROM games WHERE running AND owner = ? AND NOT id = ANY(?) ORDER BY created_at"""
_OWNERS: Final = "SELECT id, owner, epoch FROM games WHERE running"
_CLAIM_DUTY: Final = f"""
INSERT INTO duties (name, owner, epoch) SELECT :name, :me, 1 WHERE {_IS_ALIVE}
ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, epoch = duties.epoch + 1
WHERE duties.owner IS DISTINCT FROM excluded.owner AND NOT EXISTS (
    SELECT 1 FROM processes WHERE processes.id = duties.owner AND NOT processes.ended
)"""
_DUTY: Final = """
SELECT duties.owner, duties.epoch FROM duties JOIN processes ON processes.id = duties.owner
WHERE duties.name = :name AND NOT processes.ended"""
