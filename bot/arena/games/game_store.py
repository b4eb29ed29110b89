"""Games in the database: saved at each change, loaded when the arena starts.

While the server is down, no clock runs. A heartbeat with the arena's clock is written every few
seconds: after a crash the time up to the last one counts, and the time after it is given back. All
moments are seconds of the arena's clock (`bot.arena.arena_clock`), never wall time.
"""

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

from bot import wire
from bot.arena.games import game_index, game_rows
from bot.arena.games.game import Game
from bot.arena.games.game_rows import DamagedGame, StoredGame
from bot.arena.games.game_takeover import SIGN_OF_LIFE, clocks_of, has_owners, load, release_games
from bot.arena.store import facts, fences
from bot.arena.store.connection import UNREADABLE, Connection, Row
from bot.arena.store.database import Database, as_text
from bot.arena.store.fences import ON_SAME_PLY
from bot.arena.store.schema import VERSION
from bot.arena.store.sqlite_database import FILE_NAME
from bot.arena.store.tables import EndedGame, all_tables
from bot.arena.store.writer import Statement
from bot.errors import HostError
from bot.records.model import GameRecord
from bot.runtime.database import version_of

RECORDS_BYTES: Final = "records_bytes"
PENDING_RECORD: Final = "pending_record:"


@dataclass(frozen=True)
class SummaryPage:
    """Some of the finished games, without those that cannot be read.

    `next`: the following page has the games that ended before it; None if there are none.
    """

    summaries: list[wire.GameSummary]
    next: datetime | None


class GameStore:
    """Reads and writes games; every write is on the disk when it returns.

    With an owner, a game is written only while the owner and the epoch in its row are those of this
    process and of the `Game`; otherwise a write raises Replaced.
    """

    def __init__(self, database: Database, owner: str | None = None) -> None:
        """`owner` is the id of this process, in an arena of several."""
        self._database = database
        self._owner = owner

    @property
    def owner(self) -> str | None:
        """The id of this process, in an arena of several."""
        return self._owner

    @property
    def trouble(self) -> str | None:
        """Why the database cannot be written now; None if it can."""
        return self._database.trouble

    def hurry(self) -> None:
        """See `Database.hurry`."""
        self._database.hurry()

    async def begin(self, game: Game, duty: tuple[str, int] | None = None) -> bool:
        """Write a new game, with the turns of its opening and the game's epoch.

        Returns False if another process has begun this game. With `duty`, the owner and the epoch
        of the hall, only while the hall is theirs: raises Replaced otherwise.
        """
        row = {
            **game_rows.fixed(game),
            **game_rows.changing(game, None),
            "owner": self._owner,
            "epoch": game.epoch,
        }
        opening = game_rows.opening_rows(game)

        def work(connection: Connection) -> bool:
            if duty is not None:
                fences.hold_hall(connection, duty)
            connection.execute(_BEGIN, row)
            if connection.execute(_OWNER, (game.game_id,)).fetchone()["owner"] != self._owner:
                return False
            connection.executemany(_PLAY, opening)
            return True

        return await self._database.write_fenced(work, "the hall")

    async def save(
        self, old: Game, game: Game, record: GameRecord | None, records_bytes: int = 0
    ) -> None:
        """Write what has changed since `old`, the stored game: at most one new turn, or fewer.

        `record` stays pending until `note_recorded`. `records_bytes` is the length of the file of
        records before this record is appended. An arena of several processes has no such file.
        """
        if self._owner is not None:
            await self._save_fenced(self._owner, old, game, record)
            return
        turn = Statement(_PLAY, game_rows.turn_row(game)) if game.ply > old.ply else None
        if turn is not None and game_rows.is_only_a_turn(old, game):
            await self._database.write(turn)
            return
        row = {"id": game.game_id, **game_rows.changing(game, record)}
        # Each indexed column costs one more page, and these columns change only at the end.
        statement = _SAVE if game.result is None else _SAVE_ENDED

        def work(connection: Connection) -> None:
            _note_end(connection, game)
            connection.execute(statement, row)
            if turn is not None:
                turn(connection)
            elif game.ply < old.ply:
                connection.execute(_TAKE_BACK, (game.game_id, game.ply))
            if record is not None:
                facts.put(connection, PENDING_RECORD + game.game_id, str(records_bytes))

        await self._database.write(work)

    async def _save_fenced(
        self, owner: str, old: Game, game: Game, record: GameRecord | None
    ) -> None:
        game_id, *played = game_rows.turn_row(game) if game.ply > old.ply else (game.game_id,)
        what = f"the game {game.game_id}"
        if game_rows.is_only_a_turn(old, game):
            turn = (game_id, owner, game.epoch, *played)
            await self._database.write_fenced(Statement(fences.PLAY, turn), what)
            return
        row = {
            "id": game_id,
            "owner": owner,
            "epoch": game.epoch,
            **game_rows.changing(game, record),
        }
        statement = fences.fenced(_SAVE if game.result is None else _SAVE_ENDED)

        def work(connection: Connection) -> None:
            _note_end(connection, game)
            connection.execute(statement, row)
            if played:  # the row of the game is locked now
                connection.execute(_PLAY, (game_id, *played))
            elif game.ply < old.ply:
                connection.execute(_TAKE_BACK, (game_id, game.ply))

        await self._database.write_fenced(work, what)

    async def add(
        self,
        game: Game,
        record: GameRecord,
        prepare: Callable[[Connection], None],
        records_bytes: int | None,
    ) -> bool:
        """Write a finished game that was not played on this arena; `prepare` comes first.

        Returns False if there is a game with its id. It is not an end of a game of the arena: no
        room notes it, and only searches in the games of its players find it. `records_bytes` is as
        for `save`; None without a file of records.
        """
        row = {**game_rows.fixed(game), **game_rows.changing(game, record)}
        row |= {"owner": None, "epoch": 0}
        is_new = False

        def work(connection: Connection) -> bool:
            nonlocal is_new  # the work may be repeated after a commit whose answer was lost
            prepare(connection)
            if connection.execute(_BEGIN, row).rowcount == 1:
                is_new = True
                connection.executemany(_PLAY, game_rows.opening_rows(game))
                game_index.note_end_elsewhere(connection, _ended(game))
                if records_bytes is not None:
                    facts.put(connection, PENDING_RECORD + game.game_id, str(records_bytes))
            return is_new

        return await self._database.write(work)

    async def show_life(self, clock_s: float) -> None:
        """Store that the clocks have run until `clock_s`."""
        now = repr(clock_s)
        await self._database.write(lambda connection: facts.put(connection, SIGN_OF_LIFE, now))

    async def clock_s(self) -> float:
        """The arena's clock when the server went down, in seconds."""
        return await self._database.read(_clock_s)

    async def running(self) -> list[StoredGame | DamagedGame]:
        """The games that were running when the server went down, oldest first.

        Without an owner, those that a process of a larger arena left become ownerless.
        """
        if self._owner is None and await self._database.read(has_owners):
            await self._database.write(release_games)
        return await self._database.read(running_games)

    async def games_running(self) -> list[str]:
        """The names of the rules that the running games need."""
        return [each.setup.game for each in await self.running() if isinstance(each, StoredGame)]

    async def running_one(self, game_id: str) -> StoredGame | None:
        """A running game of any process as it is stored; None if the id is unknown."""

        def query(connection: Connection) -> StoredGame | None:
            found = load(connection, connection.execute(_RUNNING_ONE, (game_id,)).fetchall())
            game = found[0].game if found else None
            return game if isinstance(game, StoredGame) else None

        return await self._database.read(query)

    async def finished(self, game_id: str) -> StoredGame | None:
        """A finished game; None if the id is unknown."""

        def query(connection: Connection) -> StoredGame | None:
            row = connection.execute(_FINISHED, (game_id,)).fetchone()
            return None if row is None else _load(connection, row, 0.0)

        return await self._database.read(query)

    async def find(self, game_id: str) -> StoredGame | None:
        """A game as it is stored, running or finished; None if the id is unknown."""

        def query(connection: Connection) -> StoredGame | None:
            row = connection.execute(_ONE, (game_id,)).fetchone()
            return None if row is None else _load(connection, row, 0.0)

        return await self._database.read(query)

    async def summaries(self, limit: int) -> list[wire.GameSummary]:
        """The latest finished games, the last one first."""
        return (await self.summaries_before(None, limit)).summaries

    async def summaries_before(self, before: datetime | None, limit: int) -> SummaryPage:
        """Finished games that ended before that moment, the last one first."""
        # One more than requested shows whether another page follows.
        values = {"before": "9999" if before is None else as_text(before), "limit": limit + 1}
        values |= {"everybody": game_index.EVERYBODY}
        rows = await self._database.read(
            lambda connection: connection.execute(_ENDED_BEFORE, values).fetchall()
        )
        return summary_page(rows, limit)

    async def record(self, game_id: str) -> str | None:
        """The record of a finished game, as JSON."""
        row = await self._database.read(
            lambda connection: connection.execute(_RECORD, (game_id,)).fetchone()
        )
        return None if row is None else row["record"]

    async def record_ids(self) -> list[str]:
        """The ids of all games that have a record, in the order of their ends."""
        rows = await self._database.read(lambda connection: connection.execute(_RECORDS).fetchall())
        return [row["id"] for row in rows]

    async def pending_records(self) -> dict[str, int]:
        """Games whose record may be missing in the file: by id, the file's length at their end."""
        names = (PENDING_RECORD, PENDING_RECORD + "~")
        rows = await self._database.read(
            lambda connection: connection.execute(_PENDING, names).fetchall()
        )
        return {row["name"].removeprefix(PENDING_RECORD): int(row["value"]) for row in rows}

    async def note_recorded(self, game_ids: Sequence[str], records_bytes: int) -> None:
        """Store that these records are in the file, and the length of the file."""
        names = [(PENDING_RECORD + game_id,) for game_id in game_ids]

        def work(connection: Connection) -> None:
            connection.executemany(_FORGET, names)
            facts.put(connection, RECORDS_BYTES, str(records_bytes))

        await self._database.write(work)

    async def records_bytes(self) -> int | None:
        """The length of the file of records after the last append; None if it is not known."""
        noted = await self._database.read(lambda connection: facts.find(connection, RECORDS_BYTES))
        return None if noted is None else int(noted)


def summary_page(rows: Sequence[Row], limit: int) -> SummaryPage:
    """A page of `limit` games; one row more shows that another page follows."""
    shown = rows[:limit]
    found = [each for row in shown if (each := game_rows.summary(row)) is not None]
    return SummaryPage(found, game_rows.last_end(shown) if len(rows) > limit else None)


def _note_end(connection: Connection, game: Game) -> None:
    """Let each room note the game if it ends in this transaction; before its row is changed."""
    if game.result is None or game.ended_at is None:
        return
    ended = _ended(game)
    for each in all_tables():
        if each.at_end is not None:
            each.at_end(connection, ended)


def _ended(game: Game) -> EndedGame:
    one, two = game.players
    assert one.id is not None
    assert two.id is not None
    assert game.result is not None
    assert game.ended_at is not None
    ids, ended_at = (one.id, two.id), as_text(game.ended_at)
    return EndedGame(game.game_id, game.setup, ids, game.result, ended_at)


def read_plies(folder: Path) -> dict[str, int]:
    """How many turns each game in a data folder has that no arena uses.

    Does not bring older tables up to date, because an operator may go back to an older version.
    Raises HostError if the tables are of another version.
    """
    path = folder / FILE_NAME
    try:
        address = f"{path.absolute().as_uri()}?mode=ro"
        with closing(sqlite3.connect(address, uri=True)) as connection:
            if version_of(connection) != VERSION:
                raise HostError(f"{path}: tables of another version cannot be compared")
            return dict(connection.execute(_PLIES).fetchall())
    except sqlite3.Error as error:
        raise HostError(f"{path}: cannot be read: {error}") from error


# Each statement is repeatable: a failing disk may have stored one although it reported an error.
# ---- statements ------------------------------------------------------------------------------

_BEGIN: Final = """
INSERT INTO games (
    id, setup, players, player_1, player_2, running, revision, plies, draw_offer, takeback_offer,
    takebacks, abort_offer, hints, clocks, banked_ms, thinking_since, result, created_at, ended_at,
    record, tournament, place, owner, epoch
) VALUES (
    :id, :setup, :players, :player_1, :player_2, :running, :revision, :plies, :draw_offer,
    :takeback_offer, :takebacks, :abort_offer, :hints, :clocks, :banked_ms, :thinking_since,
    :result, :created_at, :ended_at, :record, :tournament, :place, :owner, :epoch
) ON CONFLICT (id) DO NOTHING"""
_OWNER: Final = "SELECT owner FROM games WHERE id = ?"
_SAVE: Final = """
UPDATE games SET revision = :revision, plies = :plies, draw_offer = :draw_offer,
    takeback_offer = :takeback_offer, takebacks = :takebacks, abort_offer = :abort_offer,
    hints = :hints, clocks = :clocks, banked_ms = :banked_ms, thinking_since = :thinking_since
WHERE id = :id"""
_SAVE_ENDED: Final = """
UPDATE games SET running = :running, revision = :revision, plies = :plies,
    draw_offer = :draw_offer, takeback_offer = :takeback_offer, takebacks = :takebacks,
    abort_offer = :abort_offer, hints = :hints, clocks = :clocks, banked_ms = :banked_ms,
    thinking_since = :thinking_since, result = :result, ended_at = :ended_at,
    record = :record
WHERE id = :id"""
_PLAY: Final = f"""
INSERT INTO turns (game_id, ply, played, revision, thinking_since) VALUES (?, ?, ?, ?, ?)
{ON_SAME_PLY}"""  # noqa: S608 - constants
_TAKE_BACK: Final = "DELETE FROM turns WHERE game_id = ? AND ply >= ?"
_RUNNING: Final = "SELECT * FROM games WHERE running ORDER BY created_at"
_RUNNING_ONE: Final = "SELECT * FROM games WHERE id = ? AND running"
_ONE: Final = "SELECT * FROM games WHERE id = ?"
_FINISHED: Final = "SELECT * FROM games WHERE id = ? AND NOT running"
_ENDED_BEFORE: Final = """
SELECT id, setup, players, plies, result, created_at, games.ended_at, place
FROM game_index JOIN games ON games.id = game_id
WHERE player = :everybody AND game_index.ended_at < :before
ORDER BY game_index.ended_at DESC LIMIT :limit"""
_RECORD: Final = "SELECT record FROM games WHERE id = ?"
_RECORDS: Final = "SELECT id FROM games WHERE record IS NOT NULL ORDER BY ended_at"
_PENDING: Final = "SELECT name, value FROM facts WHERE name > ? AND name < ? ORDER BY name"
_FORGET: Final = "DELETE FROM facts WHERE name = ?"
_TURNS: Final = "SELECT * FROM turns WHERE game_id = ? ORDER BY ply"
_PLIES: Final = "SELECT id, (SELECT count(*) FROM turns WHERE game_id = games.id) FROM games"


def _clock_s(connection: Connection) -> float:
    return clocks_of(connection).get(None, 0.0)


def running_games(connection: Connection) -> list[StoredGame | DamagedGame]:
    """Read the running games, oldest first, within the transaction that is open."""
    alive_at = clocks_of(connection)
    rows = connection.execute(_RUNNING).fetchall()
    return [_load_if_readable(connection, row, alive_at.get(row["owner"], 0.0)) for row in rows]


def _load_if_readable(
    connection: Connection, row: Row, alive_at: float
) -> StoredGame | DamagedGame:
    try:
        return _load(connection, row, alive_at)
    except (ValueError, *UNREADABLE) as error:
        return DamagedGame(row["id"], str(error))


def _load(connection: Connection, row: Row, alive_at: float) -> StoredGame:
    turns = connection.execute(_TURNS, (row["id"],)).fetchall()
    return game_rows.load(row, turns, alive_at)
