"""A tournament's ledger, read while somebody else may be writing it."""

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Final, NamedTuple

from pydantic import BaseModel, ConfigDict, ValidationError

from bot.errors import ConfigurationError, HostError
from bot.tournaments.events import Event

LEDGER: Final = "ledger.jsonl"


class Entry(NamedTuple):
    """What happened, and when it was written down."""

    at: datetime
    event: Event


class _Line(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")

    at: datetime
    event: Event


def read_ledger(folder: Path) -> Iterator[Entry]:
    """What is in the folder's ledger; takes no lock, and leaves out a last line that is cut off.

    Raises ConfigurationError if there is none or a line is damaged, HostError if it cannot be read.
    """
    path = folder / LEDGER
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                if line.endswith(b"\n"):
                    yield _entry(path, number, line)
    except FileNotFoundError as error:
        raise ConfigurationError(f"{folder}: no tournament here: there is no {LEDGER}") from error
    except OSError as error:
        raise HostError(f"{path}: cannot be read: {error.strerror}") from error


def _entry(path: Path, number: int, line: bytes) -> Entry:
    try:
        read = _Line.model_validate_json(line)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise ConfigurationError(f"{path}: line {number}: {place}: {first['msg']}") from error
    return Entry(read.at, read.event)
