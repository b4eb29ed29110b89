"""Round-robin: everybody meets everybody, by the Berger tables of FIDE (handbook C.05, annex 1)."""

from collections.abc import Collection, Iterator
from typing import Annotated, Final, Literal

from pydantic import Field

from bot.tournaments.formats.base import Draw
from bot.tournaments.formats.outcomes import Forbidden
from bot.tournaments.formats.reasons import ALL_PLAYED, ReasonedFormat
from bot.tournaments.model import Bye
from bot.tournaments.state import Tournament

Table = list[list[tuple[int, int]]]
"""Rounds of pairs of numbers from 0; the first of a pair sits first."""
SHORTEST_TO_TURN: Final = 3
"""Rounds of a cycle from which on its last two can change places."""


class RoundRobin(ReasonedFormat):
    """Each pair meets once a cycle, with the seats changed from cycle to cycle.

    `by_round` waits for a round to end before the next is paired. Entrants are those of the
    beginning; a pair of which one withdrew, or that is forbidden, is left out, and who is left
    without an opponent has a bye of no points.
    """

    kind: Literal["round-robin"] = "round-robin"
    cycles: Annotated[int, Field(ge=1, le=1000)] = 1
    by_round: bool = False
    forbidden: Forbidden = frozenset()

    def due(self, tournament: Tournament, free: Collection[str]) -> Draw | None:
        """The next round, at once or when the one before it is over."""
        del free
        if self.by_round and not tournament.is_round_complete():
            return None
        return next(self._draws_left(tournament), None)

    def why_over(self, tournament: Tournament) -> str | None:
        """All rounds are played; those without a pair are not paired."""
        if not tournament.is_round_complete() or any(self._draws_left(tournament)):
            return None
        return ALL_PLAYED

    def _draws_left(self, tournament: Tournament) -> Iterator[Draw]:
        """Rounds after the last that was paired, without those in which nobody can play."""
        names = [each.name for each in tournament.began.entrants]
        table = berger_cycles(len(names), self.cycles)
        for number in range(tournament.round + 1, len(table) + 1):
            draw = self._draw(tournament, names, table, number)
            if draw.pairs:
                yield draw

    def _draw(self, tournament: Tournament, names: list[str], table: Table, number: int) -> Draw:
        pairs = tuple(
            (names[one], names[two])
            for one, two in table[number - 1]
            if self._may_meet(tournament, names[one], names[two])
        )
        paired = {name for pair in pairs for name in pair}
        return Draw(
            number,
            pairs,
            tuple(
                Bye(round=number, player=name, points=0.0)
                for name in names
                if name not in paired and name not in tournament.withdrawn
            ),
        )

    def _may_meet(self, tournament: Tournament, one: str, two: str) -> bool:
        return (
            one not in tournament.withdrawn
            and two not in tournament.withdrawn
            and frozenset((one, two)) not in self.forbidden
        )


def berger_cycles(players: int, cycles: int) -> Table:
    """So many cycles, every second one with the seats changed.

    The last two rounds of each cycle but the last change places, as FIDE recommends for double
    tournaments: else players would have one seat three times in a row where cycles meet.
    """
    once = berger(players)
    rounds: Table = []
    for cycle in range(cycles):
        turned = once if cycle % 2 == 0 else [[pair[::-1] for pair in pairs] for pairs in once]
        last = cycle == cycles - 1
        rounds += turned if last or len(once) < SHORTEST_TO_TURN else _end_turned(turned)
    return rounds


def berger(players: int) -> Table:
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


def _end_turned(rounds: Table) -> Table:
    return [*rounds[:-2], rounds[-1], rounds[-2]]
