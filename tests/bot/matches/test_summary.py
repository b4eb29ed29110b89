"""Scores and their intervals."""

import pytest

from bot.matches.summary import Tally, summaries, summary_of, wilson_interval
from bot.tournaments.events import Finished
from bot.tournaments.formats.base import Draw
from bot.tournaments.model import Result
from bot.tournaments.schedule import Schedule
from tests.bot.tournaments.happenings import happening
from tests.bot.tournaments.test_schedule import a_tournament, paired


def test_the_interval_is_wilsons() -> None:
    assert wilson_interval(0, 0) == (0.0, 1.0)
    assert wilson_interval(36, 40) == pytest.approx((0.7695, 0.9604), abs=1e-3)
    low, high = wilson_interval(40, 40)
    assert low == pytest.approx(0.9124, abs=1e-3)
    assert high == 1.0


def test_each_player_has_a_row_the_best_first_with_faults() -> None:
    tournament = a_tournament("A", "B")
    paired(tournament, Schedule(4), Draw(1, (("A", "B"),)))
    results = [
        Result(winner=2, reason="played_out"),
        Result(winner=1, reason="time_forfeit"),
        Result(winner=None, reason="draw_agreement"),
    ]
    for number, result in enumerate(results, start=1):
        event = Finished(game=number, game_id="g", result=result, plies=1, fingerprint=str(number))
        tournament.apply(event)

    found = summaries(tournament)
    assert [each.name for each in found] == ["B", "A"]
    a = summary_of(found, "A")
    assert (a.wins, a.draws, a.losses, a.faults) == (0, 1, 2, {"time_forfeit": 1})
    assert summary_of(found, "B").score == pytest.approx(2.5 / 3)


@pytest.mark.parametrize("seed", range(20))
def test_a_tally_that_counts_on_is_one_of_all_games(seed: int) -> None:
    tally = Tally()
    for tournament in happening(seed):
        assert tally.of(tournament) == summaries(tournament)
        assert sum(each.games for each in tally.of(tournament)) == 2 * len(tournament.played)
