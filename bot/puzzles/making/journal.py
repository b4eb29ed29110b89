"""The log of a search for puzzles: JSON Lines, one per candidate and one per finished game.

The log has all that the search has found, so an interrupted command continues from it.
"""

import fcntl
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import orjson

from bot.errors import DataError, HostError
from bot.puzzles.making.mining import KEPT, SwingCandidate
from bot.puzzles.model import Puzzle, puzzle_fields
from bot.runtime.files import append

DUPLICATE = "duplicate"


@dataclass
class MiningJournal:
    """What the log says so far; `add_game` writes it on. Get one from `opened_journal`."""

    path: Path
    file: BinaryIO
    finished: set[str] = field(default_factory=set)
    """Ids of the games that have been searched to their end."""
    puzzles: dict[str, Puzzle] = field(default_factory=dict)
    reasons: Counter[str] = field(default_factory=Counter)
    positions: int = 0
    seconds: float = 0.0

    def read(self) -> None:
        """Read the whole log. A game whose line a crash has cut off is searched again.

        Raises DataError if a line is damaged.
        """
        content = self.file.read()
        whole = content[: content.rfind(b"\n") + 1]
        self.file.truncate(len(whole))
        for number, line in enumerate(whole.splitlines(), start=1):
            try:
                self._apply(orjson.loads(line))
            except (KeyError, TypeError, ValueError) as error:
                raise DataError(f"{self.path}: line {number} is damaged: {error}") from error

    def add_game(
        self, source: str, positions: int, seconds: float, found: list[SwingCandidate]
    ) -> list[Puzzle]:
        """Write a game that has been searched, in one piece; return its new puzzles.

        Raises HostError if the log cannot be written.
        """
        known = set(self.puzzles)
        candidates = []
        for each in found:
            kept = each.puzzle is not None and each.puzzle.id not in self.puzzles
            if each.puzzle is not None and kept:
                self.puzzles[each.puzzle.id] = each.puzzle
            candidates.append(_candidate(each, kept=kept))
        line = {
            "game": source,
            "positions": positions,
            "seconds": round(seconds, 2),
            "candidates": candidates,
        }
        try:
            append(self.file.fileno(), orjson.dumps(line) + b"\n")
        except OSError as error:
            raise HostError(f"{self.path}: cannot be written: {error.strerror}") from error
        self._apply(line)
        return [puzzle for name, puzzle in self.puzzles.items() if name not in known]

    def _apply(self, line: dict[str, Any]) -> None:
        self.finished.add(line["game"])
        self.positions += line["positions"]
        self.seconds += line["seconds"]
        for candidate in line["candidates"]:
            self.reasons[candidate["reason"]] += 1
            if "puzzle" in candidate:
                puzzle = Puzzle.model_validate(candidate["puzzle"])
                self.puzzles.setdefault(puzzle.id, puzzle)


@contextmanager
def opened_journal(path: Path) -> Iterator[MiningJournal]:
    """Open a log, or begin one, for this process alone.

    Raises DataError if a line is damaged, HostError if another process writes the log or if it
    cannot be read.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.open("a+b")
    except OSError as error:
        raise HostError(f"{path}: cannot be opened: {error.strerror}") from error
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise HostError(f"{path}: another command writes this log") from error
        file.seek(0)
        journal = MiningJournal(path, file)
        journal.read()
        yield journal


def _candidate(found: SwingCandidate, *, kept: bool) -> dict[str, Any]:
    duplicate = found.reason == KEPT and not kept
    fields: dict[str, Any] = {
        "ply": found.ply,
        "reason": DUPLICATE if duplicate else found.reason,
        **found.figures,
    }
    if found.puzzle is not None and kept:
        fields["puzzle"] = puzzle_fields(found.puzzle)
    return fields
