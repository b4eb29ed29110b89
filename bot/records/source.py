"""The source of a command's records: an arena's database, or a JSON Lines file."""

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from bot.errors import ConfigurationError, HostError
from bot.records.jsonl import DamagedLine, read_records, why_invalid
from bot.records.model import GameRecord

DATABASE = "arena.db"
LINES = "records.jsonl"

_FINISHED = "SELECT id, record FROM games WHERE record IS NOT NULL ORDER BY rowid"
_BUSY_TIMEOUT_S = 5.0


@dataclass(frozen=True)
class RecordSource:
    """A database or a file of records. Each iteration reads it from the start."""

    path: Path

    def __iter__(self) -> Iterator[GameRecord | DamagedLine]:
        if self.path.suffix == ".db":
            return _read_database(self.path)
        return read_records(self.path)

    @property
    def unit(self) -> str:
        """The unit that the number of a `DamagedLine` counts."""
        return "game" if self.path.suffix == ".db" else "line"


def record_source(data: Path, file: Path | None = None) -> RecordSource:
    """Return the records of `file` if it is given, else those of the data folder.

    Raises ConfigurationError with the places it looked at, if there are none.
    """
    if file is not None:
        if not file.is_file():
            raise ConfigurationError(f"{file}: no such file")
        return RecordSource(file)
    for name in (DATABASE, LINES):
        if (data / name).is_file():
            return RecordSource(data / name)
    raise ConfigurationError(
        f"{data}: no records here: neither {DATABASE} nor {LINES}; name a folder with --data, "
        "or a JSON Lines file with --file"
    )


def find_record(records: Iterable[GameRecord | DamagedLine], record_id: str) -> GameRecord:
    """Return the record of that id, or the only one whose id starts with it.

    Raises ConfigurationError if there is none, or several.
    """
    found: dict[str, GameRecord] = {}
    for record in records:
        if isinstance(record, DamagedLine):
            continue
        if record.id == record_id:
            return record
        if record.id.startswith(record_id):
            found[record.id] = record
    if len(found) == 1:
        return next(iter(found.values()))
    if found:
        raise ConfigurationError(
            f"game {record_id!r}: several ids start with this: {', '.join(found)}"
        )
    raise ConfigurationError(f"game {record_id!r}: there is no finished game with that id")


def _read_database(path: Path) -> Iterator[GameRecord | DamagedLine]:
    # The database is opened read-only, and each row is read as of the start of the reading: a
    # running arena continues to write in the meantime.
    uri = f"{path.absolute().as_uri()}?mode=ro"
    try:
        with closing(sqlite3.connect(uri, uri=True, timeout=_BUSY_TIMEOUT_S)) as database:
            for number, (game_id, text) in enumerate(database.execute(_FINISHED), start=1):
                yield _read_row(number, game_id, text)
    except sqlite3.Error as error:
        raise HostError(f"{path}: cannot be read as an arena's database: {error}") from error


def _read_row(number: int, game_id: object, text: str | bytes) -> GameRecord | DamagedLine:
    try:
        return GameRecord.model_validate_json(text)
    except ValidationError as error:
        return DamagedLine(number, f"{game_id}: {why_invalid(error)}")
