"""The statistics of a tournament, as its settings ask for them."""

from datetime import UTC, datetime
from typing import Any

import pytest

from bot.matches.ledger import LedgerEntry
from bot.matches.report.chronicle import Chronicle
from bot.matches.report.exports import figures
from bot.matches.report.head_to_head import head_to_head_words
from bot.matches.report.standings import exaggerated_words
from bot.matches.report.statistics import statistics
from bot.tournaments.formats.knockout import DoubleKnockout, Knockout
from tests.bot.matches.made_up import NAMES, chronicle, tournament
from tests.bot.tournaments.event_making import Book
from tests.bot.tournaments.formats.playing import FIRST, SECOND, rounds, tournament_of


def with_settings(settings: dict[str, Any]) -> Chronicle:
    (at, began), *rest = tournament()
    changed = began.model_copy(update={"settings": settings})
    return chronicle([(at, changed), *rest])


def test_an_event_is_sorted_by_points(story: Chronicle) -> None:
    found = statistics(story)
    points = [row.points for row in found.standings]
    assert found.is_event
    assert points == sorted(points, reverse=True)
    assert found.tie_breaks == ("buchholz", "sonneborn_berger", "direct_encounter")


@pytest.mark.parametrize("kind", ["gauntlet", "sprt", "free-for-all"])
def test_formats_that_measure_strength_are_sorted_by_ratings(kind: str) -> None:
    found = statistics(with_settings({"format": {"kind": kind}}))
    assert found.order == [row.name for row in found.ratings.rows]
    assert found.tie_breaks == ()


def test_a_round_robin_has_no_buchholz() -> None:
    asked = {"format": {"kind": "round_robin"}, "tie_breaks": ["buchholz", "wins"]}
    assert statistics(with_settings(asked)).tie_breaks == ("wins",)


def test_a_sequential_test_compares_the_first_two_players(story: Chronicle) -> None:
    found = statistics(story).sequential
    assert found is not None
    assert (found.player, found.opponent) == NAMES[:2]
    assert found.test.bounds.elo1 == 20


@pytest.mark.parametrize(
    "settings",
    [{}, {"format": "swiss", "sprt": 3, "tie_breaks": None}, {"sprt": {"elo0": 5, "elo1": "x"}}],
)
def test_settings_of_other_versions_are_ignored(settings: dict[str, Any]) -> None:
    found = statistics(with_settings(settings))
    assert found.sequential is None
    assert len(found.standings) == len(NAMES)


def test_the_json_document_has_the_same_figures(story: Chronicle) -> None:
    shown, found = figures(story), statistics(story)
    assert [row["name"] for row in shown["standings"]] == found.order
    assert shown["ratings"][0]["superiority"].keys() == {row.name for row in found.ratings.rows[1:]}
    assert shown["sprt"]["verdict"] is None
    assert shown["stopped"] == {7: "Two voids in a row."}


@pytest.mark.parametrize("form", [Knockout(), DoubleKnockout()])
def test_a_knockout_is_sorted_by_how_far_players_came(form: Knockout | DoubleKnockout) -> None:
    event, at = tournament_of(6), datetime(2026, 1, 1, tzinfo=UTC)
    for _ in rounds(form, event, lambda pairing: SECOND if pairing.number % 2 else FIRST):
        pass
    settings = {"format": form.model_dump(mode="json")}
    event.began = event.began.model_copy(update={"settings": settings})
    found = statistics(Chronicle(event, (LedgerEntry(at=at, event=event.began),)))
    ranks = [row.rank for row in found.standings]
    assert found.order[0] == form.winner(event)
    assert found.order == [name for group in form.places(event) for name in group]
    assert ranks[:2] == [1, 2]
    assert ranks == sorted(ranks)


def of_book(book: Book) -> Chronicle:
    at = datetime(2026, 1, 1, tzinfo=UTC)
    return chronicle((at, event) for event in book.events)


def test_a_match_says_how_many_games_it_does_not_count_and_why() -> None:
    book = Book("A B")
    pairing = book.pair(1, "A", "B", 6)
    for game in pairing.games[:4]:
        book.finish(game.number, "1", "time_forfeit", f"seat-{game.number % 2}")
    for game in pairing.games[4:]:
        book.finish(game.number, "1", "no_show")
    story = of_book(book)
    found = statistics(story).match
    assert found is not None
    lines = [*head_to_head_words(found)]
    assert "1 of 2 points" in lines[0]
    assert lines[1] == ("Games that do not count here: 2 repeat an earlier game, 2 were not played")
    assert (figures(story)["match"]["repeated"], figures(story)["match"]["not_played"]) == (2, 2)


def test_a_match_in_which_all_games_count_has_no_such_line() -> None:
    book = Book("A B")
    book.play(1, "A", "1101", "B")
    found = statistics(of_book(book)).match
    assert found is not None
    assert not any("do not count" in line for line in head_to_head_words(found))


def test_a_rating_at_an_end_of_its_interval_is_pointed_out() -> None:
    few, many = Book("A B C D"), Book("A B C D")
    for number, pair in enumerate(("AB", "BC", "CD", "AC", "BD", "AD"), start=1):
        few.play(number, pair[0], "1=" if number <= 3 else "10", pair[1])
        many.play(number, pair[0], "1001" * 20 + "11", pair[1])
    assert exaggerated_words(statistics(of_book(many)).ratings) == ""
    rated = statistics(of_book(few)).ratings
    assert {row.name for row in rated.rows if row.elo in (row.low, row.high)} == {*"ABCD"}
    assert exaggerated_words(rated) != ""
