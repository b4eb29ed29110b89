"""The ledger of a tournament: JSON Lines, one event per line, committed to disk before it counts.

Each line ends with a checksum of all lines so far, so a changed, doubled or removed line is found.
"""

import asyncio
import fcntl
import hashlib
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final, Self

from pydantic import BaseModel, ConfigDict, ValidationError

from bot.errors import ConfigurationError, HostError
from bot.records.jsonl import why_invalid
from bot.runtime.collecting import no_collecting
from bot.runtime.files import append, held, make_file, sync_folder
from bot.runtime.settings import spell
from bot.time_source import TimeSource
from bot.tournaments.events import Began, Event, Finished, Voided
from bot.tournaments.state import ImpossibleEvent, Tournament, replayed

LEDGER: Final = "ledger.jsonl"
CUT_OFF: Final = "ledger.cut"
"""The file that keeps the rest of a line that a crash cut off."""


_SUM: Final = re.compile(rb',"sum":"(?P<sum>[0-9a-f]{32})"\}')
"""How a line ends: the checksum is the last field."""
SUM_LENGTH: Final = 42
NO_SUM: Final = (
    "it has no checksum. Ledgers of versions before the first release have none, and this version "
    "does not read them: start the tournament again in a new folder"
)


class Chain:
    """A running SHA-256 of the lines of a ledger; 32 hexadecimal digits of it end each line.

    It finds accidents and edits. It is not a signature: a person who changes a line can compute all
    checksums again.
    """

    def __init__(self) -> None:
        self._hash = hashlib.sha256()

    def copy(self) -> "Chain":
        found = Chain()
        found._hash = self._hash.copy()
        return found

    def sealed(self, document: bytes) -> bytes:
        """The line of a JSON object, which is then part of the chain."""
        body = document[:-1]
        self._hash.update(body)
        end = f',"sum":"{self._digest}"}}\n'.encode()
        self._hash.update(end)
        return body + end

    def opened(self, line: bytes) -> bytes:
        """The JSON object of a line without its end, which is then part of the chain.

        Raises ValueError if its checksum is missing or wrong.
        """
        found = _SUM.fullmatch(line, max(0, len(line) - SUM_LENGTH))
        if found is None:
            raise ValueError(NO_SUM)
        body = line[: found.start()]
        self._hash.update(body)
        if self._digest != found["sum"].decode():
            raise ValueError(
                "its checksum does not match: this line was changed, or lines before it were "
                "changed, doubled or removed"
            )
        self._hash.update(line[found.start() :] + b"\n")
        return body + b"}"

    @property
    def _digest(self) -> str:
        return self._hash.copy().hexdigest()[:32]


class LedgerEntry(BaseModel):
    """One line of a ledger: an event, and the time at which it was written."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    at: datetime
    event: Event


@dataclass(frozen=True)
class LedgerContent:
    """The content of a ledger.

    `whole` is the number of bytes in complete lines. `cut` has the bytes after them, usually none.
    `chain` computes the checksum of the next line.
    """

    tournament: Tournament | None
    entries: tuple[LedgerEntry, ...]
    whole: int
    cut: bytes
    chain: Chain


def read_ledger(path: Path, *, keep_entries: bool = True) -> LedgerContent:
    """Read a ledger; a missing file is an empty ledger. Changes nothing.

    Without the entries, which contain every turn, a long tournament needs a fraction of the memory.
    A last line that a crash cut off is returned as `cut`. Raises ConfigurationError with the line
    number for any other damage, for events that contradict each other, and for a result that
    differs from its record. Raises HostError if the file cannot be read.
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
            if not line.strip():  # an editor may leave an empty line, and a host continues after it
                continue
            entry = _entry(path, number, line, chain)
            tournament = _applied(path, number, tournament, entry.event)
            if why := _contradiction(tournament, entry.event):
                raise ConfigurationError(f"{path}: line {number}: {why}")
            if keep_entries:
                entries.append(entry)
    return LedgerContent(tournament, tuple(entries), whole, data[whole:], chain)


def _lines(data: bytes) -> Iterator[bytes]:
    """The complete lines, one at a time: a list of all of them would double the memory."""
    begin = 0
    while (end := data.find(b"\n", begin)) >= 0:
        yield data[begin:end]
        begin = end + 1


def _entry(path: Path, number: int, line: bytes, chain: Chain) -> LedgerEntry:
    try:
        document = chain.opened(line)
        return LedgerEntry.model_validate_json(document)
    except ValueError as error:
        # A line whose checksum is right is as its program wrote it.
        if isinstance(error, ValidationError) and _is_of_newer_version(error):
            problem = (
                f"written by a newer version of Bluestone ({why_invalid(error)}); update Bluestone"
            )
            raise ConfigurationError(f"{path}: line {number}: {problem}") from error
        why = why_invalid(error) if isinstance(error, ValidationError) else str(error)
        problem = f"damaged, so the results are not known: {why}"
        raise ConfigurationError(f"{path}: line {number}: {problem}") from error


def _is_of_newer_version(error: ValidationError) -> bool:
    """Return whether a line has something that this version does not know, and no other fault."""
    unknown = {"extra_forbidden", "union_tag_invalid", "literal_error"}
    return {problem["type"] for problem in error.errors(include_url=False)} <= unknown


def _applied(path: Path, number: int, before: Tournament | None, event: Event) -> Tournament:
    try:
        if before is None:
            return replayed([event])
        before.apply(event)
    except ImpossibleEvent as error:
        raise ConfigurationError(f"{path}: line {number}: {error}") from error
    return before


def _contradiction(tournament: Tournament, event: Event) -> str | None:
    """How a result differs from its record; None if it agrees. The checksum covers the turns."""
    if not isinstance(event, Finished) or event.record is None:
        return None
    record, number = event.record, event.game
    seats = tournament.played[number].scheduled.seats
    if tuple(player.name for player in record.players) != seats:
        return f"game {number} has the record of a game between other players"
    if not event.is_of(record):
        return f"the result of game {number} differs from its record"
    return None


def set_aside(path: Path, content: LedgerContent) -> None:
    """Move the rest of a line that was cut off to a second file, `CUT_OFF`. Raises HostError."""
    try:
        second = path.with_name(CUT_OFF)
        make_file(second)
        with second.open("ab") as file:
            file.write(content.cut + b"\n")
        os.truncate(path, content.whole)
    except OSError as error:
        raise HostError(f"{path}: cannot be written: {error.strerror}") from error


def append_events(path: Path, at: datetime, events: Sequence[Event], chain: Chain) -> Chain:
    """Write events and commit them to disk. Returns the chain for the next line.

    Raises HostError, and then the file has none of them.
    """
    after = chain.copy()
    lines = b"".join(
        after.sealed(LedgerEntry(at=at, event=event).model_dump_json().encode()) for event in events
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


FREE_SETTINGS: Final = frozenset({"concurrency"})
"""Settings that may change when a tournament is continued: they do not change the games."""
SAID_AGAIN: Final = {"software", "paired_by", "machine", "name", "seed", "programs"}
"""Fields that are not compared one by one: the settings repeat them, another version or machine may
continue, or `_check_programs` compares them."""
ADDED_SETTINGS: Final[Mapping[str, object]] = {
    "settings.openings_order": "file",
    "settings.openings_start": 1,
    "settings.sprt.model": "logistic",
    "settings.conduct.restart": False,
}
"""Settings that ledgers of version 1.0.0 do not have, and what they stand for there."""
SHOWN: Final = 5


class Ledger:
    """The ledger of a running host. `opened` locks it, so that one host at a time has it."""

    def __init__(self, path: Path, content: LedgerContent, time: TimeSource) -> None:
        self.before = content.tournament
        """The tournament that was in the folder; None for a new folder."""
        self.notes: list[str] = []
        """Messages for the user about the state in which the ledger was found."""
        self._chain = content.chain
        self._path = path
        self._time = time
        self._tournament: Tournament | None = None

    @classmethod
    @contextmanager
    def opened(cls, folder: Path, time: TimeSource) -> Iterator[Self]:
        """Lock the folder and read its ledger.

        Raises HostError if another host has the folder, or if it cannot be read or written, and
        ConfigurationError if the ledger is damaged.
        """
        path = folder / LEDGER
        with held(folder, "lock", "another `bluestone` is already hosting this tournament"):
            content = read_ledger(path, keep_entries=False)
            ledger = cls(path, content, time)
            if content.cut:
                set_aside(path, content)
                ledger.notes.append(
                    f"{path}: the last line was cut off after {len(content.cut)} bytes and moved "
                    f"to {CUT_OFF}; its event had not counted"
                )
            yield ledger

    @property
    def has_begun(self) -> bool:
        return self._tournament is not None

    @property
    def tournament(self) -> Tournament:
        """The tournament; only after `begin`."""
        assert self._tournament is not None
        return self._tournament

    def begin(self, began: Began) -> None:
        """Continue the tournament of the folder, or begin a new one.

        Raises ConfigurationError if the folder has another tournament, and HostError if the ledger
        cannot be written.
        """
        if self.before is None:
            self._append(began)
            self._tournament = Tournament(began)
        else:
            _check_same(self._path, self.before.began, began)
            _check_programs(self._path, self.before.began, began)
            self._tournament = self.before

    async def add(self, event: Event) -> bool:
        """Write an event to disk and apply it. Returns False if the game already had a result.

        Raises HostError if it cannot be written; the event is then not applied.
        """
        if isinstance(event, Finished | Voided) and event.game in self.tournament.played:
            return False
        writing = asyncio.to_thread(self._append, event)
        await _to_its_end(asyncio.ensure_future(writing))
        self.tournament.apply(event)
        return True

    def _append(self, event: Event) -> None:
        self._chain = append_events(self._path, self._time.wall(), [event], self._chain)


async def _to_its_end(writing: asyncio.Future[None]) -> None:
    """Waits also when cancelled, so that no write continues after the folder is released."""
    try:
        await asyncio.shield(writing)
    except asyncio.CancelledError:
        await asyncio.wait([writing])
        raise


def _check_same(path: Path, before: Began, now: Began) -> None:
    old, new = (_flat(each.model_dump(mode="json", exclude=SAID_AGAIN)) for each in (before, now))
    differing = [
        f"{key}: {old.get(key)!r} there, {new.get(key)!r} now"
        for key in {**old, **new}
        if old.get(key, ADDED_SETTINGS.get(key)) != new.get(key)
    ]
    if differing:
        more = [f"and {len(differing) - SHOWN} more"] if len(differing) > SHOWN else []
        raise ConfigurationError(
            [
                f"{path}: a tournament with other settings; use another folder or its settings",
                *(f"{path}: {line}" for line in (*differing[:SHOWN], *more)),
            ]
        )


def _check_programs(path: Path, before: Began, now: Began) -> None:
    """Refuse another program under the command of a player: its games would count as the same
    engine's.
    """
    changed = [
        name
        for name, program in now.programs.items()
        if before.programs.get(name, program) != program
    ]
    if changed:
        raise ConfigurationError(
            f"{path}: the program of {', '.join(changed)} is not the one with which the tournament "
            "began; use another folder, or put the program back"
        )


def _flat(value: object, place: tuple[str | int, ...] = ()) -> dict[str, object]:
    """The single values by their place, without settings that may change."""
    parts: list[tuple[str | int, Any]]
    if isinstance(value, Mapping) and value:
        parts = [(str(key), each) for key, each in value.items()]
    elif isinstance(value, list) and value:
        parts = list(enumerate(value))
    else:
        return {spell(place).removesuffix(": "): value}
    kept = [
        (key, each) for key, each in parts if place != ("settings",) or key not in FREE_SETTINGS
    ]
    return {name: leaf for key, each in kept for name, leaf in _flat(each, (*place, key)).items()}
