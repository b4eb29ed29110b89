"""Finished games as records: made from a game, and appended to a file of JSON Lines.

The database is authoritative. A record is appended to the file after it is committed to the
database, and is pending until the database has noted the append. The next start appends pending
records that are missing in the file. It compares all records only if the file is shorter than the
length that the database has noted.
"""

import asyncio
import re
from collections.abc import Set as AbstractSet
from contextlib import suppress
from pathlib import Path
from typing import Final

import structlog
from pydantic import ValidationError

from bot import wire
from bot.arena.games.game import Game
from bot.arena.games.game_store import GameStore
from bot.arena.store.reports import without_name
from bot.errors import HostError
from bot.records.jsonl import append_record, read_records, rewrite
from bot.records.model import (
    EngineSettings,
    GameRecord,
    RecordedPlayer,
    RecordedResult,
    RecordedTurn,
)
from bot.records.writing import RecordedSetup, game_record
from bot.time_source import TimeSource

FILE_NAME: Final = "records.jsonl"
PLATFORM: Final = "arena"
RETRY_S: Final = 5.0
_ID: Final = re.compile(rb'\{"format":"[\w-]+","id":"([\w-]+)"')
"""How a record of this program begins."""
SOFTWARE: Final = "bluestone-arena"

log = structlog.get_logger()


class RecordFile:
    """Appends records to DATA/records.jsonl, one at a time, in a thread.

    `behind` is the number of records that are not in the file yet.
    """

    def __init__(self, folder: Path, store: GameStore, time: TimeSource) -> None:
        self._path = folder / FILE_NAME
        self._store = store
        self._queue: asyncio.Queue[GameRecord] = asyncio.Queue()
        self._writing = asyncio.Lock()
        self._writer: asyncio.Task[None] | None = None
        self._time = time
        self._is_closing = False
        self.behind = 0

    @property
    def size(self) -> int:
        """The length of the file in bytes."""
        return self._path.stat().st_size if self._path.exists() else 0

    async def open(self) -> None:
        """Append the records that are missing in the file, then accept new ones."""
        await self._heal()
        self._writer = asyncio.create_task(self._write())

    def add(self, record: GameRecord) -> None:
        """Append a record as soon as the file can be written."""
        self.behind += 1
        self._queue.put_nowait(record)

    async def redact(self, account: str, neutral: str) -> None:
        """Write a neutral name into the records of that player. Repeating this changes nothing.

        Raises HostError if the file cannot be written.
        """
        mark = f'"{account}"'.encode()

        def change(line: bytes) -> bytes:
            return redacted(line, account, neutral) if mark in line else line

        await self._queue.join()
        async with self._writing:
            await asyncio.to_thread(rewrite, self._path, change)
            await self._store.note_recorded([], self.size)

    async def drop(self, game_ids: AbstractSet[str]) -> None:
        """Remove the records of these games. Raises HostError if the file cannot be written."""

        def change(line: bytes) -> bytes:
            found = _ID.match(line)
            is_dropped = found is not None and found[1].decode() in game_ids
            return b"" if is_dropped else line

        await self._queue.join()
        async with self._writing:
            await asyncio.to_thread(rewrite, self._path, change)
            await self._store.note_recorded([], self.size)

    async def close(self) -> None:
        """Write the waiting records; the next start appends those that cannot be written."""
        self._is_closing = True
        await self._queue.join()
        if self._writer is not None:
            self._writer.cancel()

    async def _write(self) -> None:
        while True:
            record = await self._queue.get()
            try:
                await self._append(record)
            finally:
                self.behind -= 1
                self._queue.task_done()

    async def _append(self, record: GameRecord) -> None:
        failures = 0
        while True:
            try:
                async with self._writing:
                    await asyncio.to_thread(append_record, self._path, record, private=True)
            except HostError as error:
                if failures == 0:
                    log.error("records_cannot_be_written", why=str(error))  # noqa: TRY400
                failures += 1
                if self._is_closing:
                    return
                await self._time.sleep(RETRY_S)
            else:
                if failures:
                    log.warning("records_written_again", game=record.id)
                with suppress(HostError):  # the next start finds the record in the file
                    await self._store.note_recorded([record.id], self.size)
                return

    async def _heal(self) -> None:
        pending = await self._store.pending_records()
        known_bytes = await self._store.records_bytes()
        if known_bytes is None or self.size < known_bytes:
            expected, since = await self._store.record_ids(), 0
        elif pending:
            expected, since = [*pending], min(pending.values())
        else:
            return
        present = await asyncio.to_thread(_ids_in, self._path, since)
        missing = [each for each in expected if each not in present]
        added = [game_id for game_id in missing if await self._add_missing(game_id)]
        if added:
            log.info("records_healed", file=str(self._path), added=len(added))
        await self._store.note_recorded([*pending], self.size)

    async def _add_missing(self, game_id: str) -> bool:
        text = await self._store.record(game_id)
        if text is None:
            return False
        try:
            record = GameRecord.model_validate_json(text)
        except ValidationError as error:  # one damaged record must not prevent the start
            log.error("record_damaged", game=game_id, why=str(error))  # noqa: TRY400
            return False
        await asyncio.to_thread(append_record, self._path, record, private=True)
        return True


def _ids_in(path: Path, since: int) -> set[str]:
    if not path.exists():
        return set()
    return {line.id for line in read_records(path, since) if isinstance(line, GameRecord)}


def redacted(line: bytes, account: str, neutral: str) -> bytes:
    """A record as a line, with a neutral name for that player; a damaged line stays as it is."""
    with suppress(ValidationError):
        record = GameRecord.model_validate_json(line)
        told, players = record.result, list(record.players)
        for seat, player in enumerate(players):
            if player.user_id == account:
                players[seat] = player.model_copy(update={"name": neutral, "kind": "guest"})
                if told is not None:
                    message = without_name(told.message, player.name, neutral)
                    told = told.model_copy(update={"message": message})
        changes = {"players": tuple(players), "result": told}
        return record.model_copy(update=changes).model_dump_json().encode() + b"\n"
    return line


def record_of(game: Game) -> GameRecord:
    """The record of a finished game."""
    assert game.result is not None
    one, two = game.players
    setup = game.setup
    record = game_record(
        game.game_id,
        PLATFORM,
        RecordedSetup(
            *(setup.game, setup.board, setup.rules, setup.clock, setup.options),
            rated=setup.rated and game.result.unrated is None,
        ),
        (_player(one), _player(two)),
        [_turn(turn) for turn in game.turns],
        RecordedResult(**game.result.model_dump(exclude={"unrated"})),
        last=game.position,
        began=game.created_at,
        ended=game.ended_at,
        software=SOFTWARE,
    )
    return record.model_copy(update={"takebacks": game.takebacks, "hints": game.hints})


def _player(player: wire.Player) -> RecordedPlayer:
    engine = None if player.engine is None else EngineSettings(name=player.engine)
    return RecordedPlayer(name=player.name, kind=player.kind, user_id=player.id, engine=engine)


def _turn(played: wire.PlayedTurn) -> RecordedTurn:
    info = played.info or wire.TurnInfo()
    return RecordedTurn(
        turn=played.turn,
        captured=played.captured,
        time_ms=played.time_ms,
        clock=played.clock,
        value=info.value,
        visits=info.visits,
        pv=info.pv,
        source=info.source,
    )
