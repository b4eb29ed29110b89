"""Brier scores and calibration of forecasts whose truth is known."""

import random

import pytest

from lab.engines.forecasts import Forecast, bins, brier, calibration_error, gain


def forecasts(*pairs: tuple[float, float]) -> list[Forecast]:
    """Each from a game of its own."""
    return [Forecast(stated, result, game) for game, (stated, result) in enumerate(pairs)]


def test_a_perfect_forecaster_scores_zero_and_is_calibrated() -> None:
    perfect = forecasts((1, 1), (0, 0), (0.5, 0.5), (1, 1))
    assert brier(perfect).brier == 0
    assert brier(perfect).error == 0
    assert calibration_error(bins(perfect)) == 0


def test_constant_forecasts_of_a_half_score_a_quarter() -> None:
    score = brier(forecasts((0.5, 1), (0.5, 0), (0.5, 1)))
    assert score.brier == pytest.approx(0.25)
    assert score.count == 3


def test_an_always_wrong_forecaster_scores_one() -> None:
    wrong = forecasts((1, 0), (0, 1))
    assert brier(wrong).brier == 1
    assert calibration_error(bins(wrong)) == 1


def test_bins_hold_what_was_stated_between_their_bounds() -> None:
    found = bins(forecasts((0.0, 0), (0.05, 1), (0.1, 0), (0.55, 1), (0.99, 1), (1.0, 1)))
    assert [each.count for each in found] == [2, 1, 0, 0, 0, 1, 0, 0, 0, 2]
    assert (found[0].low, found[0].high, found[0].result) == (0, 0.1, 0.5)
    assert found[0].stated == pytest.approx(0.025)
    assert (found[2].stated, found[2].result, found[2].error) == (None, None, None)


def test_the_calibration_error_weighs_bins_by_their_forecasts() -> None:
    """Three at 0.85 of which two come, one at 0.25 that does not."""
    found = forecasts((0.85, 1), (0.85, 1), (0.85, 0), (0.25, 0))
    assert calibration_error(bins(found)) == pytest.approx(0.75 * abs(0.85 - 2 / 3) + 0.25 * 0.25)


def test_honest_chances_are_calibrated_though_they_do_not_score_nothing() -> None:
    chance = random.Random(5)
    stated = [chance.random() for _ in range(20_000)]
    honest = forecasts(*((each, float(chance.random() < each)) for each in stated))
    assert calibration_error(bins(honest)) < 0.02
    assert brier(honest).brier == pytest.approx(1 / 6, abs=0.01)


def test_positions_of_one_game_count_as_one_for_the_error() -> None:
    """The same forecasts, four from each game: there is half as much to go by."""
    pairs = [(0.6, float(number % 2)) for number in range(100)]
    alone = brier(forecasts(*pairs))
    repeated = [Forecast(*pair, game) for game, pair in enumerate(pairs) for _ in range(4)]
    independent = [
        Forecast(*pair, 4 * game + i) for game, pair in enumerate(pairs) for i in range(4)
    ]
    assert brier(repeated).error == pytest.approx(alone.error)
    assert brier(independent).error == pytest.approx(alone.error / 2)


def test_a_gain_is_precise_if_both_find_the_same_games_hard() -> None:
    results = [float(number % 3 == 0) for number in range(300)]
    first = forecasts(*((0.40, result) for result in results))
    second = forecasts(*((0.45, result) for result in results))
    found = gain(first, second)
    assert found.value == pytest.approx(brier(second).brier - brier(first).brier)
    assert found.value > 0
    assert found.error < 0.6 * brier(first).error
    assert gain(second, first).value == pytest.approx(-found.value)
