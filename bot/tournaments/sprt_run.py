"""A sequential test that follows a tournament and reads each pair of games once."""

from collections.abc import Iterator, Sequence

import numpy as np

from bot.tournaments.model import ScheduledGame
from bot.tournaments.outcomes import Outcome
from bot.tournaments.pentanomial import Pentanomial, elo_difference, pentanomial
from bot.tournaments.repeats import repeat_key
from bot.tournaments.sprt import Bounds, Sprt, log_likelihood_ratio
from bot.tournaments.state import PlayedGame, Tournament

Row = tuple[int, int, int, int, int]
"""The counts of pairs with 0, 0.5, 1, 1.5 and 2 points."""


class SprtRun:
    """The test of one player against another. After a corrected result it is computed from zero."""

    def __init__(self, player: str, opponent: str, bounds: Bounds) -> None:
        self._player = player
        self._opponent = opponent
        self._bounds = bounds
        self._followed: tuple[Tournament, int] | None = None
        """The tournament, and the number of corrections when it was last read."""
        self._begin()

    def _begin(self) -> None:
        self._games = 0
        """The number of games between the two players that were read."""
        self._ways: set[object] = set()
        self._sums = np.zeros(5, np.int64)
        self._ratio = 0.0

    def of(self, tournament: Tournament) -> Sprt:
        """The state of the test after the shortest sequence of pairs, by number, that decides it.

        An unfinished pair holds back all later ones. Otherwise quick games would count first, and
        these are not a random sample. A pair is left out if one of its games was not played, or
        repeats another game.
        """
        if self._followed != (tournament, tournament.corrections):
            self._followed = tournament, tournament.corrections
            self._begin()
        if self._bounds.verdict(self._ratio) is None:
            self._take(list(self._new_rows(tournament)))
        zero, half, even, more, two = (int(count) for count in self._sums)
        counts = Pentanomial((zero, half, even, more, two))
        verdict = self._bounds.verdict(self._ratio)
        return Sprt(self._bounds, counts, self._ratio, verdict, elo_difference(counts))

    def _take(self, rows: list[Row]) -> None:
        if not rows:
            return
        sums = self._sums + np.cumsum(np.array(rows), axis=0)
        ratios = log_likelihood_ratio(sums, self._bounds)
        decided = np.flatnonzero((ratios >= self._bounds.upper) | (ratios <= self._bounds.lower))
        last = int(decided[0]) if decided.size else len(rows) - 1
        self._sums, self._ratio = sums[last], float(ratios[last])

    def _new_rows(self, tournament: Tournament) -> Iterator[Row]:
        games = tournament.games_between(self._player, self._opponent)
        while (pair := _pair_at(games, self._games)) and not any(
            game.number in tournament.left for game in pair
        ):
            self._games += len(pair)
            counting = list(self._counting(tournament, pair))
            if len(counting) == 2:
                yield pentanomial(counting, self._player, self._opponent).pairs

    def _counting(self, tournament: Tournament, pair: Sequence[ScheduledGame]) -> Iterator[Outcome]:
        for scheduled in pair:
            game = tournament.played.get(scheduled.number)
            if game is not None and not self._is_repeat(game) and game.was_played:
                yield Outcome(scheduled.seats, game.result.points(1), scheduled.pair)

    def _is_repeat(self, game: PlayedGame) -> bool:
        """Whether the game repeats one with a lower number, as in `repeats`."""
        if not game.plies:
            return False
        key, known = repeat_key(game), len(self._ways)
        self._ways.add(key)
        return len(self._ways) == known


def sprt(tournament: Tournament, player: str, opponent: str, bounds: Bounds) -> Sprt:
    """The current state of the test."""
    return SprtRun(player, opponent, bounds).of(tournament)


def _pair_at(games: Sequence[ScheduledGame], place: int) -> Sequence[ScheduledGame]:
    """The games of the pair that begins at an index; empty after the last game."""
    end = place
    while end < len(games) and games[end].pair == games[place].pair:
        end += 1
    return games[place:end]
