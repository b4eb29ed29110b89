"""The rating model (Bradley-Terry with draws and seats), and its fit to results."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bot.tournaments.elo import ELO
from bot.tournaments.outcomes import Outcome


def groups(players: int, takers: NDArray[np.intp], givers: NDArray[np.intp]) -> list[list[int]]:
    """The strongly connected parts of the graph of points taken.

    Ratings have a maximum of their likelihood if and only if there is one part (L. R. Ford, 1957):
    between two, one side has lost no point, or they never met.
    """
    reach = np.eye(players, dtype=np.bool_)
    reach[takers, givers] = True
    for _ in range(max(1, players.bit_length())):
        reach = (reach.astype(np.float32) @ reach.astype(np.float32)) > 0
    mutual = reach & reach.T
    firsts = mutual.argmax(axis=1)
    return [np.flatnonzero(firsts == first).tolist() for first in np.unique(firsts)]


# Bradley-Terry with draws and a first-player advantage: the likelihood of results.
#
# R. R. Davidson, "On extending the Bradley-Terry model to accommodate ties" (1970). With d the
# first player's lead, their advantage included, in natural logarithms of odds: win : draw : loss
# = exp(d / 2) : nu : exp(-d / 2). Without draws as a parameter a draw is half a win.

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


Ints = NDArray[np.intp]

PRIOR_SD: Final = 400 / ELO
"""Of what the games leave open: normal, with this many Elo."""
PRIOR_PLAYERS: Final = 3
"""So many more, so far away, are added where the spread of ratings is estimated."""
MOST_EXTRA: Final = 1200 / ELO
"""An advantage, or a logarithm of nu, beyond this many Elo is taken for one without bound."""
STEPS: Final = 100
STEEPEST: Final = 1e-10
SETTLED: Final = 1e-3
"""Relative change of the ratings' variance at which it is taken for found."""
HALVINGS: Final = 40
SMALLEST: Final = 1e-12
"""Of the curvature's eigenvalues that a step follows: along the mean of all ratings it is 0."""
FLATTEST: Final = 1e-9
"""Of the curvature's eigenvalues, beside the largest: below it something is left open."""


@dataclass(frozen=True)
class Fit:
    """`at` are the parameters, with a mean rating of 0; `information` is the curvature that the
    games give, `prior` the one that they do not.
    """

    at: Floats
    information: Floats
    prior: Floats


@dataclass(frozen=True)
class MostLikely:
    """`bounded` says of each player whether a prior holds their rating."""

    fit: Fit
    bounded: NDArray[np.bool_]
    is_advantage_bounded: bool


def most_likely(model: Design) -> MostLikely:
    """The parameters with the highest likelihood.

    There are none where a group of players has won all games against the others, or never met
    them: then a prior on the groups' mean ratings holds them, and within a group the games decide.
    The same goes for an advantage and a share of draws that the games leave open.
    """
    prior, bounded = _groups(model)
    found = fit(model, prior)
    is_open = _is_open(model, found)
    if is_open:
        found = fit(model, prior + _extras_prior(model))
    return MostLikely(found, bounded, is_open)


def shrunk(model: Design, start: MostLikely) -> Fit:
    """The likeliest if ratings are drawn around their mean, as widely as these seem to be.

    The spread is estimated together with the ratings (an EM algorithm with Laplace's
    approximation, which has it too narrow), as if a few more players were 400 Elo away: with two
    players it means little.
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
    """By Newton's method, with steps halved until the likelihood grows."""
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
    """A prior on each group's mean rating, none if there is but one; who is not in the main one,
    which has more than half of the players.
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
    """Who took points, and from whom."""
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
    """Added to a curvature it makes up for what no game tells, the mean of all ratings."""
    found = np.zeros((model.parameters, model.parameters))
    found[: model.players, : model.players] = 1 / model.players
    return found
