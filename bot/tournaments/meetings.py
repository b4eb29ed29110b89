"""Who was paired with whom and when, kept up as a tournament goes on: to ask takes no longer with
more games.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence

from bot.tournaments.model import Pairing, ScheduledGame


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
