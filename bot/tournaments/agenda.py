"""What of a tournament is left to play, kept up as it goes on: to ask takes no longer with more
games.
"""

from collections import Counter
from collections.abc import Mapping
from types import MappingProxyType
from typing import TypeVar

from bot.tournaments.model import Pairing, ScheduledGame

Key = TypeVar("Key")


class Agenda:
    """Games come onto it with their pairing, and are struck off once."""

    def __init__(self) -> None:
        self._left: dict[int, ScheduledGame] = {}
        self._pairing_of: dict[int, int] = {}
        self._of_pairing: Counter[int] = Counter()
        self._of_player: Counter[str] = Counter()
        self.left: Mapping[int, ScheduledGame] = MappingProxyType(self._left)
        """By number, in their order."""

    def add(self, pairing: Pairing) -> None:
        for game in pairing.games:
            self._left[game.number] = game
            self._pairing_of[game.number] = pairing.number
            self._of_pairing[pairing.number] += 1
            self._of_player.update(game.seats)

    def strike(self, number: int) -> bool:
        """Whether that game was still on it."""
        game = self._left.pop(number, None)
        if game is None:
            return False
        _count_off(self._of_pairing, self._pairing_of.pop(number))
        for name in game.seats:
            _count_off(self._of_player, name)
        return True

    def is_complete(self, pairing: int) -> bool:
        return pairing not in self._of_pairing

    def busy(self) -> set[str]:
        """Who sits in a game that is left."""
        return set(self._of_player)


def _count_off(counts: Counter[Key], key: Key) -> None:
    """Without those of which there are none left."""
    counts[key] -= 1
    if not counts[key]:
        del counts[key]
