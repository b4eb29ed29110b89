"""The sequential test, compared with known values."""

import numpy as np
import pytest

from bot.tournaments.sprt import Bounds, log_likelihood_ratio

WIDE = Bounds(0, 200, alpha=0.1, beta=0.1)


@pytest.mark.parametrize(
    ("pairs", "bounds", "ratio"),
    [
        ((223, 9863, 21279, 10037, 246), (0.5, 2.5), -3.07),
        ((871, 26175, 55983, 26678, 821), (0, 2), -4.98),
    ],
)
def test_likelihood_ratios_are_those_of_fastchess(
    pairs: tuple[int, ...], bounds: tuple[float, float], ratio: float
) -> None:
    """From fastchess' tests, `app/tests/sprt_test.cpp`: "logistic pentanomial 1" and "2"."""
    assert log_likelihood_ratio(np.array(pairs), Bounds(*bounds)) == pytest.approx(ratio, abs=0.005)


def test_each_row_of_counts_has_its_own_ratio() -> None:
    pairs = np.array([[1, 2, 3, 4, 5], [5, 4, 3, 2, 1]])
    both = log_likelihood_ratio(pairs, WIDE)
    assert both.shape == (2,)
    assert both[1] == pytest.approx(float(log_likelihood_ratio(pairs[1], WIDE)))
    assert both[1] < 0 < both[0]


def test_the_bounds_are_those_of_wald() -> None:
    bounds = Bounds(0, 5)
    assert bounds.lower == pytest.approx(-2.944, abs=1e-3)
    assert bounds.upper == pytest.approx(2.944, abs=1e-3)
    assert (bounds.verdict(2.95), bounds.verdict(-2.95), bounds.verdict(0)) == ("H1", "H0", None)


@pytest.mark.parametrize("wrong", [(5, 5, 0.05, 0.05), (0, 5, 0, 0.05), (0, 5, 0.5, 0.5)])
def test_bounds_that_test_nothing_are_refused(wrong: tuple[float, float, float, float]) -> None:
    with pytest.raises(ValueError, match=r"elo1|alpha"):
        Bounds(*wrong)
