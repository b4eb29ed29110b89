"""How far ratings may be off, from pairs of games as the independent units.

A sandwich covariance, robust to whatever makes the games of a pair depend on each other, with two
corrections that few pairs need: residuals are made larger by what the fit took from them (CR2), and
the outcome is compared to Student's t with as many degrees of freedom as its own spread is worth
(R. M. Bell and D. F. McCaffrey, "Bias reduction in standard errors for linear regression with
multi-stage samples", 2002). Some weight stays on what independent games would give, so that a few
pairs which happen to agree do not make an interval empty.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from bot.tournaments.rating_fit import Design, Fit, Floats, Ints

SMALLEST: Final = 1e-8
"""Share of a residual that a fit leaves; below it nothing is left that could be made larger."""
MOST_FREEDOM: Final = 1e4
"""Student's t is the normal distribution from there on."""
MODEL_WEIGHT: Final = 0.25
"""Pairs that the model's own spread counts as, for each parameter."""


@dataclass(frozen=True)
class Errors:
    """Covariances of the parameters, in natural logarithms of odds.

    `seen` is the part of `covariance` that comes from residuals, and may be far off if there are
    few; the rest comes from the model and the prior.
    """

    covariance: Floats
    seen: Floats
    units: Floats
    """(clusters, whitened residuals, parameters): what each residual does to each parameter."""
    leverage: Floats

    def deviation(self, contrast: Floats) -> float:
        """The standard error of a sum of parameters, weighted by `contrast`."""
        return float(np.sqrt(contrast @ self.covariance @ contrast))

    def freedom(self, contrast: Floats) -> float:
        """Degrees of freedom of this contrast's variance, by Satterthwaite's rule."""
        if (variance := self.deviation(contrast) ** 2) == 0:
            return MOST_FREEDOM
        share = max(SMALLEST, float(contrast @ self.seen @ contrast) / variance)
        return min(MOST_FREEDOM, max(1.0, self._freedom_of_seen(contrast) / share**2))

    def _freedom_of_seen(self, contrast: Floats) -> float:
        """As if games were independent."""
        pull = self.units @ contrast
        own = (pull**2).sum(axis=1)
        shared = np.einsum("ci,cip->cp", pull, self.leverage)
        mixed = shared.T @ shared
        inside = (shared**2).sum(axis=1)
        spread = ((own - inside) ** 2).sum() + (mixed**2).sum() - (inside**2).sum()
        square = float((own - inside).sum()) ** 2
        return square / float(spread) if spread > SMALLEST * square else 1.0


def errors(model: Design, found: Fit, cluster: Sequence[int]) -> Errors:
    """`cluster` says of each game with which others it goes, as numbers from 0."""
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
    """Rows and residuals in units in which the model gives each variance 1."""
    means, covariances = model.expected(at)
    lower = np.linalg.cholesky(covariances + 1e-12 * np.eye(model.statistics))
    residuals: Floats = np.linalg.solve(lower, (model.seen() - means)[..., None])[..., 0]
    return np.swapaxes(lower, 1, 2) @ model.rows, residuals


def _stacked(rows: Floats, residuals: Floats, cluster: Ints) -> tuple[Floats, Floats]:
    """One row of the outcome for each cluster, filled up with games that say nothing."""
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
    """Rows and residuals divided by the root of the share of the residuals that the fit left."""
    left = np.eye(rows.shape[1]) - leverage @ np.swapaxes(leverage, 1, 2)
    values, vectors = np.linalg.eigh(left)
    factors: Floats = np.where(values > SMALLEST, 1 / np.sqrt(np.maximum(values, SMALLEST)), 1)
    adjust = (vectors * factors[:, None, :]) @ np.swapaxes(vectors, 1, 2)
    return adjust @ rows, np.einsum("cij,cj->ci", adjust, residuals)


def _inverse(matrix: Floats) -> Floats:
    return np.linalg.pinv(matrix, hermitian=True).astype(np.float64)


def _root(matrix: Floats) -> Floats:
    """`r` with `r @ r.T` the matrix."""
    values, vectors = np.linalg.eigh(matrix)
    root: Floats = vectors * np.sqrt(np.maximum(values, 0))
    return root
