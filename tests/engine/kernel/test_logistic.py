"""The logistic function of the kernels."""

import math

import numpy as np
import pytest

from engine.kernel.logistic import FARTHEST, logistic

pytestmark = pytest.mark.uncompiled


def test_it_is_the_logistic_function() -> None:
    for log_odds in np.linspace(-30, 30, 61).tolist():
        assert logistic(log_odds) == pytest.approx(1 / (1 + math.exp(-log_odds)), rel=1e-12)


@pytest.mark.parametrize("log_odds", [FARTHEST, 1e6, math.inf])
def test_large_numbers_are_almost_certain(log_odds: float) -> None:
    assert 0 < logistic(-log_odds) < 1e-20
    assert logistic(log_odds) == pytest.approx(1)


def test_even_odds_are_exactly_a_half() -> None:
    assert logistic(0.0) == 0.5
