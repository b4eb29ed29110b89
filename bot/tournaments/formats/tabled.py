"""Formats whose rounds are known from the start: round-robin and gauntlet."""

from abc import abstractmethod
from collections.abc import Collection, Iterator
from functools import lru_cache
from typing import Annotated, Final, Literal

from pydantic import Field

from bot.tournaments.formats.base import (
    ALL_PLAYED,
    NOBODY_MAY_MEET,
    Draw,
    Forbidden,
    ReasonedFormat,
)
from bot.tournaments.model import Bye
from bot.tournaments.state import Tournament

PAIRED_AHEAD: Final = 10_000
"""Games that are left to play: from this many on, the next round is not paired yet."""


class TabledFormat(ReasonedFormat):
    """So many cycles in which each pair meets once, with the seats changed from one to the next.

    Rounds do not wait for one another, unless `by_round` is set: a round is paired as soon as fewer
    than `PAIRED_AHEAD` games are left to play, so a long tournament takes no memory in advance.
    Entrants are those of the beginning; a pair of which one withdrew, or that is forbidden, is left
    out.
    """

    cycles: Annotated[int, Field(ge=1, le=1000)] = 1
    by_round: bool = False
    forbidden: Forbidden = frozenset()

    def due(self, tournament: Tournament, free: Collection[str]) -> Draw | None:
        """The next round in which anybody can play."""
        del free
        if self.by_round and not tournament.is_round_complete():
            return None
        if len(tournament.left) >= PAIRED_AHEAD:
            return None
        return next(self._left(tournament), None)

    def why_over(self, tournament: Tournament) -> str | None:
        """All rounds are played; those without a pair are not paired."""
        if not tournament.is_round_complete() or any(self._left(tournament)):
            return None
        return ALL_PLAYED if tournament.pairings or not self.forbidden else NOBODY_MAY_MEET

    @abstractmethod
    def _draws(self, tournament: Tournament) -> Iterator[Draw]:
        """All rounds after the last that was paired."""

    def _left(self, tournament: Tournament) -> Iterator[Draw]:
        return (draw for draw in self._draws(tournament) if draw.pairs)

    def _may_meet(self, tournament: Tournament, pair: tuple[str, str]) -> bool:
        return tournament.withdrawn.keys().isdisjoint(pair) and (
            frozenset(pair) not in self.forbidden
        )


class Gauntlet(TabledFormat):
    """Each of the first `seeds` entrants meets each of the others once a cycle.

    In a round a player has one opponent at most, so that many wait, who have no bye for it.
    """

    kind: Literal["gauntlet"] = "gauntlet"
    seeds: Annotated[int, Field(ge=1)] = 1

    def _draws(self, tournament: Tournament) -> Iterator[Draw]:
        names = [each.name for each in tournament.began.entrants]
        seeds, others = names[: self.seeds], names[self.seeds :]
        rounds = max(len(seeds), len(others)) * self.cycles
        for number in range(tournament.round + 1, rounds + 1):
            pairs = _round(seeds, others, number - 1)
            yield Draw(number, tuple(each for each in pairs if self._may_meet(tournament, each)))


def _round(seeds: list[str], others: list[str], number: int) -> Iterator[tuple[str, str]]:
    """From 0: seeds move along the others, and change seats with each one and each cycle."""
    a_cycle = max(len(seeds), len(others))
    cycle, turn = divmod(number, a_cycle)
    for place, seed in enumerate(seeds):
        at = (place + turn) % a_cycle
        if at < len(others):
            pair = seed, others[at]
            yield pair if (turn + cycle) % 2 == 0 else pair[::-1]


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
