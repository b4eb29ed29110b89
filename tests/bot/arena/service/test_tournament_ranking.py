"""Who leads a hosted tournament."""

import pytest

from bot.arena.model.tournament import HostedTournament
from bot.arena.service.tournament_ranking import ranking
from tests.bot.arena.hosted import begun, hosted, pair, win

FOUR = ("one", "two", "three", "four")


def play(made: HostedTournament, *winners: str) -> None:
    """The games of a round, whoever of these plays in one wins it."""
    assert made.core is not None
    for game in made.core.waiting():
        win(made, game.number, next(name for name in winners if name in game.seats))
    pair(made)


def ranks(made: HostedTournament) -> list[tuple[int, str]]:
    return [(row.rank, row.player) for row in ranking(made)]


def test_before_the_beginning_nobody_leads() -> None:
    assert ranking(hosted(*FOUR)) == []


@pytest.mark.parametrize("third", ["true", "false"])
def test_in_a_knockout_who_came_farther_leads_whatever_their_points(third: str) -> None:
    made = begun(*FOUR, format={"kind": "knockout", "third_place": third})
    assert ranks(made) == [(1, name) for name in FOUR]
    play(made, "four", "three")
    assert ranks(made) == [(1, "three"), (1, "four"), (3, "one"), (3, "two")]
    play(made, "four", "two")
    last = [(3, "two"), (4, "one")] if third == "true" else [(3, "one"), (3, "two")]
    assert ranks(made) == [(1, "four"), (2, "three"), *last]
    assert {tuple(row.tie_breaks) for row in ranking(made)} == {()}


def test_in_a_double_knockout_who_was_beaten_once_is_still_in_it() -> None:
    made = begun(*FOUR, format={"kind": "double-knockout"})
    play(made, "one", "two")
    play(made, "one", "three")
    rows = {row.player: row for row in ranking(made)}
    assert [rows[name].rank for name in FOUR] == [1, 2, 2, 4]
    assert (rows["three"].wins, rows["three"].losses) == (1, 1)


def test_elsewhere_points_count_and_then_what_breaks_ties() -> None:
    made = begun(*FOUR, format={"kind": "swiss", "rounds": "2"}, tie_breaks=["game_points"])
    play(made, "one", "two")
    assert [(row.rank, row.points) for row in ranking(made)] == [(1, 1), (1, 1), (3, 0), (3, 0)]
    assert {tuple(row.tie_breaks) for row in ranking(made)} == {("game_points",)}
