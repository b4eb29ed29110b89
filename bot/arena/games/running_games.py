"""What the database says about running games of all processes, without their turns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import structlog
from pydantic import BaseModel, ConfigDict

from bot import wire
from bot.arena.games.game_rows import PLAYERS
from bot.arena.store.connection import Connection, Row
from bot.arena.store.database import Database

AT_ONCE: Final = 500
"""The most ids in one statement."""

log = structlog.get_logger()

_GAMES: Final = """
SELECT id, setup, players, created_at, place, owner, epoch FROM games
WHERE running AND id IN ({ids})"""
_REVISIONS: Final = """
SELECT id, (SELECT max(turns.revision) FROM turns WHERE game_id = games.id) AS of_turns,
    (SELECT count(*) FROM turns WHERE game_id = games.id) AS plies, revision
FROM games WHERE id IN ({ids})"""


class RunningGame(BaseModel):
    """A running game: who plays, and which process owns it. `plies` may be behind."""

    model_config = ConfigDict(frozen=True)

    game_id: str
    setup: wire.GameSetup
    players: tuple[wire.Player, wire.Player]
    created_at: datetime
    tournament: wire.TournamentPlace | None
    owner: str | None
    epoch: int
    plies: int = 0

    @property
    def names(self) -> tuple[str, str]:
        """The names of the players."""
        one, two = self.players
        return one.name, two.name

    @property
    def tournament_id(self) -> str | None:
        """The id of the game's tournament; None if it is in none."""
        return None if self.tournament is None else self.tournament.tournament_id

    def summary(self) -> wire.GameSummary:
        """The game as one line of a list."""
        return wire.GameSummary(
            game_id=self.game_id,
            setup=self.setup,
            players=self.players,
            state="playing",
            plies=self.plies,
            result=None,
            tournament=self.tournament,
            created_at=self.created_at,
            ended_at=None,
        )


@dataclass(frozen=True)
class GameProgress:
    """How far a game is: its revision, and its number of turns."""

    revision: int
    plies: int


class RunningGames:
    """Reads the running games of all processes."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def find(self, ids: Sequence[str]) -> list[RunningGame]:
        """Those of these games that run; damaged ones are left out."""

        def query(connection: Connection) -> list[Row]:
            return _rows(connection, _GAMES, ids)

        rows = await self._database.read(query)
        return [found for row in rows if (found := _load(row)) is not None]

    async def progress(self, ids: Sequence[str]) -> Mapping[str, GameProgress]:
        """How far these games are, running or finished."""

        def query(connection: Connection) -> list[Row]:
            return _rows(connection, _REVISIONS, ids)

        return {
            row["id"]: GameProgress(max(row["revision"], row["of_turns"] or 0), row["plies"])
            for row in await self._database.read(query)
        }


def _rows(connection: Connection, statement: str, ids: Sequence[str]) -> list[Row]:
    found: list[Row] = []
    for start in range(0, len(ids), AT_ONCE):
        some = ids[start : start + AT_ONCE]
        marks = ", ".join("?" * len(some))
        found += connection.execute(statement.format(ids=marks), some).fetchall()
    return found


def _load(row: Row) -> RunningGame | None:
    try:
        return RunningGame(
            game_id=row["id"],
            setup=wire.GameSetup.model_validate_json(row["setup"]),
            players=PLAYERS.validate_json(row["players"]),
            created_at=datetime.fromisoformat(row["created_at"]),
            tournament=row["place"] and wire.TournamentPlace.model_validate_json(row["place"]),
            owner=row["owner"],
            epoch=row["epoch"],
        )
    except ValueError as error:  # a ValidationError too
        log.error("game_row_damaged", game=row["id"], why=str(error))  # noqa: TRY400
        return None
