"""Formats whose rounds are fixed from the start: round-robin and gauntlet."""

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
"""While this many games are left to play, the next round is not paired yet."""


class TabledFormat(ReasonedFormat):
    """The common part: in each of `cycles` cycles every pair meets once.

    The seats are swapped from cycle to cycle. A round does not wait for the previous one unless
    `by_round` is set. It is paired when fewer than `PAIRED_AHEAD` games are left to play, so a long
    tournament needs little memory. Late entrants are not paired. A pair is left out if it is
    forbidden or one of its players withdrew.
    """

    cycles: Annotated[int, Field(ge=1, le=1000)] = 1
    by_round: bool = False
    forbidden: Forbidden = frozenset()

    def due(self, tournament: Tournament, free: Collection[str]) -> Draw | None:
        """The next round that has a pair."""
        del free
        if self.by_round and not tournament.is_round_complete():
            return None
        if len(tournament.left) >= PAIRED_AHEAD:
            return None
        return next(self._left(tournament), None)

    def why_over(self, tournament: Tournament) -> str | None:
        """That all rounds with a pair are played, or that there are none; None while it runs."""
        if not tournament.is_round_complete() or any(self._left(tournament)):
            return None
        return ALL_PLAYED if tournament.pairings or not self.forbidden else NOBODY_MAY_MEET

    @abstractmethod
    def _draws(self, tournament: Tournament) -> Iterator[Draw]:
        """All rounds after the last paired one, some perhaps without pairs."""

    def _left(self, tournament: Tournament) -> Iterator[Draw]:
        return (draw for draw in self._draws(tournament) if draw.pairs)

    def _may_meet(self, tournament: Tournament, pair: tuple[str, str]) -> bool:
        return tournament.withdrawn.keys().isdisjoint(pair) and (
            frozenset(pair) not in self.forbidden
        )


class Gauntlet(TabledFormat):
    """Each of the first `seeds` entrants meets each of the others once per cycle.

    A player has at most one opponent per round, so many players wait. They do not get byes.
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
    """The pairs of a round, numbered from 0.

    Seeds move along the others. They swap seats from one opponent to the next, and in each cycle.
    """
    a_cycle = max(len(seeds), len(others))
    cycle, turn = divmod(number, a_cycle)
    for place, seed in enumerate(seeds):
        at = (place + turn) % a_cycle
        if at < len(others):
            pair = seed, others[at]
            yield pair if (turn + cycle) % 2 == 0 else pair[::-1]


Pairs = list[tuple[int, int]]
"""The pairs of one round, as players' numbers from 0; the first of a pair has the first seat."""
SHORTEST_TO_TURN: Final = 3
"""The fewest rounds of a cycle whose last two rounds can be exchanged."""


class RoundRobin(TabledFormat):
    """Each pair meets once per cycle. A player without an opponent has a bye of 0 points."""

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
    """The pairs of a round, numbered from 1 over all cycles. Every second cycle has swapped seats.

    The last two rounds of each cycle but the last are exchanged, as FIDE recommends for double
    round-robins. Otherwise players would have one seat three times in a row where cycles meet.
    """
    once = berger(players)
    cycle, place = divmod(number - 1, len(once))
    from_end = len(once) - place
    if cycle < cycles - 1 and len(once) >= SHORTEST_TO_TURN and from_end in {1, 2}:
        place += 1 if from_end == 2 else -1
    return [pair[::-1] for pair in once[place]] if cycle % 2 else once[place]


@lru_cache(maxsize=8)
def berger(players: int) -> list[Pairs]:
    """The rounds of one cycle. With an odd number one player has no opponent in each round."""
    even = players + players % 2
    return [
        [pair for pair in _berger_round(even, number) if max(pair) < players]
        for number in range(1, even)
    ]


def _berger_round(even: int, number: int) -> Iterator[tuple[int, int]]:
    """The pairs of round `number`, from 1, for an even number of players.

    With players numbered from 1, the numbers of a pair add up to `number` + 1, modulo the number of
    players but one. The last player meets the player who is left over.
    """
    ring = even - 1
    alone = next(each for each in range(ring) if (2 * (each + 1) - number - 1) % ring == 0)
    yield (alone, ring) if number % 2 else (ring, alone)
    for away in range(1, even // 2):
        lower, higher = sorted(((alone + away) % ring, (alone - away) % ring))
        yield (lower, higher) if (lower + higher) % 2 else (higher, lower)
