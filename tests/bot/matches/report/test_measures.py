"""Figures of games: ends, times, lengths and the first player."""

import pytest

from bot.matches.report.chronicle import Chronicle
from bot.matches.report.measures import (
    budget_ms,
    ends_by_player,
    first_player,
    first_player_by_setup,
    lengths,
    times_used,
)
from bot.time_controls import Absolute, Fischer, PerTurn, Untimed


def test_the_first_players_score_is_counted_by_setup(story: Chronicle) -> None:
    found = first_player_by_setup(story)
    assert sum(each.games for each in found.values()) == len(story.tournament.played) - 1
    for each in found.values():
        assert 0 <= each.low < each.share < each.high <= 1
        assert each.elo[1] < each.elo[0] < each.elo[2]


def test_without_games_the_first_players_interval_is_0_to_1() -> None:
    assert first_player([]).share == 0.5
    assert (first_player([]).low, first_player([]).high) == (0, 1)


def test_ends_are_counted_for_both_players(story: Chronicle) -> None:
    ends = ends_by_player(story)
    assert ends['Gneiss <b>&"']["time_forfeit", "lost"] == 1
    assert ends["Chalk"]["time_forfeit", "won"] == 1
    assert sum(each.total() for each in ends.values()) == 2 * len(story.tournament.played)


def test_lengths_count_only_games_that_were_played_out(story: Chronicle) -> None:
    found = [plies for each in lengths(story).values() for plies in each]
    played_out = [game for game in story.played() if game.result.reason == "played_out"]
    assert sorted(found) == sorted(game.plies for game in played_out)


def test_turns_of_openings_are_not_timed(story: Chronicle) -> None:
    used = times_used(story)
    plies = sum(game.plies - len(game.scheduled.opening) for game in story.played())
    assert sum(each.turns for each in used.values()) == plies
    for each in used.values():
        assert each.mean_ms <= each.longest_ms < 400
        assert each.share is not None
        assert 0 < each.share < 1


@pytest.mark.parametrize(
    ("control", "budget"),
    [
        (PerTurn(turn_s=0.1), 2000),
        (Fischer(initial_s=10, increment_s=1), 29_000),
        (Absolute(initial_s=10), 10_000),
        (Untimed(), None),
    ],
)
def test_the_budget_of_twenty_turns(control: object, budget: float | None) -> None:
    assert budget_ms(control, 20) == budget  # type: ignore[arg-type]
