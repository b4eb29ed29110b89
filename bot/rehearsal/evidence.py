"""The conditions of every rehearsal: no violations, and one true record of each finished game."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from bot.records.jsonl import DamagedLine, read_records
from bot.records.model import GameRecord
from bot.rehearsal.verdict import Condition


class Violation(Protocol):
    """What the bot must not do; its text is for people."""

    @property
    def kind(self) -> str: ...


@dataclass(frozen=True, slots=True)
class FinishedGame:
    """A game of the stand-in. `differs` returns why a record is not of that game.

    A game that began and ended while the bot was away is not `known` to it, and needs no record.
    """

    game_id: str
    known: bool
    differs: Callable[[GameRecord], str | None]


def checks_of_violations(violations: Sequence[Violation], kinds: Iterable[str]) -> list[Condition]:
    """Return a check of each kind."""
    texts = {kind: tuple(str(each) for each in violations if each.kind == kind) for kind in kinds}
    return [Condition(kind, len(found), found[:3]) for kind, found in texts.items()]


def checks_of_records(games: Iterable[FinishedGame], records: Path) -> list[Condition]:
    """Return the checks of a file of records, the first one of records that are missing."""
    read = _read(records)
    missing, twice, different = list[str](), list[str](), list[str]()
    for game in games:
        written = read.get(game.game_id, [])
        if not written and game.known:
            missing.append(game.game_id)
        if len(written) > 1:
            twice.append(game.game_id)
        different += [f"{game.game_id}: {why}" for each in written if (why := game.differs(each))]
    return [
        Condition("games without a record", len(missing), tuple(missing[:3])),
        Condition("games recorded twice", len(twice), tuple(twice[:3])),
        Condition("records that tell another game", len(different), tuple(different[:3])),
    ]


def _read(path: Path) -> dict[str, list[GameRecord]]:
    """Read the records by the ids of their games; empty if there is no file."""
    found: dict[str, list[GameRecord]] = {}
    if path.exists():
        for record in read_records(path):
            if not isinstance(record, DamagedLine):
                found.setdefault(record.id, []).append(record)
    return found
