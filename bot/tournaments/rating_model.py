"""Bradley-Terry with draws and a first-player advantage: the likelihood of results.

R. R. Davidson, "On extending the Bradley-Terry model to accommodate ties" (1970). With d the first
player's lead, their advantage included, in natural logarithms of odds:
win : draw : loss = exp(d / 2) : nu : exp(-d / 2).
Without draws as a parameter a draw is half a win.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bot.tournaments.outcomes import Outcome

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Design:
    """Games as numbers.

    `leads` has a row a game and a column a parameter: the players', and the advantage if that is
    one; `with_draws` adds a parameter, the logarithm of nu.
    """

    players: int
    leads: Floats
    points: Floats
    drawn: Floats
    with_draws: bool

    @property
    def parameters(self) -> int:
        return int(self.leads.shape[1]) + self.with_draws

    @property
    def statistics(self) -> int:
        """What is seen of a game: points, and whether it is drawn if that is a parameter."""
        return 1 + self.with_draws

    @property
    def rows(self) -> Floats:
        """(games, statistics, parameters): what each statistic says of which parameter."""
        found = np.zeros((len(self.points), self.statistics, self.parameters))
        found[:, 0, : self.leads.shape[1]] = self.leads
        if self.with_draws:
            found[:, 1, -1] = 1
        return found

    def seen(self) -> Floats:
        """(games, statistics)."""
        return np.stack([self.points, self.drawn][: self.statistics], axis=1)

    def expected(self, at: Floats) -> tuple[Floats, Floats]:
        """Means (games, statistics) of what is seen, and its covariances."""
        win, draw, loss = self._probabilities(at)
        points = win + draw / 2
        variance = win * (1 - points) ** 2 + draw * (0.5 - points) ** 2 + loss * points**2
        if not self.with_draws:
            return points[:, None], variance[:, None, None]
        both = draw * (0.5 - points)
        covariance = np.stack([variance, both, both, draw * (1 - draw)], axis=1)
        return np.stack([points, draw], axis=1), covariance.reshape(-1, 2, 2)

    def log_likelihood(self, at: Floats) -> float:
        lead, log_nu = self._split(at)
        likelihood = lead * (self.points - 0.5) - self._log_total(lead, log_nu)
        if self.with_draws:
            likelihood += log_nu * self.drawn
        return float(likelihood.sum())

    def _probabilities(self, at: Floats) -> tuple[Floats, Floats, Floats]:
        lead, log_nu = self._split(at)
        total = self._log_total(lead, log_nu)
        draw = np.exp(log_nu - total)
        return np.exp(lead / 2 - total), draw, np.exp(-lead / 2 - total)

    def _split(self, at: Floats) -> tuple[Floats, float]:
        log_nu = float(at[-1]) if self.with_draws else -np.inf
        return self.leads @ at[: self.leads.shape[1]], log_nu

    def _log_total(self, lead: Floats, log_nu: float) -> Floats:
        decided = np.logaddexp(lead / 2, -lead / 2)
        total: Floats = np.logaddexp(decided, log_nu)
        return total


def design(
    games: Sequence[Outcome], players: Sequence[str], *, with_advantage: bool, with_draws: bool
) -> Design:
    """Draws are a parameter only where there are some, and not nothing else."""
    place = {name: number for number, name in enumerate(players)}
    first = np.array([place[game.seats[0]] for game in games], dtype=np.intp)
    second = np.array([place[game.seats[1]] for game in games], dtype=np.intp)
    leads = np.zeros((len(games), len(players) + with_advantage))
    leads[np.arange(len(games)), first] = 1
    leads[np.arange(len(games)), second] = -1
    leads[:, len(players) :] = 1
    points = np.array([game.points for game in games], dtype=np.float64)
    drawn = (points == 0.5).astype(np.float64)
    is_mixed = 0 < drawn.sum() < len(games)
    return Design(len(players), leads, points, drawn, with_draws and bool(is_mixed))
