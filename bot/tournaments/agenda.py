"""What is left to play in a tournament, and who has met whom, updated with each event."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TypeVar

from bot.tournaments.model import Pairing, ScheduledGame

# Who was paired with whom and when, kept up as a tournament goes on: to ask takes no longer with
# more games.


class Meetings:
    """Of all that was ever paired."""

    def __init__(self) -> None:
        self.last_round = 0
        self.last_pair = 0
        self._rounds: defaultdict[int, list[Pairing]] = defaultdict(list)
        self._games: defaultdict[frozenset[str], list[ScheduledGame]] = defaultdict(list)
        self._pairs: defaultdict[frozenset[str], defaultdict[int, set[int]]] = defaultdict(
            lambda: defaultdict(set)
        )
        """Of two players, of each setup."""

    def add(self, pairing: Pairing) -> None:
        self.reach(pairing.round)
        self._rounds[pairing.round].append(pairing)
        players = frozenset(pairing.players)
        self._games[players] += pairing.games
        for game in pairing.games:
            self.last_pair = max(self.last_pair, game.pair)
            self._pairs[players][game.setup].add(game.pair)

    def reach(self, number: int) -> None:
        """Note that there was such a round, if only with byes."""
        self.last_round = max(self.last_round, number)

    def of_round(self, number: int) -> list[Pairing]:
        return list(self._rounds.get(number, ()))

    def games_between(self, one: str, two: str) -> Sequence[ScheduledGame]:
        """By number."""
        return self._games.get(frozenset((one, two)), ())

    def pairs_between(self, one: str, two: str) -> Counter[int]:
        """How many pairs of games the two have had on each setup."""
        found = self._pairs.get(frozenset((one, two)))
        return Counter({setup: len(pairs) for setup, pairs in (found or {}).items()})


# What of a tournament is left to play, kept up as it goes on: to ask takes no longer with more
# games.

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
