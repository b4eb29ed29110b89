"""The ledger of a tournament as a file: JSON Lines, an event each, read with its damage told."""

import fcntl
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict, ValidationError

from bot.errors import ConfigurationError, HostError
from bot.records.jsonl import why_invalid
from bot.runtime.collecting import no_collecting
from bot.runtime.durable import append, sync_folder
from bot.runtime.private_files import make_file
from bot.tournaments.events import Event
from bot.tournaments.state import ImpossibleEvent, Tournament, replayed

LEDGER: Final = "ledger.jsonl"
CUT_OFF: Final = "ledger.cut"
"""Where what was left of a line is kept that a crash had cut off."""


class Entry(BaseModel):
    """A line: what happened, and when that was written down."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    at: datetime
    event: Event


@dataclass(frozen=True)
class LedgerContent:
    """`whole` is how many bytes of the file are lines; what follows is in `cut`, often nothing."""

    tournament: Tournament | None
    entries: tuple[Entry, ...]
    whole: int
    cut: bytes


def read_ledger(path: Path, *, keep_entries: bool = True) -> LedgerContent:
    """What is written down there, nothing if there is no such file. Changes nothing.

    Without the entries, which hold every turn, a long tournament takes a fraction of the memory.
    A last line that a crash cut off is told apart. Raises ConfigurationError, with the line, for
    damage before it and for events that contradict each other; HostError if it cannot be read.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        data = b""
    except OSError as error:
        raise HostError(f"{path}: cannot be read: {error.strerror}") from error
    whole = data.rfind(b"\n") + 1
    tournament, entries = None, []
    with no_collecting():
        for number, line in enumerate(_lines(data), start=1):
            if not line.strip():  # an editor may have left it, and a host has gone on after it
                continue
            entry = _entry(path, number, line)
            tournament = _applied(path, number, tournament, entry.event)
            if keep_entries:
                entries.append(entry)
    return LedgerContent(tournament, tuple(entries), whole, data[whole:])


def _lines(data: bytes) -> Iterator[bytes]:
    """Those that have an end, one at a time: all of them at once would be the file once more."""
    begin = 0
    while (end := data.find(b"\n", begin)) >= 0:
        yield data[begin:end]
        begin = end + 1


def _entry(path: Path, number: int, line: bytes) -> Entry:
    try:
        return Entry.model_validate_json(line)
    except ValidationError as error:
        problem = f"damaged, and what came of the tournament is not known: {why_invalid(error)}"
        raise ConfigurationError(f"{path}: line {number}: {problem}") from error


def _applied(path: Path, number: int, before: Tournament | None, event: Event) -> Tournament:
    try:
        if before is None:
            return replayed([event])
        before.apply(event)
    except ImpossibleEvent as error:
        raise ConfigurationError(f"{path}: line {number}: {error}") from error
    return before


def set_aside(path: Path, content: LedgerContent) -> None:
    """Move what is left of a line that was cut off into a file beside. Raises HostError."""
    try:
        beside = path.with_name(CUT_OFF)
        make_file(beside)
        with beside.open("ab") as file:
            file.write(content.cut + b"\n")
        os.truncate(path, content.whole)
    except OSError as error:
        raise HostError(f"{path}: cannot be written: {error.strerror}") from error


def append_events(path: Path, at: datetime, events: Sequence[Event]) -> None:
    """On the disk when this returns, and nothing of them in the file if it raises HostError."""
    lines = b"".join(_line(at, event) for event in events)
    try:
        is_new = not path.exists()
        make_file(path)
        with path.open("ab", buffering=0) as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            append(file.fileno(), lines)
        if is_new:
            sync_folder(path.parent)
    except OSError as error:
        raise HostError(f"{path}: cannot be written: {error.strerror}") from error


def _line(at: datetime, event: Event) -> bytes:
    return Entry(at=at, event=event).model_dump_json().encode() + b"\n"
