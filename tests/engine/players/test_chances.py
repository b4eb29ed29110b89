"""Values of the search become chances, and what is known or not searched stays as it is."""

import pytest

from engine.contract import Candidate, Choice, Info
from engine.players.chances import chance, choice_with_chances, info_with_chances, with_chance

LIKELY = Candidate("0-0", 0.7, visits=50, line=("0-0",))
UNLIKELY = Candidate("1-0", 0.3, visits=20, line=("1-0",))


def test_what_is_better_stays_better() -> None:
    values = [percent / 100 for percent in range(101)]
    chances = [chance(value) for value in values]
    assert chances == sorted(set(chances))
    assert (chances[0], chances[-1]) == (0, 1)
    assert all(0 < each < 1 for each in chances[1:-1])


@pytest.mark.parametrize("value", [0.2, 0.8])
def test_a_search_is_more_careful_than_games_are(value: float) -> None:
    assert abs(chance(value) - 0.5) > abs(value - 0.5)


def test_the_best_of_equal_values_is_rather_too_high() -> None:
    assert 0.3 < chance(0.5) < 0.5


@pytest.mark.parametrize("value", [5e-324, 1 - 2**-53])
def test_the_ends_are_no_trouble(value: float) -> None:
    assert 0 <= chance(value) <= 1


@pytest.mark.parametrize(
    "candidate",
    [
        Candidate("0-0", 0.5, visits=9, line=("0-0",), result=0.5),
        Candidate("0-0", 0.7, visits=0, line=("0-0",)),
    ],
)
def test_what_is_proved_or_was_not_searched_stays(candidate: Candidate) -> None:
    assert with_chance(candidate) == candidate


def test_reports_and_the_choice_speak_of_chances() -> None:
    info = info_with_chances(Info(70, 0.1, LIKELY, (UNLIKELY,)))
    assert (info.best.value, info.others[0].value) == (chance(0.7), chance(0.3))
    told = choice_with_chances(Choice("0-0", 0.7, 50, ("0-0",), (LIKELY, UNLIKELY)))
    assert told.value == told.candidates[0].value == chance(0.7)
    assert (told.turn, told.visits, told.pv) == ("0-0", 50, ("0-0",))
