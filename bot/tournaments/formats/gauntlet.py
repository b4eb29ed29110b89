"""Gauntlet: some against all others, and nobody else."""

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from bot.tournaments.formats.base import Draw
from bot.tournaments.formats.tabled import TabledFormat
from bot.tournaments.state import Tournament


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
