"""The sequential test (SPRT) of one player against another, on pairs of games.

It is Wald's sequential probability ratio test of a mean, with the generalised likelihood ratio.
Under each hypothesis, the distribution of the pairs is the most likely one with that mean (M. Van
den Bergh, "Comments on normalized Elo", proposition 1.1). Fishtest (`LLRcalc.py`) and fastchess do
the same.
"""

import math
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from bot.tournaments.elo import Estimate, expected_score
from bot.tournaments.pentanomial import NORMALISED, Pentanomial

Floats = NDArray[np.float64]
Verdict = Literal["H0", "H1"]
Model = Literal["logistic", "normalised"]
"""The unit of the hypotheses: Elo of the mean score, or `normalised_elo`, in which a test of the
same bounds takes about as many games whatever the share of draws is.
"""

SCORES: Final = np.array([0, 0.25, 0.5, 0.75, 1])
"""The possible scores of a pair, per game."""
NEVER_SEEN: Final = 1e-3
"""The count of a result that never occurred. With 0, no distribution may fit a hypothesis."""
STEPS: Final = 60
PRECISION: Final = 1e-9
"""The accuracy of the mean of a distribution."""
ROUNDS: Final = 10
"""How often the spread under a normalised hypothesis is recomputed, as in fishtest."""
MOST_NORMALISED: Final = 200.0
"""Beyond it, few distributions of pairs have the mean of the hypothesis."""


@dataclass(frozen=True)
class Bounds:
    """The hypotheses of a test and its error rates.

    H0: the first player is `elo0` ahead; H1: `elo1` ahead, in Elo of the `model`. `alpha` is the
    share of tests that accept H1 although H0 is true, `beta` the share that accept H0 although H1
    is true. Raises ValueError for values that make no test.
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05
    model: Model = "logistic"

    def __post_init__(self) -> None:
        if not (math.isfinite(self.elo0) and math.isfinite(self.elo1)):
            raise ValueError("elo0 and elo1 must be finite")
        if not self.elo0 < self.elo1:
            raise ValueError("elo0 must be less than elo1")
        if self.model == "normalised" and max(-self.elo0, self.elo1) > MOST_NORMALISED:
            raise ValueError(f"elo0 and elo1 in normalised Elo are at most {MOST_NORMALISED:g}")
        if not (self.alpha > 0 and self.beta > 0 and self.alpha + self.beta < 1):
            raise ValueError("alpha and beta must be above 0, and below 1 together")

    @property
    def lower(self) -> float:
        """H0 is accepted at this log-likelihood ratio or below."""
        return math.log(self.beta / (1 - self.alpha))

    @property
    def upper(self) -> float:
        """H1 is accepted at this log-likelihood ratio or above."""
        return math.log((1 - self.beta) / self.alpha)

    def verdict(self, ratio: float) -> Verdict | None:
        if ratio >= self.upper:
            return "H1"
        return "H0" if ratio <= self.lower else None


@dataclass(frozen=True)
class Sprt:
    """The state of a test: after the pairs that decided it, or after all pairs before a gap.

    `ratio` is the log-likelihood ratio; `verdict` is None while the test is not decided.
    """

    bounds: Bounds
    counts: Pentanomial
    ratio: float
    verdict: Verdict | None
    elo: Estimate | None


def log_likelihood_ratio(pairs: NDArray[np.generic], bounds: Bounds) -> Floats:
    """The log-likelihood ratio of H1 against H0, for each row of five counts of pairs."""
    counts = np.where(pairs == 0, NEVER_SEEN, pairs).astype(np.float64)
    if bounds.model == "normalised":
        return _normalised(counts, bounds.elo1) - _normalised(counts, bounds.elo0)
    return _log_likelihood(counts, SCORES - expected_score(bounds.elo1)) - _log_likelihood(
        counts, SCORES - expected_score(bounds.elo0)
    )


def _log_likelihood(counts: Floats, away: Floats) -> Floats:
    """The log-likelihood of the most likely distribution in which `away` has the mean 0, up to a
    constant.

    The distribution is p_i / (1 + x away_i), with the observed shares p_i. x is chosen so that the
    mean is 0.
    """
    x = _root(counts, away)
    likelihood: Floats = -(counts * np.log1p(x[..., None] * away)).sum(axis=-1)
    return likelihood


def _normalised(counts: Floats, elo: float) -> Floats:
    """The log-likelihood of the most likely distribution whose mean is `elo` normalised Elo.

    Its mean is t standard deviations of a pair above one half. The spread belongs to the
    distribution that is sought, so it is recomputed several times, starting from a uniform one
    (M. Van den Bergh, "Comments on normalized Elo", section 4; `LLRcalc.py` of fishtest).
    """
    t = math.sqrt(2) * elo / NORMALISED
    shares = np.full_like(counts, 1 / len(SCORES))
    for _ in range(ROUNDS):
        mean = (shares * SCORES).sum(axis=-1, keepdims=True)
        spread = np.sqrt((shares * (SCORES - mean) ** 2).sum(axis=-1, keepdims=True))
        away = SCORES - 0.5 - t * spread * (1 + ((mean - SCORES) / spread) ** 2) / 2
        x = _root(counts, away)
        shares = counts / (1 + x[..., None] * away)
        shares /= shares.sum(axis=-1, keepdims=True)
    observed = counts / counts.sum(axis=-1, keepdims=True)
    likelihood: Floats = (counts * np.log(shares / observed)).sum(axis=-1)
    return likelihood


def _root(counts: Floats, away: Floats) -> Floats:
    """The x for which the sum of counts * away / (1 + x * away) is 0, for each row.

    The sum falls with x. The method is Newton's, with a bisection step if that leaves the bracket.
    """
    x = np.zeros(counts.shape[:-1])
    low = np.broadcast_to(-1 / away.max(axis=-1), x.shape)
    high = np.broadcast_to(-1 / away.min(axis=-1), x.shape)
    for _ in range(STEPS):
        shares = away / (1 + x[..., None] * away)
        surplus = (counts * shares).sum(axis=-1)
        if np.all(np.abs(surplus) < PRECISION * counts.sum(axis=-1)):
            break
        low, high = np.where(surplus > 0, x, low), np.where(surplus > 0, high, x)
        newton = x + surplus / (counts * shares**2).sum(axis=-1)
        x = np.where((low < newton) & (newton < high), newton, (low + high) / 2)
    return x
