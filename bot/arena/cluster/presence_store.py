"""Which players are connected to which process, in an arena with several.

Each change of a process's players raises its revision, so that other processes read the list only
when it has changed.
"""

from typing import Final

from bot import wire
from bot.arena.store.connection import Connection, Row
from bot.arena.store.database import Database
from bot.errors import HostError


class PresenceStore:
    """Writes the players that are connected to this process, and reads those of all.

    Writes return the new revision. They raise HostError if the process has not joined
    (`bot.arena.cluster.leases`). A revision may be left out, after an answer that was lost.
    """

    def __init__(self, database: Database, process_id: str) -> None:
        self._database = database
        self._id = process_id

    async def came(self, player: wire.Player) -> int:
        """Store that the player is connected to this process."""
        return await self._change(None, player)

    async def left(self, name: str) -> int:
        """Store that the player of that name has no connection to this process any more."""
        return await self._change(name, None)

    async def renamed(self, former: str, player: wire.Player) -> int:
        """Store the player under a new name."""
        return await self._change(former, player)

    async def of(self, process: str) -> tuple[int, list[wire.Player]]:
        """The revision and the players of a process, by name; none if it is not known."""

        def query(connection: Connection) -> tuple[int, list[wire.Player]]:
            revision = connection.execute(_REVISION, (process,)).fetchone()
            rows = connection.execute(_PLAYERS, (process,)).fetchall()
            players = [wire.Player.model_validate_json(row["player"]) for row in rows]
            return 0 if revision is None else revision[0], players

        return await self._database.read(query)

    async def renamed_since(self) -> list[tuple[str, wire.Player]]:
        """The players of this process whose account was renamed, with the former name.

        Usually there are none.
        """

        def query(connection: Connection) -> list[tuple[str, wire.Player]]:
            rows = connection.execute(_RENAMED, (self._id,)).fetchall()
            return [(row["former"], _renamed(row)) for row in rows]

        return await self._database.read(query)

    async def _change(self, former: str | None, player: wire.Player | None) -> int:
        def work(connection: Connection) -> int:
            raised = connection.execute(_RAISE, (self._id,)).fetchone()
            if raised is None:
                raise HostError(f"the process {self._id} has not joined the arena")
            if former is not None:
                connection.execute(_LEFT, (self._id, former))
            if player is not None:
                connection.execute(_CAME, (self._id, player.name, player.model_dump_json()))
            revision: int = raised[0]
            return revision

        return await self._database.write(work)


def _renamed(row: Row) -> wire.Player:
    player = wire.Player.model_validate_json(row["player"])
    return player.model_copy(update={"name": row["name"], "kind": row["kind"]})


_RENAMED: Final = """
SELECT presence.name AS former, presence.player, accounts.name, accounts.kind
FROM presence JOIN accounts ON accounts.id = presence.player::json ->> 'id'
WHERE presence.process = ? AND accounts.name <> presence.name"""
_REVISION: Final = "SELECT presence_revision FROM processes WHERE id = ?"
_PLAYERS: Final = "SELECT player FROM presence WHERE process = ? ORDER BY name"
_RAISE: Final = """
UPDATE processes SET presence_revision = presence_revision + 1 WHERE id = ? AND NOT ended
RETURNING presence_revision"""
_LEFT: Final = "DELETE FROM presence WHERE process = ? AND name = ?"
_CAME: Final = """
INSERT INTO presence (process, name, player) VALUES (?, ?, ?)
ON CONFLICT (process, name) DO UPDATE SET player = excluded.player"""
