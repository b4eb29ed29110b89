"""The source of a command's records: an arena's database, or a JSON Lines file."""

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from bot.errors import ConfigurationError, HostError
from bot.records.jsonl import BYTE_ORDER_MARK, DamagedLine, read_records, why_invalid
from bot.records.model import GameRecord

DATABASE: Final = "arena.db"
LINES: Final = "records.jsonl"
OTHER_FORMATS: Final = {
    b"SQLite format 3\0": "a database, whose name must end in .db",
    b"(;": "SGF",
    b"version[": "htttx; `bluestone records import` reads it",
    b"012 ": "a FIDE report (TRF)",
    b"[": "JSON in another form",
    b"<": "HTML or XML",
    b"PK\x03\x04": "a ZIP archive",
    b"\x1f\x8b": "gzip",
}
"""How files of other formats begin."""
_HEAD_BYTES: Final = 65_536
_FIRST_LINES: Final = 5

_FINISHED: Final = "SELECT id, record FROM games WHERE record IS NOT NULL ORDER BY rowid"
_BUSY_TIMEOUT_S: Final = 5.0


@dataclass(frozen=True)
class RecordSource:
    """A database or a file of records. Each iteration reads it from the start."""

    path: Path

    def __iter__(self) -> Iterator[GameRecord | DamagedLine]:
        if self.path.suffix == ".db":
            return _read_database(self.path)
        return _read_lines(self.path)

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


def find_records(records: Iterable[GameRecord | DamagedLine], record_id: str) -> list[GameRecord]:
    """Return the records of that id, or of the only id that starts with it.

    Usually there is one, but ids are unique on one platform only, and a file may have games of
    several. Raises ConfigurationError if there is no such id, or if several start with it.
    """
    found: dict[str, list[GameRecord]] = {}
    for record in records:
        if not isinstance(record, DamagedLine) and record.id.startswith(record_id):
            found.setdefault(record.id, []).append(record)
    if record_id in found:
        return found[record_id]
    if len(found) == 1:
        return next(iter(found.values()))
    if found:
        raise ConfigurationError(
            f"game {record_id!r}: several ids start with this: {', '.join(found)}"
        )
    raise ConfigurationError(f"game {record_id!r}: there is no finished game with that id")


def _read_lines(path: Path) -> Iterator[GameRecord | DamagedLine]:
    """As `read_records`, but a file of another kind is refused at once, not line by line."""
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD_BYTES).removeprefix(BYTE_ORDER_MARK).lstrip()
    except OSError:
        head = b""  # `read_records` says why
    format_ = next((name for begin, name in OTHER_FORMATS.items() if head.startswith(begin)), None)
    lines = [line for line in head.splitlines() if line.strip()][:_FIRST_LINES]
    is_text = len(lines) == _FIRST_LINES and not any(line.startswith(b"{") for line in lines)
    if format_ is not None or is_text:
        looks = "" if format_ is None else f"; it looks like {format_}"
        raise ConfigurationError(f"{path}: is not a file of game records (JSON Lines){looks}")
    yield from read_records(path)


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
