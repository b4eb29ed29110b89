"""The rating model, Bradley-Terry with draws and a first-player advantage, and its fit."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bot.tournaments.elo import ELO
from bot.tournaments.outcomes import Outcome


def groups(players: int, takers: NDArray[np.intp], givers: NDArray[np.intp]) -> list[list[int]]:
    """The strongly connected parts of a graph with an edge from each taker to the giver of a point.

    The likelihood of ratings has a maximum if and only if there is one part (L. R. Ford, 1957).
    Between two parts, one side has lost no point, or they never met.
    """
    reach = np.eye(players, dtype=np.bool_)
    reach[takers, givers] = True
    for _ in range(max(1, players.bit_length())):
        reach = (reach.astype(np.float32) @ reach.astype(np.float32)) > 0
    mutual = reach & reach.T
    firsts = mutual.argmax(axis=1)
    return [np.flatnonzero(firsts == first).tolist() for first in np.unique(firsts)]


# The model is that of R. R. Davidson, "On extending the Bradley-Terry model to accommodate ties"
# (1970). With d the lead of the first player, advantage included, in natural logarithms of odds:
#
#     win : draw : loss = exp(d / 2) : nu : exp(-d / 2)
#
# If nu is not a parameter, a draw counts as half a win.
#
# The problem: with few games the likelihood has no maximum (a player won all games, groups never
# met), or is flat (seats were never swapped). And its maximum exaggerates differences, because the
# players who are ahead were probably lucky.
#
# The idea: two fits.
# - `most_likely` is the maximum, with normal priors only in the directions that the games leave
#   open: the mean of each group, the advantage, nu. Within a group the games alone decide. Tables
#   show these ratings.
# - `shrunk` assumes that ratings are drawn around their mean, with a variance that is estimated
#   from the games. Intervals are built around these ratings.
# Both use Newton's method. Only differences of ratings matter, so the curvature has an eigenvalue
# of 0 along the mean of all ratings, and steps are least-squares solutions that ignore it.
#
# Rejected:
# - A prior on every rating in tables. It would pull ratings that the games do determine.
# - Fixing one player at 0. All intervals would contain the uncertainty of that player.

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Design:
    """The games as arrays.

    `leads` has one row per game and one column per parameter: the players, and the advantage if it
    is a parameter. `with_draws` adds a parameter, the logarithm of nu.
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
        """The observed values per game: the points and, if nu is fitted, whether it was drawn."""
        return 1 + self.with_draws

    @property
    def rows(self) -> Floats:
        """The weight of each parameter in each value: (games, statistics, parameters)."""
        found = np.zeros((len(self.points), self.statistics, self.parameters))
        found[:, 0, : self.leads.shape[1]] = self.leads
        if self.with_draws:
            found[:, 1, -1] = 1
        return found

    def seen(self) -> Floats:
        """The observed values, of the shape (games, statistics)."""
        return np.stack([self.points, self.drawn][: self.statistics], axis=1)

    def expected(self, at: Floats) -> tuple[Floats, Floats]:
        """The means (games, statistics) of the observed values, and their covariances."""
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
    """The games as arrays. Draws are a parameter only if some games were drawn, but not all."""
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


Ints = NDArray[np.intp]

PRIOR_SD: Final = 400 / ELO
"""The standard deviation of the normal prior where the games leave a parameter open: 400 Elo."""
PRIOR_PLAYERS: Final = 3
"""The number of players, PRIOR_SD away, that are added when the spread of ratings is estimated."""
MOST_EXTRA: Final = 1200 / ELO
"""An advantage or a logarithm of nu beyond 1200 Elo counts as unbounded."""
STEPS: Final = 100
STEEPEST: Final = 1e-10
SETTLED: Final = 1e-3
"""The relative change of the variance of ratings at which its estimate has converged."""
HALVINGS: Final = 40
SMALLEST: Final = 1e-12
"""Newton steps ignore eigenvalues of the curvature below this share of the largest one."""
FLATTEST: Final = 1e-9
"""If an eigenvalue of the curvature is below this share of the largest, a parameter is open."""


@dataclass(frozen=True)
class Fit:
    """The parameters `at` a maximum, with a mean rating of 0.

    `information` is the curvature that comes from the games, `prior` the curvature of the prior.
    """

    at: Floats
    information: Floats
    prior: Floats


@dataclass(frozen=True)
class MostLikely:
    """The most likely parameters; `bounded` tells which players' ratings a prior limits."""

    fit: Fit
    bounded: NDArray[np.bool_]
    is_advantage_bounded: bool


def most_likely(model: Design) -> MostLikely:
    """The parameters with the highest likelihood.

    No maximum exists if a group of players has won all games against the others, or never met
    them. A prior then limits the mean rating of each group, and within a group the games decide.
    The same prior limits an advantage and a share of draws that the games leave open.
    """
    prior, bounded = _groups(model)
    found = fit(model, prior)
    is_open = _is_open(model, found)
    if is_open:
        found = fit(model, prior + _extras_prior(model))
    return MostLikely(found, bounded, is_open)


def shrunk(model: Design, start: MostLikely) -> Fit:
    """The most likely parameters if ratings are drawn from a normal distribution around their mean.

    Its variance is estimated together with the ratings, by an EM algorithm with Laplace's
    approximation. That estimate is too small, so PRIOR_PLAYERS players 400 Elo away are added. With
    two players the estimate has little meaning.
    """
    players, extras = model.players, np.zeros((model.parameters, model.parameters))
    if start.is_advantage_bounded:
        extras = _extras_prior(model)
    variance, found = PRIOR_SD**2, start.fit
    for _ in range(STEPS):
        prior = extras + _players_prior(model, variance)
        found = fit(model, prior, found.at)
        unsure = np.trace(
            np.linalg.pinv(found.information + prior, hermitian=True)[:players, :players]
        )
        square = float(found.at[:players] @ found.at[:players] + unsure - variance)
        before, variance = (
            variance,
            (square + PRIOR_PLAYERS * PRIOR_SD**2) / (players - 1 + PRIOR_PLAYERS),
        )
        if abs(variance - before) < SETTLED * before:
            break
    return found


def fit(model: Design, prior: Floats, start: Floats | None = None) -> Fit:
    """The maximum, by Newton's method. A step is halved until the likelihood does not fall."""
    at = np.zeros(model.parameters) if start is None else start
    rows, seen = model.rows, model.seen()
    for _ in range(STEPS):
        means, covariances = model.expected(at)
        slope = np.einsum("gsp,gs->p", rows, seen - means) - prior @ at
        if np.abs(slope).max() < STEEPEST * len(seen):
            break
        curvature = _curvature(rows, covariances) + prior
        at = _uphill(model, at, np.linalg.lstsq(curvature, slope, rcond=SMALLEST)[0], prior)
    at = at.copy()
    at[: model.players] -= at[: model.players].mean()
    return Fit(at, _curvature(rows, model.expected(at)[1]), prior)


def _groups(model: Design) -> tuple[Floats, NDArray[np.bool_]]:
    """A prior on the mean rating of each group, and for each player whether it limits the rating.

    With a single group there is no prior. Players of a group with more than half of all players are
    not bounded.
    """
    found = groups(model.players, *_beaten(model))
    prior = np.zeros((model.parameters, model.parameters))
    if len(found) == 1:
        return prior, np.zeros(model.players, dtype=np.bool_)
    bounded = np.ones(model.players, dtype=np.bool_)
    for group in found:
        prior[np.ix_(group, group)] = 1 / (len(group) * PRIOR_SD) ** 2
        if 2 * len(group) > model.players:
            bounded[group] = False
    return prior, bounded


def _extras_prior(model: Design) -> Floats:
    extras = np.arange(model.parameters) >= model.players
    return np.diag(extras / PRIOR_SD**2)


def _players_prior(model: Design, variance: float) -> Floats:
    players = np.arange(model.parameters) < model.players
    return np.diag(players / variance)


def _beaten(model: Design) -> tuple[Ints, Ints]:
    """The players who took points, and from whom, game by game."""
    ratings = model.leads[:, : model.players]
    first, second = ratings.argmax(axis=1), ratings.argmin(axis=1)
    won, lost = model.points > 0, model.points < 1
    return np.append(first[won], second[lost]), np.append(second[won], first[lost])


def _uphill(model: Design, at: Floats, step: Floats, prior: Floats) -> Floats:
    def height(where: Floats) -> float:
        return model.log_likelihood(where) - float(where @ prior @ where) / 2

    start = height(at)
    for _ in range(HALVINGS):
        if height(at + step) >= start - 1e-12 * abs(start):
            return at + step
        step = step / 2
    return at


def _is_open(model: Design, found: Fit) -> bool:
    """Whether the games leave the advantage or the share of draws open."""
    if model.parameters == model.players:
        return False
    if np.abs(found.at[model.players :]).max() > MOST_EXTRA:
        return True
    values = np.linalg.eigvalsh(found.information + found.prior + _level(model))
    return bool(values[0] < FLATTEST * values[-1])


def _curvature(rows: Floats, covariances: Floats) -> Floats:
    weighted = np.matmul(covariances, rows).reshape(-1, rows.shape[2])
    curvature: Floats = rows.reshape(-1, rows.shape[2]).T @ weighted
    return curvature


def _level(model: Design) -> Floats:
    """A curvature along the mean of all ratings, which no game determines."""
    found = np.zeros((model.parameters, model.parameters))
    found[: model.players, : model.players] = 1 / model.players
    return found
