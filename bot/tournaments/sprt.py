"""A sequential test of one engine against another, on pairs of games.

Wald's sequential probability ratio test of a mean, with the generalised likelihood ratio: under
each hypothesis the distribution of pairs is the most likely one with that mean (M. Van den Bergh,
"Comments on normalized Elo", proposition 1.1, as in fishtest's `LLRcalc.py` and in fastchess).
"""

import math
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from bot.tournaments.elo import Estimate, expected_score
from bot.tournaments.pentanomial import Pentanomial

Floats = NDArray[np.float64]
Verdict = Literal["H0", "H1"]

SCORES: Final = np.array([0, 0.25, 0.5, 0.75, 1])
"""Of a pair, a game."""
NEVER_SEEN: Final = 1e-3
"""Pairs that a result without any counts as: else a hypothesis may have no distribution at all."""
STEPS: Final = 60
PRECISION: Final = 1e-9
"""Of the mean that a distribution has to have."""


@dataclass(frozen=True)
class Bounds:
    """H0: the first player is `elo0` ahead; H1: `elo1`. Logistic Elo.

    `alpha` is the share of tests that accept H1 although H0 holds, `beta` the other way round.
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        if not (math.isfinite(self.elo0) and math.isfinite(self.elo1)):
            raise ValueError("elo0 and elo1 must be finite")
        if not self.elo0 < self.elo1:
            raise ValueError("elo0 must be less than elo1")
        if not (self.alpha > 0 and self.beta > 0 and self.alpha + self.beta < 1):
            raise ValueError("alpha and beta must be above 0, and below 1 together")

    @property
    def lower(self) -> float:
        """At or below it H0 is accepted."""
        return math.log(self.beta / (1 - self.alpha))

    @property
    def upper(self) -> float:
        """At or above it H1 is accepted."""
        return math.log((1 - self.beta) / self.alpha)

    def verdict(self, ratio: float) -> Verdict | None:
        if ratio >= self.upper:
            return "H1"
        return "H0" if ratio <= self.lower else None


@dataclass(frozen=True)
class Sprt:
    """Where a test stands, after the pairs that decided it or all complete ones before a gap."""

    bounds: Bounds
    counts: Pentanomial
    ratio: float
    verdict: Verdict | None
    elo: Estimate | None


def log_likelihood_ratio(pairs: NDArray[np.generic], bounds: Bounds) -> Floats:
    """Of H1 against H0, for each row of five counts."""
    counts = np.where(pairs == 0, NEVER_SEEN, pairs).astype(np.float64)
    return _log_likelihood(counts, expected_score(bounds.elo1)) - _log_likelihood(
        counts, expected_score(bounds.elo0)
    )


def _log_likelihood(counts: Floats, mean: float) -> Floats:
    """Of the likeliest distribution with this mean, but for what does not depend on the mean.

    It is p_i / (1 + x (a_i - mean)) with the observed shares p_i; x makes its mean right.
    """
    away = SCORES - mean
    x = _root(counts, away)
    likelihood: Floats = -(counts * np.log1p(x[..., None] * away)).sum(axis=-1)
    return likelihood


def _root(counts: Floats, away: Floats) -> Floats:
    """Where the sum of counts * away / (1 + x * away) is 0, for each row: it falls all the way.

    Newton's method, and the middle of what is left wherever that leads outside.
    """
    x = np.zeros(counts.shape[:-1])
    low, high = np.full_like(x, -1 / away[-1]), np.full_like(x, -1 / away[0])
    for _ in range(STEPS):
        shares = away / (1 + x[..., None] * away)
        surplus = (counts * shares).sum(axis=-1)
        if np.all(np.abs(surplus) < PRECISION * counts.sum(axis=-1)):
            break
        low, high = np.where(surplus > 0, x, low), np.where(surplus > 0, high, x)
        newton = x + surplus / (counts * shares**2).sum(axis=-1)
        x = np.where((low < newton) & (newton < high), newton, (low + high) / 2)
    return x
