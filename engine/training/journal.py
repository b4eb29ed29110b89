"""The log of a training: what was finished, in order. It is all there is to go on from."""

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Final, Literal

from engine.training.errors import TrainingError
from engine.training.from_json import record_of
from engine.training.settings import Identity


@dataclass(frozen=True)
class Began:
    """The first entry: an `Identity`. With a `start`, the best at first is generation 0, the
    network that the training begins with.
    """

    game: str
    board: str
    seed: int
    layers: int
    rules: str = "official"
    start: str | None = None


@dataclass(frozen=True)
class GamesPlayed:
    """`games` of this generation; `best` is the generation whose network played, None: none."""

    generation: int
    games: int
    rows: int
    best: int | None


@dataclass(frozen=True)
class Trained:
    """The last figures of `engine.training.progress.Progress`, and how exact the file is."""

    generation: int
    steps: int
    policy: float
    agreement: float
    brier: float
    search_brier: float
    value_error: float
    logit_error: float


@dataclass(frozen=True)
class Refused:
    """The candidate of this generation was not fit for a match."""

    generation: int
    why: str


@dataclass(frozen=True)
class Matched:
    """How the candidate did; `elo` is its strength, that of what the training began with is 0.

    `boards` has wins, draws and losses on each board.
    """

    generation: int
    wins: int
    draws: int
    losses: int
    elo: float
    accepted: bool
    boards: dict[str, list[int]] = field(default_factory=dict)


Entry = Began | GamesPlayed | Trained | Refused | Matched
KINDS: Final[dict[str, type[Entry]]] = {
    "began": Began,
    "games-played": GamesPlayed,
    "trained": Trained,
    "refused": Refused,
    "matched": Matched,
}
NAMES: Final = {kind: name for name, kind in KINDS.items()}

Phase = Literal["play", "train", "match"]


@dataclass(frozen=True)
class Standing:
    """What is to be done next, in which generation; the generation whose network is the best, None
    before there is one, its strength, and all games that were played.
    """

    generation: int = 1
    phase: Phase = "play"
    best: int | None = None
    elo: float = 0.0
    games: int = 0


def standing(entries: Sequence[Entry]) -> Standing:
    """Where a training with these entries stands."""
    now = Standing()
    for entry in entries:
        now = _after(now, entry)
    return now


def _after(now: Standing, entry: Entry) -> Standing:
    match entry:
        case Began(start=start):
            return now if start is None else replace(now, best=0)
        case GamesPlayed(games=games):
            return Standing(now.generation, "train", now.best, now.elo, now.games + games)
        case Trained():
            return Standing(now.generation, "match", now.best, now.elo, now.games)
        case Matched(generation=generation, elo=elo, accepted=True):
            return Standing(generation + 1, "play", generation, elo, now.games)
        case Refused(generation=generation) | Matched(generation=generation):
            return Standing(generation + 1, "play", now.best, now.elo, now.games)


def _is_next(now: Standing, entry: GamesPlayed | Trained | Refused | Matched) -> bool:
    kinds: dict[Phase, tuple[type[Entry], ...]] = {
        "play": (GamesPlayed,),
        "train": (Trained, Refused),
        "match": (Matched,),
    }
    return isinstance(entry, kinds[now.phase]) and entry.generation == now.generation


class Journal:
    """Entries in a file, a line of JSON each; one process writes it."""

    def __init__(self, path: Path, now: Callable[[], datetime]) -> None:
        self._path = path
        self._now = now
        self.entries: list[Entry] = read_entries(path)

    def append(self, entry: Entry) -> None:
        """It is on the disk when this returns."""
        at = self._now().isoformat(timespec="seconds")
        append_line(self._path, {"at": at, **document(entry)})
        self.entries.append(entry)

    def begin(self, identity: Identity) -> None:
        """Write down what is learnt. TrainingError if it is something else already, or a line is
        missing.
        """
        wanted = Began(**asdict(identity))
        if not self.entries:
            self.append(wanted)
        elif self.entries[0] != wanted:
            raise TrainingError(f"{self._path}: another training is there: {self.entries[0]}")
        self._check_order()

    def _check_order(self) -> None:
        now = standing(self.entries[:1])
        for number, entry in enumerate(self.entries[1:], 2):
            if isinstance(entry, Began) or not _is_next(now, entry):
                raise TrainingError(f"{self._path}: line {number} does not follow from the others")
            now = _after(now, entry)


def document(entry: Entry) -> dict[str, object]:
    """As it stands in the log, but for the time."""
    return {"event": NAMES[type(entry)], **asdict(entry)}


def read_entries(path: Path) -> list[Entry]:
    """Those of a file; none if there is no file. TrainingError names a line that is no entry."""
    return [_entry(path, number, line) for number, line in enumerate(read_lines(path), 1)]


def _entry(path: Path, number: int, line: str) -> Entry:
    try:
        fields = json.loads(line)
        kind = KINDS[fields.pop("event")]
        fields.pop("at", None)
        return record_of(kind, fields)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise TrainingError(f"{path}: line {number} is no entry: {error}") from error


def read_lines(path: Path) -> list[str]:
    """The whole lines of a file: a last one without its end was being written when all ended.

    Raises TrainingError for what is no text.
    """
    if not path.exists():
        return []
    try:
        return path.read_text(encoding="utf-8").split("\n")[:-1]
    except UnicodeDecodeError as error:
        raise TrainingError(f"{path}: it is no text: {error}") from error


def append_line(path: Path, document: dict[str, object]) -> None:
    """Add a line; what an interrupted one left is cut off first."""
    with path.open("ab+") as file:
        file.seek(0)
        file.truncate(file.read().rfind(b"\n") + 1)
        file.write(json.dumps(document).encode() + b"\n")
        file.flush()
        os.fsync(file.fileno())
