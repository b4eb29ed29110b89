"""The turns that the bot owes, committed to disk so that a crash loses none.

One row is one turn of ours: accepted, then thinking, then submitted (with the turn), then
confirmed; or given up, with the reason. The rows of a game stay until its record is written, and
hold what the engine said of each turn. `bot.daemon.submission` says how turns are played once.
"""

import hashlib
import json
import sqlite3
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager, closing
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, Literal, cast

from bot.errors import HostError
from bot.platforms.base import TurnInfo
from bot.runtime.database import FileDatabase, version_of
from bot.runtime.health import WorkStatus
from bot.time_source import TimeSource

VERSION: Final = 4
"""The version of the tables; `FileDatabase` stores it in the file."""

_GAMES: Final = """
CREATE TABLE IF NOT EXISTS games (
    platform TEXT NOT NULL,
    game TEXT NOT NULL,
    records_bytes INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (platform, game)
) WITHOUT ROWID
"""
_WORK: Final = """
CREATE TABLE IF NOT EXISTS work (
    platform TEXT NOT NULL,
    game TEXT NOT NULL,
    ply INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (
        state IN ('accepted', 'thinking', 'submitted', 'confirmed', 'given_up')
    ),
    since REAL NOT NULL,
    turn TEXT,
    info TEXT,
    refused TEXT NOT NULL DEFAULT '[]',
    reason TEXT,
    position TEXT,
    PRIMARY KEY (platform, game, ply)
) WITHOUT ROWID
"""
State = Literal["accepted", "thinking", "submitted", "confirmed", "given_up"]
"""accepted: the turn is known to be ours; thinking: an engine searches; submitted: the turn is
chosen, and may have been sent; confirmed: the server has shown the ply as played; given_up: an
operator must look at it.
"""

JOURNAL: Final = "journal.db"
"""The name of the file in the data folder."""
OPEN_WORK: Final = (
    "SELECT platform, game, ply, state, since, turn, reason FROM work"
    " WHERE state <> 'confirmed' ORDER BY since, platform, game, ply"
)
PLIES_SEEN: Final = (
    "SELECT platform, game, (SELECT max(ply + (state = 'confirmed')) FROM work"
    " WHERE work.platform = games.platform AND work.game = games.game) FROM games"
)


@dataclass(frozen=True, slots=True)
class OpenWork:
    """A turn of ours that is not confirmed.

    `since` is when it entered its state, `reason` why it was given up or refused.
    """

    platform: str
    game: str
    ply: int
    state: State
    since: datetime
    turn: str | None
    reason: str | None


def work_status(work: OpenWork, now: datetime) -> WorkStatus:
    return WorkStatus(
        platform=work.platform,
        game_id=work.game,
        ply=work.ply,
        state=work.state,
        for_s=round(max(0.0, (now - work.since).total_seconds()), 1),
        turn=work.turn,
        reason=work.reason,
    )


def open_work_of(row: tuple[object, ...]) -> OpenWork:
    """Parse a row of `OPEN_WORK`. Raises HostError: SQLite takes any value in any column."""
    platform, game, ply, state, since, turn, reason = row
    try:
        return OpenWork(
            str(platform),
            str(game),
            int(str(ply)),
            cast("State", state),
            datetime.fromtimestamp(float(str(since)), UTC),
            None if turn is None else str(turn),
            None if reason is None else str(reason),
        )
    except (ValueError, OverflowError, OSError) as error:
        where = f"{str(platform)[:40]} {str(game)[:40]}"
        raise HostError(f"the journal has a damaged row of {where}: {error}") from error


def read_open_work(path: Path) -> list[OpenWork]:
    """Read the open work of a journal, oldest first, without writing; empty without a file.

    Raises HostError, also for a file of another version.
    """
    return [open_work_of(row) for row in _read_only(path, OPEN_WORK)]


def read_plies_seen(path: Path) -> dict[tuple[str, str], int]:
    """Read how many turns servers have shown in the games of a journal, by platform and game.

    Does not write. Raises HostError as `read_open_work`.
    """
    rows = _read_only(path, PLIES_SEEN)
    return {(str(platform), str(game)): int(str(plies or 0)) for platform, game, plies in rows}


def _read_only(path: Path, query: str) -> list[tuple[object, ...]]:
    try:
        if not path.exists():
            return []
    except OSError as error:  # a folder above it cannot be entered
        raise HostError(f"{path}: {error.strerror}") from error
    # Without a log no program has the file open. SQLite would then create files next to it, which
    # might belong to another user than the daemon's.
    has_log = path.with_name(f"{path.name}-wal").exists()
    address = f"{path.absolute().as_uri()}?mode=ro" + ("" if has_log else "&immutable=1")
    try:
        with closing(sqlite3.connect(address, uri=True)) as database:
            if (version := version_of(database)) != VERSION:
                raise HostError(
                    f"{path}: a journal of another version of Bluestone (tables {version}, this"
                    f" program reads {VERSION})"
                )
            return database.execute(query).fetchall()
    except sqlite3.Error as error:
        raise HostError(f"{path}: the journal cannot be read: {error}") from error


GIVEN_UP_S: Final = 1800.0
"""Seconds for which a ply stays given up.

A server that cannot store turns for some minutes may refuse them as illegal. Without a new attempt
the bot would lose every game of that time.
"""


@dataclass(frozen=True, slots=True)
class WorkKey:
    """One turn of ours: the platform's label in the settings, the game's id, the ply."""

    platform: str
    game: str
    ply: int


@dataclass(frozen=True, slots=True)
class Chosen:
    """The only turn that may be sent for a ply."""

    turn: str
    info: TurnInfo


@dataclass(frozen=True, slots=True)
class Work:
    """The facts about a ply of ours. `refused` are turns that the server has refused as illegal.

    `position` is the digest of the turns before the ply when a turn was chosen for it; None if no
    turn was chosen.
    """

    chosen: Chosen | None = None
    refused: frozenset[str] = frozenset()
    given_up: bool = False
    position: str | None = None


class TurnJournal(FileDatabase):
    """The open turns on all platforms, by label, game and ply.

    Every method that changes something returns after the commit to disk.
    """

    NAME = "journal"
    APPLICATION_ID = 0x426C756A
    VERSION = VERSION
    TABLES = (_GAMES, _WORK)

    async def begin(self, platform: str, game: str, records_bytes: int) -> None:
        """Store that we play in a game, with the size of the records file at this moment.

        A second call changes nothing.
        """
        statement = "INSERT OR IGNORE INTO games (platform, game, records_bytes) VALUES (?, ?, ?)"
        await self._write((statement, (platform, game, records_bytes)))

    async def accept(self, key: WorkKey) -> None:
        """Store that a turn is ours to play. A second call changes nothing."""
        statement = (
            "INSERT OR IGNORE INTO work (platform, game, ply, state, since)"
            " VALUES (?, ?, ?, 'accepted', ?)"
        )
        await self._write((statement, (*_values(key), self._now())))

    async def think(self, key: WorkKey) -> None:
        """Store that an engine searches."""
        await self._pass(key, "accepted", "thinking")

    async def wait(self, key: WorkKey) -> None:
        """Store that the engine has stopped without a turn."""
        await self._pass(key, "thinking", "accepted")

    async def _pass(self, key: WorkKey, before: State, after: State) -> None:
        statement = (
            "UPDATE work SET state = ?, since = ?"
            " WHERE platform = ? AND game = ? AND ply = ? AND state = ?"
        )
        await self._write((statement, (after, self._now(), *_values(key), before)))

    async def choose(self, key: WorkKey, chosen: Chosen, position: str) -> Chosen:
        """Commit the turn for a ply, before it is sent.

        Returns the turn that counts: an earlier choice for the ply stays. `position` is the digest
        of the turns before the ply.
        """
        statement = (
            "INSERT INTO work (platform, game, ply, state, since, turn, info, position)"
            " VALUES (?, ?, ?, 'submitted', ?, ?, ?, ?)"
            " ON CONFLICT DO UPDATE SET state = 'submitted', since = excluded.since,"
            " turn = excluded.turn, info = excluded.info, position = excluded.position"
            " WHERE turn IS NULL"
        )
        info = json.dumps(asdict(chosen.info))
        values = (*_values(key), self._now(), chosen.turn, info, position)
        await self._write((statement, values))
        standing = await self.chosen(key)
        assert standing is not None
        return standing

    async def chosen(self, key: WorkKey) -> Chosen | None:
        """Return the turn that was chosen for a ply, confirmed or not."""
        return (await self.work(key)).chosen

    async def work(self, key: WorkKey) -> Work:
        """Return the facts about a ply; an empty `Work` if it was never accepted."""
        statement = (
            "SELECT state, turn, info, refused, position FROM work"
            " WHERE platform = ? AND game = ? AND ply = ?"
        )
        rows = await self._read(statement, _values(key))
        return next((_work(*row) for row in rows), Work())

    async def start_over(self, key: WorkKey) -> None:
        """Forget the choices for a ply and for later ones: the server shows another position."""
        statement = (
            "UPDATE work SET state = 'accepted', since = ?, turn = NULL, info = NULL,"
            " refused = '[]', reason = NULL, position = NULL"
            " WHERE platform = ? AND game = ? AND ply = ?"
        )
        later = "DELETE FROM work WHERE platform = ? AND game = ? AND ply > ?"
        await self._write((later, _values(key)), (statement, (self._now(), *_values(key))))

    async def refuse(self, key: WorkKey, turn: str, why: str) -> None:
        """Store that the server refuses the chosen turn as illegal, so that another one may be
        chosen.
        """
        refused = json.dumps(sorted({*(await self.work(key)).refused, turn}))
        statement = (
            "UPDATE work SET state = 'accepted', since = ?, turn = NULL, info = NULL,"
            " refused = ?, reason = ? WHERE platform = ? AND game = ? AND ply = ? AND turn = ?"
        )
        await self._write((statement, (self._now(), refused, why, *_values(key), turn)))

    async def give_up(self, key: WorkKey, why: str) -> None:
        """Store that an operator must look at this ply. Only `take_up` makes it playable again."""
        statement = (
            "UPDATE work SET state = 'given_up', since = ?, reason = ?"
            " WHERE platform = ? AND game = ? AND ply = ?"
        )
        await self._write((statement, (self._now(), why, *_values(key))))

    async def take_up(self, key: WorkKey) -> bool:
        """Make a ply playable again, with all turns, `GIVEN_UP_S` after it was given up.

        Returns whether the ply was in that state for that long.
        """
        statement = (
            "UPDATE work SET state = 'accepted', since = ?, turn = NULL, info = NULL,"
            " refused = '[]' WHERE platform = ? AND game = ? AND ply = ? AND state = 'given_up'"
            " AND since <= ?"
        )
        now = self._now()
        return await self._write((statement, (now, *_values(key), now - GIVEN_UP_S))) > 0

    async def confirm(self, platform: str, game: str, plies: int) -> None:
        """Mark our turns before `plies` as done, because the server shows that many turns."""
        statement = (
            "UPDATE work SET state = 'confirmed', since = ?"
            " WHERE platform = ? AND game = ? AND ply < ? AND state <> 'confirmed'"
        )
        await self._write((statement, (self._now(), platform, game, plies)))

    async def open_work(self) -> list[OpenWork]:
        """Return every turn that is not confirmed, oldest first."""
        return [open_work_of(row) for row in await self._read(OPEN_WORK, ())]

    async def turns(self, platform: str, game: str) -> dict[int, Chosen]:
        """Return our turns of a game by ply."""
        rows = await self._read(
            "SELECT ply, turn, info FROM work"
            " WHERE platform = ? AND game = ? AND turn IS NOT NULL ORDER BY ply",
            (platform, game),
        )
        return {int(str(ply)): _chosen(turn, info) for ply, turn, info in rows}

    async def games(self, platform: str) -> dict[str, int]:
        """Return the games without a record, each with the size of the records file at its
        start.
        """
        statement = "SELECT game, records_bytes FROM games WHERE platform = ?"
        rows = await self._read(statement, (platform,))
        return {str(game): int(str(records_bytes)) for game, records_bytes in rows}

    async def plies_seen(self, platform: str, game: str) -> int | None:
        """Return how many turns the server has shown in a game; None for a game that is not here.

        A turn of the opponent after our last one counts once it is our turn again.
        """
        statement = f"{PLIES_SEEN} WHERE platform = ? AND game = ?"
        rows = await self._read(statement, (platform, game))
        return next((int(str(plies or 0)) for _, _, plies in rows), None)

    async def forget(self, platform: str, game: str) -> None:
        """Delete a game whose record is written, or will never be."""
        await self._write(
            ("DELETE FROM work WHERE platform = ? AND game = ?", (platform, game)),
            ("DELETE FROM games WHERE platform = ? AND game = ?", (platform, game)),
        )

    def _now(self) -> float:
        return self._time.wall().timestamp()


def open_journal(
    path: Path, time_source: TimeSource | None = None
) -> AbstractAsyncContextManager[TurnJournal]:
    """Open the journal in that file, which is created if missing. Raises HostError."""
    return TurnJournal.opened(path, time_source)


def digest_of(turns: Sequence[str]) -> str:
    """Return a digest that differs for different positions of one game."""
    return hashlib.sha256(" ".join(turns).encode()).hexdigest()


def _values(key: WorkKey) -> tuple[str, str, int]:
    return key.platform, key.game, key.ply


def _work(state: object, turn: object, info: object, refused: object, position: object) -> Work:
    chosen = None if turn is None else _chosen(turn, info)
    digest = None if position is None else str(position)
    return Work(chosen, frozenset(json.loads(str(refused))), state == "given_up", digest)


def _chosen(turn: object, info: object) -> Chosen:
    fields = json.loads(str(info))
    return Chosen(str(turn), TurnInfo(**{**fields, "pv": tuple(fields["pv"])}))
