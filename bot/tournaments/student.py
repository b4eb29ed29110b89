"""Student's t distribution, which the standard library lacks."""

import math
from typing import Final

TERMS: Final = 300
"""Of the continued fraction; some 50 are enough for whatever has 10,000 degrees of freedom."""
HALVINGS: Final = 60


def probability(t: float, freedom: float) -> float:
    """That a value is at most `t`."""
    tail = _incomplete_beta(freedom / (freedom + t * t), freedom / 2, 0.5) / 2
    return 1 - tail if t > 0 else tail


def quantile(share: float, freedom: float) -> float:
    """The value that so large a share (0.5 to 1) is at most."""
    low, high = 0.0, 1e4
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if probability(middle, freedom) < share else (low, middle)
    return (low + high) / 2


def _incomplete_beta(x: float, a: float, b: float) -> float:
    """Regularised; Abramowitz and Stegun 26.5.8, by Lentz's method."""
    if x <= 0 or x >= 1:
        return min(1.0, max(0.0, x))
    if x > (a + 1) / (a + b + 2):
        return 1 - _incomplete_beta(1 - x, b, a)
    factor = math.exp(
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    )
    return factor / a / _fraction(x, a, b)


def _fraction(x: float, a: float, b: float) -> float:
    value, c, d = 1.0, 1.0, 0.0
    for term in range(1, TERMS):
        m = term // 2
        if term % 2:
            step = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        else:
            step = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        d = 1 / (1 + step * d)
        c = 1 + step / c
        value *= c * d
        if abs(c * d - 1) < 1e-13:
            break
    return value
