"""What several formats need: pairs that must not meet, and the balance of first seats."""

from collections import Counter
from typing import Annotated

from pydantic import Field

from bot.tournaments.model import Name
from bot.tournaments.state import Tournament

Forbidden = frozenset[Annotated[frozenset[Name], Field(min_length=2, max_length=2)]]
"""Pairs of players that are never paired."""


def seat_balance(tournament: Tournament) -> Counter[str]:
    """For each player, pairings begun in the first seat minus those begun in the second."""
    balance: Counter[str] = Counter()
    for pairing in tournament.pairings.values():
        if not tournament.is_complete(pairing) or tournament.was_played(pairing):
            first, second = pairing.players
            balance[first] += 1
            balance[second] -= 1
    return balance
