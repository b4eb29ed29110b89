"""The chronicle of a tournament: its current state and all entries of its ledger."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path

from bot.errors import ConfigurationError, HostError
from bot.matches.ledger import LEDGER, LedgerEntry, read_ledger
from bot.records.model import GameRecord
from bot.tournaments.events import Began, Finished, Voided
from bot.tournaments.model import GameResult
from bot.tournaments.state import PlayedGame, Tournament


@dataclass(frozen=True)
class Chronicle:
    """A tournament with the entries of its ledger so far."""

    tournament: Tournament
    entries: tuple[LedgerEntry, ...]

    @property
    def began(self) -> Began:
        return self.tournament.began

    @property
    def began_at(self) -> datetime:
        return self.entries[0].at

    @property
    def last_at(self) -> datetime:
        return self.entries[-1].at

    @cached_property
    def finishes(self) -> Mapping[int, Finished]:
        """The event at the end of each game, before the host replaced any result."""
        ends = (entry.event for entry in self.entries)
        return {event.game: event for event in ends if isinstance(event, Finished)}

    @cached_property
    def voids(self) -> tuple[Voided, ...]:
        return tuple(entry.event for entry in self.entries if isinstance(entry.event, Voided))

    def record(self, game: int) -> GameRecord | None:
        """The record of a game; None if the ledger does not have it."""
        end = self.finishes.get(game)
        return None if end is None else end.record

    def result_before(self, game: int) -> GameResult | None:
        """The result of the game itself, before the host replaced it; None if it was not played."""
        end = self.finishes.get(game)
        return None if end is None else end.result

    def played(self) -> Iterator[PlayedGame]:
        """The games that count, by number."""
        for _number, game in sorted(self.tournament.played.items()):
            yield game


def read_chronicle(folder: Path) -> Chronicle:
    """The tournament in a folder. Takes no lock, and ignores a line that is being written.

    Raises ConfigurationError if there is no tournament or the ledger is damaged, and HostError if
    it cannot be read.
    """
    content = read_ledger(folder / LEDGER)
    if content.tournament is None:
        raise ConfigurationError(f"{folder}: no tournament here: {LEDGER} is missing or empty")
    return Chronicle(content.tournament, content.entries)


def size_of(folder: Path) -> int:
    """The size of the ledger in bytes; it grows with each event. Raises HostError."""
    try:
        return (folder / LEDGER).stat().st_size
    except OSError as error:
        raise HostError(f"{folder / LEDGER}: cannot be read: {error.strerror}") from error
