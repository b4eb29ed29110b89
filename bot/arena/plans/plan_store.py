"""Conditional turns in the database: at most one plan for each player of a game."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import orjson

from bot.arena.store.database import Database

_PUT: Final = """
INSERT INTO plans (game_id, seat, ply, takebacks, lines) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (game_id, seat) DO UPDATE SET ply = excluded.ply, takebacks = excluded.takebacks,
    lines = excluded.lines"""
_GET: Final = "SELECT * FROM plans WHERE game_id = ? AND seat = ?"
_REMOVE: Final = "DELETE FROM plans WHERE game_id = ? AND seat = ?"


@dataclass(frozen=True)
class StoredPlan:
    """Lines of turns that begin at `ply` of a game after that many takebacks."""

    ply: int
    takebacks: int
    lines: Sequence[Sequence[str]]


class PlanStore:
    """Reads and writes plans; each write is on the disk when it returns."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def put(self, game_id: str, seat: int, plan: StoredPlan) -> None:
        """Store a plan, which replaces an earlier one. A plan without lines only removes it."""
        if not plan.lines:
            await self.remove(game_id, seat)
            return
        lines = orjson.dumps([list(line) for line in plan.lines]).decode()
        row = (game_id, seat, plan.ply, plan.takebacks, lines)
        await self._database.write(lambda connection: connection.execute(_PUT, row))

    async def get(self, game_id: str, seat: int) -> StoredPlan | None:
        """The plan of a player; None if the player has no plan."""
        row = await self._database.read(
            lambda connection: connection.execute(_GET, (game_id, seat)).fetchone()
        )
        if row is None:
            return None
        return StoredPlan(row["ply"], row["takebacks"], orjson.loads(row["lines"]))

    async def remove(self, game_id: str, seat: int) -> None:
        """Forget the plan of a player."""
        await self._database.write(lambda connection: connection.execute(_REMOVE, (game_id, seat)))
