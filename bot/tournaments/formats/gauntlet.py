"""Gauntlet: some against all others, and nobody else."""

from collections.abc import Collection, Iterator
from typing import Annotated, Literal

from pydantic import Field

from bot.tournaments.formats.base import Draw
from bot.tournaments.formats.outcomes import Forbidden
from bot.tournaments.formats.reasons import ALL_PLAYED, ReasonedFormat
from bot.tournaments.state import Tournament


class Gauntlet(ReasonedFormat):
    """Each of the first `seeds` entrants meets each of the others once a cycle.

    In a round a player has one opponent at most, so that many wait who have no bye for it. Entrants
    are those of the beginning.
    """

    kind: Literal["gauntlet"] = "gauntlet"
    seeds: Annotated[int, Field(ge=1)] = 1
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
        names = [each.name for each in tournament.began.entrants]
        seeds, others = names[: self.seeds], names[self.seeds :]
        a_cycle = max(len(seeds), len(others))
        for number in range(tournament.round + 1, a_cycle * self.cycles + 1):
            pairs = tuple(
                pair
                for pair in _round(seeds, others, number - 1)
                if frozenset(pair) not in self.forbidden
                and tournament.withdrawn.keys().isdisjoint(pair)
            )
            if pairs:
                yield Draw(number, pairs)


def _round(seeds: list[str], others: list[str], number: int) -> Iterator[tuple[str, str]]:
    """From 0: seeds move along the others, and change seats with each one and each cycle."""
    a_cycle = max(len(seeds), len(others))
    cycle, turn = divmod(number, a_cycle)
    for place, seed in enumerate(seeds):
        at = (place + turn) % a_cycle
        if at < len(others):
            pair = seed, others[at]
            yield pair if (turn + cycle) % 2 == 0 else pair[::-1]
