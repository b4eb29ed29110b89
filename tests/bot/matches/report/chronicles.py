"""What a host looks back on, from events and without a folder."""

from collections.abc import Iterable

from bot.matches.ledger import LedgerEntry
from bot.matches.report.chronicle import Chronicle
from bot.tournaments.state import replayed


def chronicle(entries: Iterable[LedgerEntry]) -> Chronicle:
    """Raises ImpossibleEvent for entries that contradict each other."""
    kept = tuple(entries)
    return Chronicle(replayed(entry.event for entry in kept), kept)
