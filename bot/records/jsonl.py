"""Game records as JSON Lines: one record per line, appended durably, read with tolerance for
damage.
"""

import fcntl
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

from pydantic import ValidationError

from bot.errors import ConfigurationError, HostError
from bot.records.model import FORMAT, GameRecord
from bot.runtime.files import append, make_file, make_folder, sync_folder

BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
"""Some editors and spreadsheets begin a file with it."""
MAX_LINE_BYTES = 8 * 1024 * 1024
"""Far more than the longest game needs. A longer line is damaged, and is never read whole."""


@dataclass(frozen=True)
class DamagedLine:
    """A line without a valid record. `number` counts from 1."""

    number: int
    reason: str


def append_record(path: Path, record: GameRecord, *, private: bool = False) -> None:
    """Append one record and commit it to disk; create the file and its folder if necessary.

    If a crash truncated the last line, it stays as it is, and the record starts on a new line.
    Several processes may append to one file. Only its owner can read a `private` file. Raises
    HostError if the file cannot be written.
    """
    line = record.model_dump_json().encode() + b"\n"
    try:
        is_new = not path.exists()
        if private:
            make_folder(path.parent)
            make_file(path)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a+b", buffering=0) as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            append(file.fileno(), line if _ends_cleanly(file) else b"\n" + line)
        if is_new:
            sync_folder(path.parent)
    except OSError as error:
        raise HostError(f"{path}: the record cannot be written: {error.strerror}") from error


def rewrite(path: Path, change: Callable[[bytes], bytes]) -> None:
    """Replace the file by one whose lines are the results of `change`; only its owner can read it.

    A crash leaves the file as it was, or the new one. Nobody may append meanwhile. Raises HostError
    if it cannot be written.
    """
    if not path.exists():
        return
    made = path.with_name(f"{path.name}.new")
    try:
        made.unlink(missing_ok=True)
        make_file(made)
        with path.open("rb") as old, made.open("r+b") as new:
            for line in old:
                new.write(change(line))
            new.flush()
            os.fsync(new.fileno())
        made.replace(path)
        sync_folder(path.parent)
    except OSError as error:
        raise HostError(f"{path}: cannot be rewritten: {error.strerror}") from error


def _ends_cleanly(file: BinaryIO) -> bool:
    size = os.fstat(file.fileno()).st_size
    return size == 0 or os.pread(file.fileno(), 1, size - 1) == b"\n"


def read_records(path: Path, since: int = 0) -> Iterator[GameRecord | DamagedLine]:
    """Yield every line of the file except blank ones, as a record or as its damage.

    Starts at the byte `since`, or at 0 if the file is shorter. Damaged lines are numbered from
    there.

    Raises ConfigurationError if there is no such file, HostError if it cannot be read.
    """
    try:
        with path.open("rb") as file:
            file.seek(since if since <= os.fstat(file.fileno()).st_size else 0)
            if file.tell() == 0 and file.read(len(BYTE_ORDER_MARK)) != BYTE_ORDER_MARK:
                file.seek(0)
            for number, line in enumerate(_bounded_lines(file), start=1):
                if line is None:
                    yield DamagedLine(number, f"longer than {MAX_LINE_BYTES} bytes")
                elif line.strip():
                    yield _read_line(number, line)
    except FileNotFoundError as error:
        raise ConfigurationError(f"{path}: no such file") from error
    except OSError as error:
        raise HostError(f"{path}: cannot be read: {error.strerror}") from error


def _bounded_lines(file: BinaryIO) -> Iterator[bytes | None]:
    """Yield the lines, and None for a line that is too long, which is skipped in pieces."""
    while line := file.readline(MAX_LINE_BYTES + 1):
        if len(line) <= MAX_LINE_BYTES:
            yield line
            continue
        while line and not line.endswith(b"\n"):
            line = file.readline(MAX_LINE_BYTES)
        yield None


def _read_line(number: int, line: bytes) -> GameRecord | DamagedLine:
    try:
        return GameRecord.model_validate_json(line)
    except ValidationError as error:
        if not line.endswith(b"\n") and _is_not_json(error):
            return DamagedLine(number, "truncated: the file ends in the middle of the line")
        return DamagedLine(number, why_invalid(error))


def why_invalid(error: ValidationError) -> str:
    """Return one sentence about why a text is not a record."""
    first = error.errors(include_url=False, include_context=False)[0]
    place = ".".join(str(part) for part in first["loc"])
    if _is_not_json(error):
        return f"not JSON: {first['msg'].removeprefix('Invalid JSON: ')}"
    if place == "":
        return "not a game record: a JSON object is required"
    if any(part["loc"] == ("format",) for part in error.errors(include_url=False)):
        return f"not a game record of a known format ({FORMAT})"
    more = error.error_count() - 1
    return f"{place}: {first['msg']}" + (f" (and {more} more)" if more else "")


def _is_not_json(error: ValidationError) -> bool:
    return error.errors(include_url=False)[0]["type"] == "json_invalid"
