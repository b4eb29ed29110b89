"""Games of HeXO between our records and files in htttx and BKE."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from cyclopts import Parameter, validators

from bot.errors import ConfigurationError
from bot.guests.hexo.bke import read_bke
from bot.guests.hexo.htttx import Notation, Version
from bot.guests.hexo.htttx_reading import read_all
from bot.guests.hexo.records import game_text, position_text, record_of, why_not_exported
from bot.records.model import GameRecord
from bot.records.notations import NotWritten, Unplayable
from bot.terminal.replay import position_after


def write_htttx1(record: GameRecord, now: datetime, ply: int | None) -> str:
    """Return a game as htttx 1. Raises NotWritten."""
    del now, ply
    return _game(record, 1)


def write_htttx2(record: GameRecord, now: datetime, ply: int | None) -> str:
    """Return a game as htttx 2. Raises NotWritten."""
    del now, ply
    return _game(record, 2)


def _game(record: GameRecord, version: Version) -> str:
    _check(record)
    return game_text(record, version)


def write_setup(record: GameRecord, now: datetime, ply: int | None) -> str:
    """Return the position after `ply` turns as a setup of htttx 2. Raises NotWritten."""
    del now
    _check(record)
    ply = len(record.turns) if ply is None else ply
    if not 1 <= ply <= len(record.turns):
        raise ConfigurationError(f"--ply {ply}: {record.id} has plies 1 to {len(record.turns)}")
    return position_text(record, position_after(record, ply))


def _check(record: GameRecord) -> None:
    if (reason := why_not_exported(record)) is not None:
        raise NotWritten(reason)


@dataclass(frozen=True)
class BkeOptions:
    """How an opening in BKE counts, which its text may not say."""

    zero: Annotated[
        int,
        Parameter(
            validator=validators.Number(gte=0, lte=5),
            help="BKE: the zero line, counted against the clock from 0, which is right",
        ),
    ] = 0
    clockwise: Annotated[bool, Parameter(negative="", help="BKE: offsets count with the clock")] = (
        False
    )


def read_htttx(text: str, now: datetime, options: object) -> Iterator[GameRecord | Unplayable]:
    """Return the games of a text in htttx 1 or 2. Raises NotationRefused."""
    del options
    return _records(read_all(text), now)


def read_opening(
    text: str, now: datetime, options: BkeOptions
) -> Iterator[GameRecord | Unplayable]:
    """Return the opening of a text in BKE. Raises NotationRefused."""
    return _records([read_bke(text, options.zero, clockwise=options.clockwise)], now)


def _records(games: Iterable[Notation], now: datetime) -> Iterator[GameRecord | Unplayable]:
    for game in games:
        try:
            yield record_of(game, now)
        except Unplayable as reason:
            yield reason
