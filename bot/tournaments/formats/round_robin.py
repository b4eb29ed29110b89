"""Round-robin: everybody meets everybody, by the Berger tables of FIDE (handbook C.05, annex 1)."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Final, Literal

from bot.tournaments.formats.base import Draw
from bot.tournaments.formats.tabled import TabledFormat
from bot.tournaments.model import Bye
from bot.tournaments.state import Tournament

Pairs = list[tuple[int, int]]
"""Of one round, as numbers from 0; the first of a pair sits first."""
SHORTEST_TO_TURN: Final = 3
"""Rounds of a cycle from which on its last two can change places."""


class RoundRobin(TabledFormat):
    """Each pair meets once a cycle. Who has no opponent in a round has a bye of no points."""

    kind: Literal["round-robin"] = "round-robin"

    def _draws(self, tournament: Tournament) -> Iterator[Draw]:
        names = [each.name for each in tournament.began.entrants]
        for number in range(tournament.round + 1, self.cycles * len(berger(len(names))) + 1):
            table = berger_round(len(names), self.cycles, number)
            seated = ((names[one], names[two]) for one, two in table)
            pairs = tuple(each for each in seated if self._may_meet(tournament, each))
            yield Draw(number, pairs, tuple(_byes(tournament, names, number, pairs)))


def _byes(
    tournament: Tournament, names: list[str], number: int, pairs: tuple[tuple[str, str], ...]
) -> Iterator[Bye]:
    paired = {name for pair in pairs for name in pair}
    for name in names:
        if name not in paired and name not in tournament.withdrawn:
            yield Bye(round=number, player=name, points=0.0)


def berger_round(players: int, cycles: int, number: int) -> Pairs:
    """A round, numbered from 1, of so many cycles; every second cycle has the seats changed.

    The last two rounds of each cycle but the last change places, as FIDE recommends for double
    tournaments: else players would have one seat three times in a row where cycles meet.
    """
    once = berger(players)
    cycle, place = divmod(number - 1, len(once))
    from_end = len(once) - place
    if cycle < cycles - 1 and len(once) >= SHORTEST_TO_TURN and from_end in {1, 2}:
        place += 1 if from_end == 2 else -1
    return [pair[::-1] for pair in once[place]] if cycle % 2 else once[place]


@lru_cache(maxsize=8)
def berger(players: int) -> list[Pairs]:
    """One cycle; with an odd number the one who meets nobody sits out."""
    even = players + players % 2
    return [
        [pair for pair in _berger_round(even, number) if max(pair) < players]
        for number in range(1, even)
    ]


def _berger_round(even: int, number: int) -> Iterator[tuple[int, int]]:
    """In a round numbered from 1 the numbers of a pair, from 1 too, add up to one more than it, by
    the modulus of all but the last player, who meets the one left over.
    """
    ring = even - 1
    alone = next(each for each in range(ring) if (2 * (each + 1) - number - 1) % ring == 0)
    yield (alone, ring) if number % 2 else (ring, alone)
    for away in range(1, even // 2):
        lower, higher = sorted(((alone + away) % ring, (alone - away) % ring))
        yield (lower, higher) if (lower + higher) % 2 else (higher, lower)
