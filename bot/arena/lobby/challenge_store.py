"""Open challenges in the database, so that another process can continue the hall.

An arena that is one process keeps them in memory only: a restart drops them.
"""

from typing import Final, Protocol

import structlog
from pydantic import TypeAdapter

from bot.arena.lobby.challenge import Challenge
from bot.arena.store import fences
from bot.arena.store.connection import Connection
from bot.arena.store.database import Database

CHALLENGE: Final = TypeAdapter(Challenge)

log = structlog.get_logger()

_PUT: Final = """
INSERT INTO challenges (id, challenge) VALUES (?, ?)
ON CONFLICT (id) DO UPDATE SET challenge = excluded.challenge"""
_REMOVE: Final = "DELETE FROM challenges WHERE id = ?"
_ALL: Final = "SELECT id, challenge FROM challenges"


class ChallengeKeeper(Protocol):
    """Keeps open challenges."""

    async def put(self, challenge: Challenge) -> None:
        """Keep a challenge, instead of an earlier state of it."""

    async def remove(self, challenge_id: str) -> None:
        """Forget a challenge."""

    async def all(self) -> list[Challenge]:
        """The challenges that are kept, oldest first."""
        ...


class NoChallengeStore:
    """Keeps nothing: the challenges are in the memory of the one process."""

    async def put(self, challenge: Challenge) -> None:
        """See `ChallengeKeeper`."""

    async def remove(self, challenge_id: str) -> None:
        """See `ChallengeKeeper`."""

    async def all(self) -> list[Challenge]:
        """See `ChallengeKeeper`."""
        return []


class ChallengeStore:
    """The table of challenges; every write is on the disk when it returns.

    With a `duty`, the owner and the epoch of the hall, a write raises Replaced unless the hall is
    theirs.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self.duty: tuple[str, int] | None = None

    async def put(self, challenge: Challenge) -> None:
        """See `ChallengeKeeper`."""
        text = CHALLENGE.dump_json(challenge).decode()
        await self._write(_PUT, (challenge.challenge_id, text))

    async def remove(self, challenge_id: str) -> None:
        """See `ChallengeKeeper`."""
        await self._write(_REMOVE, (challenge_id,))

    async def all(self) -> list[Challenge]:
        """See `ChallengeKeeper`. One that cannot be read is logged, and left out."""
        rows = await self._database.read(lambda connection: connection.execute(_ALL).fetchall())
        found: list[Challenge] = []
        for row in rows:
            try:
                found.append(CHALLENGE.validate_json(row["challenge"]))
            except ValueError as error:  # a ValidationError too
                log.error("challenge_damaged", challenge=row["id"], why=str(error))  # noqa: TRY400
        return sorted(found, key=lambda each: each.created_at)

    async def _write(self, statement: str, values: tuple[object, ...]) -> None:
        duty = self.duty

        def work(connection: Connection) -> None:
            if duty is not None:
                fences.hold_hall(connection, duty)
            connection.execute(statement, values)

        await self._database.write_fenced(work, "the hall")
