"""Formats whose rounds are known from the beginning."""

from abc import abstractmethod
from collections.abc import Collection, Iterator
from typing import Annotated, Final

from pydantic import Field

from bot.tournaments.formats.base import ALL_PLAYED, NOBODY_MAY_MEET, Draw, ReasonedFormat
from bot.tournaments.formats.outcomes import Forbidden
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
