"""The page as a whole: one file, well-formed, safe, and whole without scripts."""

import base64
import hashlib
import re
from collections import Counter

import pytest

from bot.matches.ledger import LedgerEntry
from bot.matches.report.chronicle import Chronicle
from bot.matches.report.page import report_page
from tests.bot.matches.made_up import tournament
from tests.bot.matches.report.chronicles import chronicle
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


def test_the_facts_name_the_edition_by_which_rounds_are_paired(page: str) -> None:
    assert "<dt>Pairing</dt><dd>FIDE Dutch System (C.04.3), edition of February 2026" in page


def test_nothing_is_fetched(page: str, document: Element) -> None:
    for each in document.everything:
        assert each.name not in {"link", "img", "iframe", "object", "embed", "base"}
        assert "src" not in each.attributes
        assert each.attributes.get("href", "#").startswith("#")
        assert not [name for name in each.attributes if name.startswith("on")]
    assert not re.search(r"url\((?!#)|@import|https?://(?!www\.w3\.org/2000/svg)", page)


def test_its_policy_allows_its_own_script_alone(document: Element) -> None:
    (script,) = document.all("script")
    digest = base64.b64encode(hashlib.sha256(script.text.encode()).digest()).decode()
    policy = next(each for each in document.all("meta") if "http-equiv" in each.attributes)
    assert f"script-src 'sha256-{digest}'" in policy.attributes["content"]
    assert policy.attributes["content"].startswith("default-src 'none'")


def test_what_others_wrote_is_text(page: str, document: Element) -> None:
    assert not document.all("b") or all("Gneiss" not in each.words for each in document.all("b"))
    assert "<Bones>" not in page
    assert "<wrong>" not in page
    assert document.all("h1")[0].text == "Stones & <Bones>"
    assert 'Gneiss <b>&"' in {each.text for each in document.all("th")}


def test_every_game_is_there_without_a_script(story: Chronicle, document: Element) -> None:
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


def test_what_went_another_way_is_told_with_its_reason(document: Element) -> None:
    told = section_of(document, "incidents").words
    for why in ("The network was down.", "Two voids in a row.", "Its owner took it home."):
        assert why in told
    assert "counts as 1–0, 0–1 on the board (played out): The table's clock was <wrong>." in told
    schedule = section_of(document, "schedule").words
    assert "Slate has a bye (1)" in schedule
    assert "Stopped: Two voids in a row." in schedule


def test_repeated_games_are_named() -> None:
    story = chronicle(LedgerEntry(at=at, event=event) for at, event in tournament(games_each=6))
    repeats = section_of(read_html(report_page(story)), "repeats").words
    assert "1 of 76 games repeat another one" in repeats
    assert "Game 5" in repeats
    assert "game 1" in repeats


def test_the_beginning_of_a_tournament_makes_a_page_too() -> None:
    dated = tournament()
    for events in range(1, 5):
        document = read_html(
            report_page(chronicle(LedgerEntry(at=at, event=event) for at, event in dated[:events]))
        )
        assert document.all("h1")


def test_five_hundred_games_stay_small() -> None:
    """The made-up boards are small; larger ones take twice as much."""
    story = chronicle(LedgerEntry(at=at, event=event) for at, event in tournament(games_each=40))
    assert len(story.tournament.played) > 470
    assert len(report_page(story).encode()) < 2_000_000
