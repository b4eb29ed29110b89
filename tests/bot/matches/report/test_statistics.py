"""The statistics of a tournament, as its settings ask for them."""

from datetime import UTC, datetime
from typing import Any

import pytest

from bot.matches.ledger import LedgerEntry
from bot.matches.report.chronicle import Chronicle
from bot.matches.report.exports import figures
from bot.matches.report.statistics import statistics
from bot.tournaments.formats.knockout import DoubleKnockout, Knockout
from tests.bot.matches.made_up import NAMES, chronicle, tournament
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
