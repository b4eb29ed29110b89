"""Standard errors of ratings, with pairs of games as the independent units."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from bot.tournaments.rating_fit import Design, Fit, Floats, Ints

# The problem: the games of a pair share an opening and are not independent, so the curvature of
# the likelihood gives wrong standard errors. How strongly they depend on each other is unknown.
#
# The idea: a cluster-robust sandwich covariance. The outer parts ("bread") are the inverse of the
# curvature; the inner part is the covariance of the scores, summed within each pair. It is right
# for any dependence within a pair, but biased for few pairs. Three corrections:
# - CR2: a fit makes residuals smaller. Each residual is enlarged by the share that the fit took.
# - Intervals use Student's t. The degrees of freedom are those of the variance estimate itself
#   (R. M. Bell and D. F. McCaffrey, "Bias reduction in standard errors for linear regression with
#   multi-stage samples", 2002).
# - A small weight stays on the model's own covariance. Otherwise a few pairs which happen to agree
#   would give an interval of zero width.
#
# Residuals are whitened first: each is divided by the deviation that the model predicts, so that a
# game between unequal players and an even one count alike.
#
# Rejected: the bootstrap. It needs hundreds of fits per table. A sample in which a player with few
# pairs won all of them has no maximum.

SMALLEST: Final = 1e-8
"""The smallest share of a residual that the fit may leave; smaller ones are not enlarged."""
MOST_FREEDOM: Final = 1e4
"""With this many degrees of freedom Student's t is the normal distribution."""
MODEL_WEIGHT: Final = 0.25
"""The number of pairs, per parameter, as which the model's own covariance counts."""


@dataclass(frozen=True)
class Errors:
    """The covariances of the parameters, in natural logarithms of odds.

    `seen` is the part of `covariance` that comes from residuals; it is unreliable if there are few
    pairs. The rest comes from the model and the prior.
    """

    covariance: Floats
    seen: Floats
    units: Floats
    """The influence of each residual on each parameter, of the shape (clusters, whitened residuals,
    parameters)."""
    leverage: Floats

    def deviation(self, contrast: Floats) -> float:
        """The standard error of the sum of the parameters, weighted by `contrast`."""
        return float(np.sqrt(contrast @ self.covariance @ contrast))

    def freedom(self, contrast: Floats) -> float:
        """The degrees of freedom of the variance of this contrast, by Satterthwaite's rule."""
        if (variance := self.deviation(contrast) ** 2) == 0:
            return MOST_FREEDOM
        share = max(SMALLEST, float(contrast @ self.seen @ contrast) / variance)
        return min(MOST_FREEDOM, max(1.0, self._freedom_of_seen(contrast) / share**2))

    def _freedom_of_seen(self, contrast: Floats) -> float:
        """Bell and McCaffrey's degrees of freedom of `seen`, as if games were independent."""
        pull = self.units @ contrast
        own = (pull**2).sum(axis=1)
        shared = np.einsum("ci,cip->cp", pull, self.leverage)
        mixed = shared.T @ shared
        inside = (shared**2).sum(axis=1)
        spread = ((own - inside) ** 2).sum() + (mixed**2).sum() - (inside**2).sum()
        square = float((own - inside).sum()) ** 2
        return square / float(spread) if spread > SMALLEST * square else 1.0


def errors(model: Design, found: Fit, cluster: Sequence[int]) -> Errors:
    """The errors of a fit. `cluster` has the number of its pair, from 0, for each game."""
    bread = _inverse(found.information + found.prior)
    rows, residuals = _whitened(model, found.at)
    rows, residuals = _stacked(rows, residuals, np.asarray(cluster, dtype=np.intp))
    leverage = rows @ _root(bread)
    adjusted, residuals = _enlarged(leverage, rows, residuals)
    scores = np.einsum("cip,ci->cp", rows, residuals)
    weight = _model_weight(model.parameters, len(rows))
    seen = (1 - weight) * bread @ scores.T @ scores @ bread
    known = bread @ (weight * found.information + found.prior) @ bread
    return Errors(seen + known, seen, adjusted @ bread, leverage)


def _model_weight(parameters: int, clusters: int) -> float:
    pairs = MODEL_WEIGHT * parameters
    return pairs / (pairs + clusters)


def _whitened(model: Design, at: Floats) -> tuple[Floats, Floats]:
    """Rows and residuals, scaled so that the model predicts a variance of 1 for each residual."""
    means, covariances = model.expected(at)
    lower = np.linalg.cholesky(covariances + 1e-12 * np.eye(model.statistics))
    residuals: Floats = np.linalg.solve(lower, (model.seen() - means)[..., None])[..., 0]
    return np.swapaxes(lower, 1, 2) @ model.rows, residuals


def _stacked(rows: Floats, residuals: Floats, cluster: Ints) -> tuple[Floats, Floats]:
    """Rows and residuals by cluster. Smaller clusters are padded with zeros."""
    order: Ints = np.argsort(cluster, kind="stable")
    sizes: Ints = np.bincount(cluster)
    starts = np.cumsum(sizes) - sizes
    within = np.arange(len(order)) - np.repeat(starts, sizes)
    _, statistics, parameters = rows.shape
    most = int(sizes.max())
    stacked = np.zeros((len(sizes), most, statistics, parameters))
    stacked[cluster[order], within] = rows[order]
    left = np.zeros((len(sizes), most, statistics))
    left[cluster[order], within] = residuals[order]
    shape = len(sizes), most * statistics
    return stacked.reshape((*shape, parameters)), left.reshape(shape)


def _enlarged(leverage: Floats, rows: Floats, residuals: Floats) -> tuple[Floats, Floats]:
    """Rows and residuals, divided by the square root of the share that the fit left (CR2)."""
    left = np.eye(rows.shape[1]) - leverage @ np.swapaxes(leverage, 1, 2)
    values, vectors = np.linalg.eigh(left)
    factors: Floats = np.where(values > SMALLEST, 1 / np.sqrt(np.maximum(values, SMALLEST)), 1)
    adjust = (vectors * factors[:, None, :]) @ np.swapaxes(vectors, 1, 2)
    return adjust @ rows, np.einsum("cij,cj->ci", adjust, residuals)


def _inverse(matrix: Floats) -> Floats:
    return np.linalg.pinv(matrix, hermitian=True).astype(np.float64)


def _root(matrix: Floats) -> Floats:
    """The matrix `r` for which `r @ r.T` is the given matrix."""
    values, vectors = np.linalg.eigh(matrix)
    root: Floats = vectors * np.sqrt(np.maximum(values, 0))
    return root
