"""Indexes over the pairings of a tournament, updated with each event.

Each question takes the same time after thousands of games as after the first.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TypeVar

from bot.tournaments.model import Pairing, ScheduledGame


class Meetings:
    """All pairings so far, by round and by players, finished or not."""

    def __init__(self) -> None:
        self.last_round = 0
        self.last_pair = 0
        self._rounds: defaultdict[int, list[Pairing]] = defaultdict(list)
        self._games: defaultdict[frozenset[str], list[ScheduledGame]] = defaultdict(list)
        self._pairs: defaultdict[frozenset[str], defaultdict[int, set[int]]] = defaultdict(
            lambda: defaultdict(set)
        )
        """The numbers of pairs of games, by the two players and by setup."""

    def add(self, pairing: Pairing) -> None:
        self.reach(pairing.round)
        self._rounds[pairing.round].append(pairing)
        players = frozenset(pairing.players)
        self._games[players] += pairing.games
        for game in pairing.games:
            self.last_pair = max(self.last_pair, game.pair)
            self._pairs[players][game.setup].add(game.pair)

    def reach(self, number: int) -> None:
        """Record a round number. A round may have byes only."""
        self.last_round = max(self.last_round, number)

    def of_round(self, number: int) -> list[Pairing]:
        return list(self._rounds.get(number, ()))

    def games_between(self, one: str, two: str) -> Sequence[ScheduledGame]:
        """All games of the two players, by number."""
        return self._games.get(frozenset((one, two)), ())

    def pairs_between(self, one: str, two: str) -> Counter[int]:
        """The number of pairs of games of the two players on each setup."""
        found = self._pairs.get(frozenset((one, two)))
        return Counter({setup: len(pairs) for setup, pairs in (found or {}).items()})


Key = TypeVar("Key")


class Agenda:
    """The games that are left to play. A pairing adds its games, and each is removed once."""

    def __init__(self) -> None:
        self._left: dict[int, ScheduledGame] = {}
        self._pairing_of: dict[int, int] = {}
        self._of_pairing: Counter[int] = Counter()
        self._of_player: Counter[str] = Counter()
        self.left: Mapping[int, ScheduledGame] = MappingProxyType(self._left)
        """The remaining games by number, in the order of their numbers."""

    def add(self, pairing: Pairing) -> None:
        for game in pairing.games:
            self._left[game.number] = game
            self._pairing_of[game.number] = pairing.number
            self._of_pairing[pairing.number] += 1
            self._of_player.update(game.seats)

    def strike(self, number: int) -> bool:
        """Remove a game. Returns False if it was not on the agenda."""
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
        """The players of the remaining games."""
        return set(self._of_player)


def _count_off(counts: Counter[Key], key: Key) -> None:
    """Subtract 1, and delete the key when nothing is left: `in` then tells whether any is."""
    counts[key] -= 1
    if not counts[key]:
        del counts[key]
