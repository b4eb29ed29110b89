"""The log of a training: its finished phases, in order. The state of a training follows from it."""

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import datetime
from pathlib import Path
from types import UnionType
from typing import Final, Literal, TypeVar, get_args, get_origin

from engine.training.errors import TrainingError
from engine.training.settings import Identity

Record = TypeVar("Record")


@dataclass(frozen=True)
class Began:
    """The first entry, an `Identity`.

    If there is a `start`, the first best network is generation 0, with which the training begins.
    """

    game: str
    board: str
    seed: int
    layers: int
    rules: str = "official"
    start: str | None = None


@dataclass(frozen=True)
class GamesPlayed:
    """The generation played `games`; `best` is the generation whose network played, or None."""

    generation: int
    games: int
    rows: int
    best: int | None


@dataclass(frozen=True)
class Trained:
    """The last progress of a generation (`engine.training.learning`), and how exact its file is.

    `value_error` and `logit_error` are those of `engine.training.agreement.Agreement`.
    """

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
    """The candidate of this generation was refused before its match, for the reason `why`."""

    generation: int
    why: str


@dataclass(frozen=True)
class Matched:
    """The result of the candidate's match.

    `elo` is the candidate's strength; the player with which the training began has 0. `boards` has
    wins, draws and losses by board. `accepted`: the candidate became the best.
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
    """The state of a training: the next `phase` and its `generation`.

    `best` is the generation of the best network, None before there is one; `elo` is its strength.
    `games` counts all games of self-play.
    """

    generation: int = 1
    phase: Phase = "play"
    best: int | None = None
    elo: float = 0.0
    games: int = 0


def standing(entries: Sequence[Entry]) -> Standing:
    """Return the state of a training with these entries."""
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
    """Entries in a file, each a line of JSON. Only one process may write it."""

    def __init__(self, path: Path, now: Callable[[], datetime]) -> None:
        self._path = path
        self._now = now
        self.entries: list[Entry] = read_entries(path)

    def append(self, entry: Entry) -> None:
        """Add an entry; it is committed to disk when this returns."""
        at = self._now().isoformat(timespec="seconds")
        append_line(self._path, {"at": at, **document(entry)})
        self.entries.append(entry)

    def begin(self, identity: Identity) -> None:
        """Write the identity as the first entry, if there is none.

        Raises TrainingError if the log is that of another identity, or if a line is missing.
        """
        wanted = Began(**asdict(identity))
        if not self.entries:
            self.append(wanted)
        elif self.entries[0] != wanted:
            raise TrainingError(
                f"{self._path}: it is the log of another training: {self.entries[0]}"
            )
        self._check_order()

    def _check_order(self) -> None:
        now = standing(self.entries[:1])
        for number, entry in enumerate(self.entries[1:], 2):
            if isinstance(entry, Began) or not _is_next(now, entry):
                raise TrainingError(f"{self._path}: line {number} does not follow from the others")
            now = _after(now, entry)


def document(entry: Entry) -> dict[str, object]:
    """Return the entry as a JSON object of the log, without the time."""
    return {"event": NAMES[type(entry)], **asdict(entry)}


def read_entries(path: Path) -> list[Entry]:
    """Return the entries of a file, [] without a file. TrainingError names an invalid line."""
    return [_entry(path, number, line) for number, line in enumerate(read_lines(path), 1)]


def _entry(path: Path, number: int, line: str) -> Entry:
    try:
        found = json.loads(line)
        kind = KINDS[found.pop("event")]
        found.pop("at", None)
        return record_of(kind, found)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise TrainingError(f"{path}: line {number} is not an entry: {error}") from error


def read_lines(path: Path) -> list[str]:
    """Return the complete lines of a file, [] without a file.

    A last line without a line break is dropped: its writer was interrupted. Raises TrainingError if
    the file is not UTF-8.
    """
    if not path.exists():
        return []
    try:
        return path.read_text(encoding="utf-8").split("\n")[:-1]
    except UnicodeDecodeError as error:
        raise TrainingError(f"{path}: it is not text: {error}") from error


def append_line(path: Path, document: dict[str, object]) -> None:
    """Add a line and commit it to disk; an incomplete last line is removed first."""
    with path.open("ab+") as file:
        file.seek(0)
        file.truncate(file.read().rfind(b"\n") + 1)
        file.write(json.dumps(document).encode() + b"\n")
        file.flush()
        os.fsync(file.fileno())


# Dataclasses from JSON objects. The fields are checked: a person may have edited the file.


def record_of(kind: type[Record], found: Mapping[str, object]) -> Record:
    """Return a dataclass of that kind with the fields `found`.

    Raises TypeError for a field that is missing, unknown or of another type.
    """
    wanted = {field.name: field.type for field in fields(kind)}  # type: ignore[arg-type]
    for name, value in found.items():
        if name in wanted and not _is_a(value, wanted[name]):
            raise TypeError(f"{name} is {value!r}")
    return kind(**found)


def _is_a(value: object, wanted: object) -> bool:
    """Return whether `value` is of the type `wanted`; types of elements are not checked."""
    origin = get_origin(wanted)
    if origin is UnionType:
        return any(_is_a(value, each) for each in get_args(wanted))
    if wanted is int:
        return isinstance(value, int) and not isinstance(value, bool)
    if wanted is float:
        return isinstance(value, int | float)
    plain = origin or wanted
    assert isinstance(plain, type)
    return isinstance(value, plain)
