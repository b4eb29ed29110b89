"""The ledger of a tournament as a file: JSON Lines, an event each, read with its damage told.

Each line ends with a checksum of all lines so far, so a changed, doubled or removed line is found.
Lines of versions before there were checksums are read too.
"""

import fcntl
import hashlib
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict, ValidationError

from bot.errors import ConfigurationError, HostError
from bot.matches.task import fingerprint_of
from bot.records.jsonl import why_invalid
from bot.runtime.collecting import no_collecting
from bot.runtime.files import append, make_file, sync_folder
from bot.tournaments.events import Event, Finished
from bot.tournaments.state import ImpossibleEvent, Tournament, replayed

LEDGER: Final = "ledger.jsonl"
CUT_OFF: Final = "ledger.cut"
"""Where what was left of a line is kept that a crash had cut off."""


_SUM: Final = re.compile(rb',"sum":"(?P<sum>[0-9a-f]{32})"\}')
"""How a line ends: the checksum is the last field."""
SUM_LENGTH: Final = 42


class Chain:
    """A running SHA-256 of the lines of a ledger; 32 hexadecimal digits of it end each line.

    It finds accidents and edits. It is no signature: who changes a line can compute all sums again.
    """

    def __init__(self) -> None:
        self._hash = hashlib.sha256()
        self._has_sums = False

    def copy(self) -> "Chain":
        found = Chain()
        found._hash, found._has_sums = self._hash.copy(), self._has_sums
        return found

    def sealed(self, document: bytes) -> bytes:
        """The line of a JSON object, which is then part of the chain."""
        body = document[:-1]
        self._hash.update(body)
        end = f',"sum":"{self._digest}"}}\n'.encode()
        self._hash.update(end)
        self._has_sums = True
        return body + end

    def opened(self, line: bytes) -> bytes:
        """The JSON object of a line without its end, which is then part of the chain.

        Raises ValueError if its checksum is missing or wrong.
        """
        found = _SUM.fullmatch(line, max(0, len(line) - SUM_LENGTH))
        if found is None:
            if self._has_sums:
                raise ValueError("it has no checksum, although lines before it have one")
            self._hash.update(line + b"\n")
            return line
        body = line[: found.start()]
        self._hash.update(body)
        if self._digest != found["sum"].decode():
            raise ValueError(
                "its checksum does not match: this line was changed, or lines before it were "
                "changed, doubled or removed"
            )
        self._hash.update(line[found.start() :] + b"\n")
        self._has_sums = True
        return body + b"}"

    @property
    def has_sums(self) -> bool:
        """Whether the last line had one."""
        return self._has_sums

    @property
    def _digest(self) -> str:
        return self._hash.copy().hexdigest()[:32]


class Entry(BaseModel):
    """A line: what happened, and when that was written down."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    at: datetime
    event: Event


@dataclass(frozen=True)
class LedgerContent:
    """`whole` is how many bytes of the file are lines; what follows is in `cut`, often nothing.

    `chain` is where the next line goes on.
    """

    tournament: Tournament | None
    entries: tuple[Entry, ...]
    whole: int
    cut: bytes
    chain: Chain


def read_ledger(path: Path, *, keep_entries: bool = True) -> LedgerContent:
    """What is written down there, nothing if there is no such file. Changes nothing.

    Without the entries, which hold every turn, a long tournament takes a fraction of the memory.
    A last line that a crash cut off is told apart. Raises ConfigurationError, with the line, for
    damage before it, for events that contradict each other and for a result that is not that of
    its record; HostError if it cannot be read.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        data = b""
    except OSError as error:
        raise HostError(f"{path}: cannot be read: {error.strerror}") from error
    whole = data.rfind(b"\n") + 1
    tournament, entries, chain = None, [], Chain()
    with no_collecting():
        for number, line in enumerate(_lines(data), start=1):
            if not line.strip():  # an editor may have left it, and a host has gone on after it
                continue
            entry = _entry(path, number, line, chain)
            tournament = _applied(path, number, tournament, entry.event)
            if why := _contradiction(tournament, entry.event, has_sum=chain.has_sums):
                raise ConfigurationError(f"{path}: line {number}: {why}")
            if keep_entries:
                entries.append(entry)
    return LedgerContent(tournament, tuple(entries), whole, data[whole:], chain)


def _lines(data: bytes) -> Iterator[bytes]:
    """Those that have an end, one at a time: all of them at once would be the file once more."""
    begin = 0
    while (end := data.find(b"\n", begin)) >= 0:
        yield data[begin:end]
        begin = end + 1


def _entry(path: Path, number: int, line: bytes, chain: Chain) -> Entry:
    try:
        return Entry.model_validate_json(chain.opened(line))
    except ValueError as error:
        why = why_invalid(error) if isinstance(error, ValidationError) else str(error)
        problem = f"damaged, and what came of the tournament is not known: {why}"
        raise ConfigurationError(f"{path}: line {number}: {problem}") from error


def _applied(path: Path, number: int, before: Tournament | None, event: Event) -> Tournament:
    try:
        if before is None:
            return replayed([event])
        before.apply(event)
    except ImpossibleEvent as error:
        raise ConfigurationError(f"{path}: line {number}: {error}") from error
    return before


def _contradiction(tournament: Tournament, event: Event, *, has_sum: bool) -> str | None:
    """What of a result is not as its record has it. A checksum vouches for the turns."""
    if not isinstance(event, Finished) or event.record is None:
        return None
    record, number = event.record, event.game
    seats = tournament.played[number].scheduled.seats
    if tuple(player.name for player in record.players) != seats:
        return f"game {number} has the record of a game between other players"
    if not event.is_of(record):
        return f"the result of game {number} is not that of its record"
    if not has_sum and event.fingerprint != fingerprint_of(record):
        return f"the turns of game {number} are not those that were played"
    return None


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


def append_events(path: Path, at: datetime, events: Sequence[Event], chain: Chain) -> Chain:
    """On the disk when this returns where the chain goes on, and nothing of them in the file if it
    raises HostError.
    """
    after = chain.copy()
    lines = b"".join(
        after.sealed(Entry(at=at, event=event).model_dump_json().encode()) for event in events
    )
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
    return after
