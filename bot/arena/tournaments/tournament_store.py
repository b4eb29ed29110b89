"""Tournaments in the database: each event is a row, written before it takes effect.

The table of games says which games belong to a tournament. So a game that started or ended while
its event could not be written is found after a restart.
"""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from bot import wire
from bot.arena.store import fences
from bot.arena.store.connection import UNREADABLE, Connection, Row, Work
from bot.arena.store.database import Database, as_text
from bot.arena.store.writer import Statement
from bot.arena.tournaments.tournament import Stage
from bot.time_source import TimeSource
from bot.tournaments.events import ANY_EVENT, Event


@dataclass(frozen=True)
class StoredTournament:
    """A tournament as stored. `games` has the ids of the games that were begun, by number."""

    tournament_id: str
    host: wire.Player
    settings: wire.TournamentSettings
    stage: Stage
    why: str | None
    """Why it is over; None before that."""
    created_at: datetime
    entrants: tuple[wire.Player, ...]
    events: tuple[Event, ...]
    games: dict[int, tuple[str, ...]]


@dataclass(frozen=True)
class DamagedTournament:
    """A tournament in the database that cannot be read, and why."""

    tournament_id: str
    why: str


@dataclass(frozen=True)
class StoredSummary:
    """A tournament for a list. `summary` is None while it is not over, or if it is damaged."""

    tournament_id: str
    summary: wire.TournamentSummary | None
    created_at: datetime


class TournamentStore:
    """Reads and writes tournaments; every write is on the disk when it returns.

    `duty` is the process that has the hall, and the hall's epoch, in an arena of several processes.
    With it, every write raises Replaced if another process has the hall now.
    """

    def __init__(self, database: Database, time: TimeSource) -> None:
        self.duty: tuple[str, int] | None = None
        self._database = database
        self._time = time

    async def create(
        self, tournament_id: str, host: wire.Player, settings: wire.TournamentSettings
    ) -> None:
        now = as_text(self._time.wall())
        row = (tournament_id, host.id, settings.model_dump_json(), "open", now, now)
        await self._write(Statement(_CREATE, row))

    async def close(
        self, tournament_id: str, stage: Stage, summary: wire.TournamentSummary
    ) -> None:
        """Store the end with the last summary, so that lists need not read the events."""
        row = (stage, summary.model_dump_json(), as_text(self._time.wall()), tournament_id)
        await self._write(Statement(_CLOSE, row))

    async def enter(
        self,
        tournament_id: str,
        number: int,
        player: wire.Player,
        first: int = 0,
        events: Sequence[Event] = (),
    ) -> None:
        """Write an entry, and events numbered from `first`, in one transaction.

        `number` orders the entrants.
        """
        row = (tournament_id, player.id, number, player.model_dump_json())
        rows = self._rows(tournament_id, first, events)

        def work(connection: Connection) -> None:
            connection.execute(_ENTER, row)
            connection.executemany(_NOTE, rows)

        await self._write(work)

    async def leave(self, tournament_id: str, player: wire.Player) -> None:
        """Delete an entry; only before the tournament starts."""
        await self._write(Statement(_LEAVE, (tournament_id, player.id)))

    async def note(
        self, tournament_id: str, first: int, events: Sequence[Event], stage: Stage | None = None
    ) -> None:
        """Write events numbered from `first`, and a new stage, in one transaction."""
        now = as_text(self._time.wall())
        rows = self._rows(tournament_id, first, events)

        def work(connection: Connection) -> None:
            connection.executemany(_NOTE, rows)
            if stage is not None:
                connection.execute(_STAGE, (stage, now, tournament_id))

        await self._write(work)

    async def _write(self, work: Work[None]) -> None:
        if (duty := self.duty) is None:
            await self._database.write(work)
            return

        def fenced(connection: Connection) -> None:
            fences.hold_hall(connection, duty)
            work(connection)

        await self._database.write_fenced(fenced, "the hall")

    def _rows(
        self, tournament_id: str, first: int, events: Sequence[Event]
    ) -> list[tuple[str, int, str, str]]:
        now = as_text(self._time.wall())
        return [
            (tournament_id, number, event.model_dump_json(), now)
            for number, event in enumerate(events, start=first)
        ]

    async def unfinished(self) -> list[StoredTournament | DamagedTournament]:
        """The tournaments that are open or running, in the order of their creation."""

        def query(connection: Connection) -> list[_Rows]:
            return [_rows(connection, row) for row in connection.execute(_UNFINISHED).fetchall()]

        found = await self._database.read(query)
        return await asyncio.to_thread(lambda: [_load_if_readable(each) for each in found])

    async def find(self, tournament_id: str) -> StoredTournament | DamagedTournament | None:
        def query(connection: Connection) -> _Rows | None:
            row = connection.execute(_ONE, (tournament_id,)).fetchone()
            return None if row is None else _rows(connection, row)

        # Parsing a long one takes a second, so it happens outside the reader's thread.
        found = await self._database.read(query)
        return None if found is None else await asyncio.to_thread(_load_if_readable, found)

    async def summaries_before(self, before: datetime | None, limit: int) -> list[StoredSummary]:
        """Tournaments created before that moment, the last one first."""
        latest = "9999" if before is None else as_text(before)
        rows = await self._database.read(
            lambda connection: connection.execute(_BEFORE, (latest, limit)).fetchall()
        )
        return [_summary(row) for row in rows]

    async def records(self, game_ids: Sequence[str]) -> dict[str, str]:
        """The records of these games as JSON, by id; games without a record are left out."""

        def query(connection: Connection) -> dict[str, str]:
            rows = (connection.execute(_RECORD, (each,)).fetchone() for each in game_ids)
            return {row["id"]: row["record"] for row in rows if row is not None}

        return await self._database.read(query)


def all_tournaments(
    connection: Connection,
) -> list[StoredTournament | DamagedTournament]:
    """Read all tournaments, within the transaction that is open. Parsing long ones takes time."""
    return [_load_if_readable(_rows(connection, row)) for row in connection.execute(_COLUMNS)]


# Each statement is repeatable: a failing disk may have stored one although it reported an error.
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
_RECORD: Final = "SELECT id, record FROM games WHERE id = ? AND record IS NOT NULL"


@dataclass(frozen=True)
class _Rows:
    """The rows of a tournament; `why` says why they cannot be read, else None."""

    tournament: Row
    entrants: Sequence[Row] = ()
    events: Sequence[Row] = ()
    games: Sequence[Row] = ()
    why: str | None = None


def _rows(connection: Connection, row: Row) -> _Rows:
    key = (row["id"],)
    try:
        entrants, events, games = (
            connection.execute(statement, key).fetchall()
            for statement in (_ENTRANTS, _EVENTS, _GAMES)
        )
    except UNREADABLE as error:
        return _Rows(row, why=str(error))
    return _Rows(row, entrants, events, games)


def _load_if_readable(rows: _Rows) -> StoredTournament | DamagedTournament:
    if rows.why is not None:
        return DamagedTournament(rows.tournament["id"], rows.why)
    try:
        return _load(rows)
    except ValueError as error:  # a ValidationError too
        return DamagedTournament(rows.tournament["id"], str(error))


def _load(rows: _Rows) -> StoredTournament:
    row, events, entrants = rows.tournament, rows.events, rows.entrants
    if [each["number"] for each in events] != list(range(len(events))):
        raise ValueError("some of its events are missing")
    return StoredTournament(
        tournament_id=row["id"],
        host=wire.Player(id=row["host"], name=row["name"], kind=row["kind"]),
        settings=wire.TournamentSettings.model_validate_json(row["settings"]),
        stage=row["state"],
        why=_why(row),
        created_at=datetime.fromisoformat(row["created_at"]),
        entrants=tuple(wire.Player.model_validate_json(each["player"]) for each in entrants),
        events=tuple(ANY_EVENT.validate_json(each["event"]) for each in events),
        games=_games(rows.games),
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
