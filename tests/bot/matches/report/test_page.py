"""The page: one well-formed, safe file, which is complete without scripts."""

import base64
import hashlib
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import TypeAdapter

from bot.matches.report.chronicle import Chronicle
from bot.matches.report.page import report_page
from tests.bot.matches.made_up import Dated, chronicle, tournament
from tests.bot.matches.report.html_reader import Element, read_html


@pytest.fixture(scope="module")
def document(page: str) -> Element:
    return read_html(page)


def section_of(document: Element, name: str) -> Element:
    return next(each for each in document.all("section") if each.attributes["id"] == name)


def test_ids_are_unique_and_every_link_leads_somewhere(document: Element) -> None:
    ids = Counter(each.attributes["id"] for each in document.everything if "id" in each.attributes)
    assert [name for name, count in ids.items() if count > 1] == []
    links = [each.attributes["href"] for each in (*document.all("a"), *document.all("use"))]
    assert {link.removeprefix("#") for link in links} <= set(ids)
    named = [each.attributes.get("aria-labelledby") for each in document.everything]
    assert {name for name in named if name} <= set(ids)


def test_each_section_has_its_heading(document: Element) -> None:
    assert [each.all("h2")[0].text for each in document.all("section")] == [
        *("Standings", "Ratings", "Sequential test", "Crosstable", "Schedule", "Other events"),
        *("The first player's advantage", "Lengths of games", "How games ended", "Time used"),
        *("Pairs of games", "Repeated games", "Games"),
    ]


def test_the_facts_name_the_edition_by_which_rounds_are_paired(page: str) -> None:
    assert "<dt>Pairing</dt><dd>FIDE Dutch System (C.04.3), edition of February 2026" in page


def test_the_page_fetches_nothing(page: str, document: Element) -> None:
    for each in document.everything:
        assert each.name not in {"link", "img", "iframe", "object", "embed", "base"}
        assert "src" not in each.attributes
        assert each.attributes.get("href", "#").startswith("#")
        assert not [name for name in each.attributes if name.startswith("on")]
    assert not re.search(r"url\((?!#)|@import|https?://(?!www\.w3\.org/2000/svg)", page)


def test_the_policy_allows_only_the_pages_own_script(document: Element) -> None:
    (script,) = document.all("script")
    digest = base64.b64encode(hashlib.sha256(script.text.encode()).digest()).decode()
    policy = next(each for each in document.all("meta") if "http-equiv" in each.attributes)
    assert f"script-src 'sha256-{digest}'" in policy.attributes["content"]
    assert policy.attributes["content"].startswith("default-src 'none'")


def test_texts_from_outside_are_escaped(page: str, document: Element) -> None:
    assert not document.all("b") or all("Gneiss" not in each.words for each in document.all("b"))
    assert "<Bones>" not in page
    assert "<wrong>" not in page
    assert document.all("h1")[0].text == "Stones & <Bones>"
    assert 'Gneiss <b>&"' in {each.text for each in document.all("th")}


SCRIPT = """"'><script>alert(1)</script>"""


def test_a_script_in_any_text_is_text_also_in_the_drawings(document: Element) -> None:
    """The texts of players, hosts and engines, in elements and in values of attributes."""
    story = chronicle(hostile(tournament()))
    attacked = read_html(report_page(story))
    names, attributes = ({*each} for each in shape(attacked))
    usual_names, usual_attributes = shape(document)
    assert names <= {*usual_names}
    assert attributes <= {*usual_attributes}
    assert len(attacked.all("script")) == 1
    drawings = attacked.all("svg")
    written = [each.words for each in drawings]
    labels = [each.attributes.get("aria-label", "") for each in drawings]
    for texts in (written, labels, [attacked.all("h1")[0].text, attacked.all("th")[0].text]):
        assert any(SCRIPT[:12] in each for each in texts)


def hostile(dated: list[Dated]) -> Iterator[Dated]:
    """The same events with a script in every name and reason."""
    for at, event in dated:
        yield at, TypeAdapter(type(event)).validate_python(spoilt(event.model_dump(mode="json")))


def spoilt(value: Any, key: str = "") -> Any:
    if isinstance(value, dict):
        return {name: spoilt(each, name) for name, each in value.items()}
    if isinstance(value, list):
        return [spoilt(each, key) for each in value]
    is_a_player = key in {"name", "player", "players", "seats"} and isinstance(value, str)
    if is_a_player or (key in {"why", "message"} and value):
        return SCRIPT + value
    return value


def shape(document: Element) -> tuple[list[str], list[str]]:
    """The names of elements and attributes in a document."""
    names = [each.name for each in document.everything]
    return names, [name for each in document.everything for name in each.attributes]


def test_every_game_is_readable_without_a_script(story: Chronicle, document: Element) -> None:
    games = document.all("details")
    assert len(games) == len(story.tournament.played)
    for shown, game in zip(games, story.played(), strict=True):
        record = story.record(game.scheduled.number)
        assert record is not None
        items = shown.all("ol")[0].all("li")
        assert [item.text for item in items] == [turn.turn for turn in record.turns]
        (drawn,) = shown.all("svg")
        assert f"after {game.plies} turns" in drawn.attributes["aria-label"]


def test_tables_have_captions_and_heads_with_scopes(document: Element) -> None:
    tables = document.all("table")
    assert len(tables) > 8
    for each in tables:
        assert each.all("caption")[0].text
        heads = each.all("th")
        assert {head.attributes["scope"] for head in heads} == {"row", "col"}


def test_incidents_are_listed_with_their_reasons(document: Element) -> None:
    incidents = section_of(document, "incidents").words
    for why in ("The network was down.", "Two voids in a row.", "Its owner took it home."):
        assert why in incidents
    replaced = "counts as 1–0, 0–1 on the board (played out): The table's clock was <wrong>."
    assert replaced in incidents
    schedule = section_of(document, "schedule").words
    assert "Slate has a bye (1)" in schedule
    assert "Stopped: Two voids in a row." in schedule


def test_repeated_games_are_listed() -> None:
    page = report_page(chronicle(tournament(games_each=6)))
    repeats = section_of(read_html(page), "repeats").words
    assert "1 of 76 games repeat another one" in repeats
    assert "Game 5" in repeats
    assert "game 1" in repeats


def test_a_tournament_that_has_just_begun_has_a_page() -> None:
    dated = tournament()
    for events in range(1, 5):
        assert read_html(report_page(chronicle(dated[:events]))).all("h1")


def test_a_page_of_five_hundred_games_is_smaller_than_2_mb() -> None:
    """The made-up boards are small; larger ones need twice as much."""
    story = chronicle(tournament(games_each=40))
    assert len(story.tournament.played) > 470
    assert len(report_page(story).encode()) < 2_000_000
