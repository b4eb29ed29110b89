"""Tournaments in the database: each event is a row, written before it counts.

Of the games that belong to one the table of games knows which they are; so a game that began, or
ended, while its event could not be written is found again.
"""

import sqlite3
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal

from bot import wire
from bot.arena.store.database import Database, Row, as_text
from bot.arena.store.writer import Statement
from bot.records.model import GameRecord
from bot.time_source import TimeSource
from bot.tournaments.events import ANY_EVENT, Event

Stage = Literal["open", "running", "over", "cancelled"]
"""`open` until it has begun; `paused` and the like follow from the events."""


@dataclass(frozen=True)
class StoredTournament:
    """A tournament as the database has it, with the ids of the games begun for each number."""

    tournament_id: str
    host: wire.Player
    settings: wire.TournamentSettings
    stage: Stage
    why: str | None
    """Of one that is over."""
    created_at: datetime
    entrants: tuple[wire.Player, ...]
    events: tuple[Event, ...]
    games: dict[int, tuple[str, ...]]


@dataclass(frozen=True)
class DamagedTournament:
    """A tournament that is in the database and cannot be read."""

    tournament_id: str
    why: str


@dataclass(frozen=True)
class StoredSummary:
    """A tournament for a list; `summary` of one that is over, None if it cannot be read."""

    tournament_id: str
    summary: wire.TournamentSummary | None
    created_at: datetime


class TournamentStore:
    """Reads and writes tournaments; every write is on the disk when it returns."""

    def __init__(self, database: Database, time: TimeSource) -> None:
        self._database = database
        self._time = time

    async def create(
        self, tournament_id: str, host: wire.Player, settings: wire.TournamentSettings
    ) -> None:
        now = as_text(self._time.wall())
        row = (tournament_id, host.id, settings.model_dump_json(), "open", now, now)
        await self._database.write(Statement(_CREATE, row))

    async def close(
        self, tournament_id: str, stage: Stage, summary: wire.TournamentSummary
    ) -> None:
        """It is over: a list of tournaments need not read its events any more."""
        row = (stage, summary.model_dump_json(), as_text(self._time.wall()), tournament_id)
        await self._database.write(Statement(_CLOSE, row))

    async def enter(
        self,
        tournament_id: str,
        number: int,
        player: wire.Player,
        first: int = 0,
        events: Sequence[Event] = (),
    ) -> None:
        """`number` orders the entrants; what events say of it, numbered from `first`, is written
        with it, all or none.
        """
        row = (tournament_id, player.id, number, player.model_dump_json())
        rows = self._rows(tournament_id, first, events)

        def work(connection: sqlite3.Connection) -> None:
            connection.execute(_ENTER, row)
            connection.executemany(_NOTE, rows)

        await self._database.write(work)

    async def leave(self, tournament_id: str, player: wire.Player) -> None:
        """As if they had never entered; only before the beginning."""
        await self._database.write(Statement(_LEAVE, (tournament_id, player.id)))

    async def note(
        self, tournament_id: str, first: int, events: Sequence[Event], stage: Stage | None = None
    ) -> None:
        """Write events numbered from `first`, and the stage that they lead to, all or none."""
        now = as_text(self._time.wall())
        rows = self._rows(tournament_id, first, events)

        def work(connection: sqlite3.Connection) -> None:
            connection.executemany(_NOTE, rows)
            if stage is not None:
                connection.execute(_STAGE, (stage, now, tournament_id))

        await self._database.write(work)

    def _rows(
        self, tournament_id: str, first: int, events: Sequence[Event]
    ) -> list[tuple[str, int, str, str]]:
        now = as_text(self._time.wall())
        return [
            (tournament_id, number, event.model_dump_json(), now)
            for number, event in enumerate(events, start=first)
        ]

    async def unfinished(self) -> list[StoredTournament | DamagedTournament]:
        """Those that are open or running, oldest first."""

        def query(connection: sqlite3.Connection) -> list[StoredTournament | DamagedTournament]:
            rows = connection.execute(_UNFINISHED).fetchall()
            return [_load_if_readable(connection, row) for row in rows]

        return await self._database.read(query)

    async def find(self, tournament_id: str) -> StoredTournament | DamagedTournament | None:
        def query(connection: sqlite3.Connection) -> StoredTournament | DamagedTournament | None:
            row = connection.execute(_ONE, (tournament_id,)).fetchone()
            return None if row is None else _load_if_readable(connection, row)

        return await self._database.read(query)

    async def summaries_before(self, before: datetime | None, limit: int) -> list[StoredSummary]:
        """Tournaments made before that moment, the latest first."""
        latest = "9999" if before is None else as_text(before)
        rows = await self._database.read(
            lambda connection: connection.execute(_BEFORE, (latest, limit)).fetchall()
        )
        return [_summary(row) for row in rows]

    async def records(self, tournament_id: str) -> dict[str, GameRecord]:
        """The records of its finished games by id; one that cannot be read is left out."""
        rows = await self._database.read(
            lambda connection: connection.execute(_RECORDS, (tournament_id,)).fetchall()
        )
        found = {}
        for row in rows:
            try:
                found[row["id"]] = GameRecord.model_validate_json(row["record"])
            except ValueError:
                continue
        return found


# Each may be run again where a failing disk has kept it although it said otherwise.
# ---- statements ------------------------------------------------------------------------------

_CREATE: Final = """
INSERT INTO tournaments (id, host, settings, state, created_at, changed_at)
VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING"""
_CLOSE: Final = "UPDATE tournaments SET state = ?, summary = ?, changed_at = ? WHERE id = ?"
_STAGE: Final = "UPDATE tournaments SET state = ?, changed_at = ? WHERE id = ?"
_ENTER: Final = """
INSERT INTO tournament_entrants (tournament, account, number, player) VALUES (?, ?, ?, ?)
ON CONFLICT (tournament, account) DO NOTHING"""
_LEAVE: Final = "DELETE FROM tournament_entrants WHERE tournament = ? AND account = ?"
_NOTE: Final = """
INSERT INTO tournament_events (tournament, number, event, at) VALUES (?, ?, ?, ?)
ON CONFLICT (tournament, number) DO NOTHING"""
_COLUMNS: Final = """
SELECT tournaments.*, accounts.name, accounts.kind FROM tournaments
JOIN accounts ON accounts.id = tournaments.host"""
_UNFINISHED: Final = f"""{_COLUMNS}
WHERE state IN ('open', 'running') ORDER BY tournaments.created_at"""
_ONE: Final = f"{_COLUMNS} WHERE tournaments.id = ?"
_BEFORE: Final = """
SELECT id, summary, created_at FROM tournaments
WHERE created_at < ? ORDER BY created_at DESC LIMIT ?"""
_ENTRANTS: Final = "SELECT player FROM tournament_entrants WHERE tournament = ? ORDER BY number"
_EVENTS: Final = "SELECT number, event FROM tournament_events WHERE tournament = ? ORDER BY number"
_GAMES: Final = "SELECT id, place FROM games WHERE tournament = ? ORDER BY created_at"
_RECORDS: Final = "SELECT id, record FROM games WHERE tournament = ? AND record IS NOT NULL"


def _load_if_readable(
    connection: sqlite3.Connection, row: Row
) -> StoredTournament | DamagedTournament:
    try:
        return _load(connection, row)
    except (ValueError, sqlite3.DatabaseError) as error:  # a ValidationError too
        return DamagedTournament(row["id"], str(error))


def _load(connection: sqlite3.Connection, row: Row) -> StoredTournament:
    key = (row["id"],)
    events = connection.execute(_EVENTS, key).fetchall()
    if [each["number"] for each in events] != list(range(len(events))):
        raise ValueError("some of its events are missing")
    entrants = connection.execute(_ENTRANTS, key).fetchall()
    return StoredTournament(
        tournament_id=row["id"],
        host=wire.Player(id=row["host"], name=row["name"], kind=row["kind"]),
        settings=wire.TournamentSettings.model_validate_json(row["settings"]),
        stage=row["state"],
        why=_why(row),
        created_at=datetime.fromisoformat(row["created_at"]),
        entrants=tuple(wire.Player.model_validate_json(each["player"]) for each in entrants),
        events=tuple(ANY_EVENT.validate_json(each["event"]) for each in events),
        games=_games(connection.execute(_GAMES, key).fetchall()),
    )


def _summary(row: Row) -> StoredSummary:
    summary = None
    if row["summary"] is not None:
        with suppress(ValueError):
            summary = wire.TournamentSummary.model_validate_json(row["summary"])
    return StoredSummary(row["id"], summary, datetime.fromisoformat(row["created_at"]))


def _why(row: Row) -> str | None:
    last = _summary(row).summary
    return None if last is None else last.why


def _games(rows: Sequence[Row]) -> dict[int, tuple[str, ...]]:
    found: dict[int, tuple[str, ...]] = {}
    for row in rows:
        number = wire.TournamentPlace.model_validate_json(row["place"]).game
        found[number] = (*found.get(number, ()), row["id"])
    return found
