"""Boards to print on the pages of the rules, and what a printed page shows."""

import pytest
from playwright.async_api import expect

from bot.arena.web.page_bundle import LANGUAGES
from tests.bot.drawing.sheets import size_mm, texts
from tests.e2e.browser.accessibility import check
from tests.e2e.browser.conftest import OpenPage
from tests.e2e.browser.test_two_people import meet, play
from tests.e2e.browser.visitor import Visitor
from tools.lessons.source import GAMES

LABELS = {
    "en": "Open the PDF",
    "de": "PDF öffnen",
    "fr": "Ouvrir le PDF",
    "it": "Apri il PDF",
    "es": "Abrir el PDF",
}


async def sheet(visitor: Visitor) -> bytes:
    """What the link of the choice leads to."""
    link = visitor.page.locator(".print-board a")
    path = await link.get_attribute("href")
    assert path is not None
    assert path.startswith("/api/position.pdf?")
    answer = await visitor.page.request.get(path)
    assert answer.status == 200, await answer.text()
    return await answer.body()


@pytest.mark.parametrize("game", GAMES)
async def test_the_rules_of_each_game_offer_its_board_to_print(
    open_page: OpenPage, game: str
) -> None:
    reader = await open_page(f"/rules/{game}", locale="de-DE")
    await reader.page.locator(".print-board summary").click()
    await expect(reader.page.locator(".print-board a")).to_be_visible()
    plain = await sheet(reader)
    assert sorted(size_mm(plain)) == pytest.approx([210, 297], abs=0.001)
    await reader.page.locator(".print-board [name=paper]").select_option("A3")
    await reader.page.locator(".print-board [name=coordinates]").check()
    named = await sheet(reader)
    assert sorted(size_mm(named)) == pytest.approx([297, 420], abs=0.001)
    assert len(texts(named)) > len(texts(plain)) + 15


async def test_every_board_of_a_game_can_be_chosen(open_page: OpenPage) -> None:
    reader = await open_page("/rules/bluestone", locale="en-US")
    await reader.page.locator(".print-board summary").click()
    boards = reader.page.locator(".print-board [name=board]")
    await expect(boards.locator("option")).to_have_count(29)
    await boards.select_option("limping-3")
    small = await sheet(reader)
    assert any("limping-3" in text for text in texts(small))
    assert sorted(size_mm(small)) == pytest.approx([215.9, 279.4], abs=0.001)


@pytest.mark.parametrize("language", LANGUAGES)
async def test_the_link_is_in_the_language_of_the_reader(
    open_page: OpenPage, language: str
) -> None:
    narrow = {"width": 320, "height": 800}
    reader = await open_page("/rules/hexo", locale=language, viewport=narrow)
    await reader.page.locator(".print-board summary").click()
    await expect(reader.page.locator(".print-board a")).to_have_text(LABELS[language])
    await check(reader.page)


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_printed_rules_have_text_and_figures_in_black_on_white(
    open_page: OpenPage, scheme: str
) -> None:
    reader = await open_page("/rules/bluestone", color_scheme=scheme)
    page = reader.page
    await expect(page.locator(".print-board form")).to_be_attached()
    await page.emulate_media(media="print")
    for gone in ("header.site", ".rules-games", ".print-board", ".rules-page header a"):
        await expect(page.locator(gone)).to_be_hidden()
    await expect(page.get_by_role("heading", name="Rules of Bluestone")).to_be_visible()
    await expect(page.locator(".rules-board .board").first).to_be_visible()
    await expect(page.locator("body")).to_have_css("background-color", "rgb(255, 255, 255)")
    await expect(page.locator("body")).to_have_css("color", "rgb(0, 0, 0)")
    printed = await page.pdf()
    assert printed.startswith(b"%PDF")


async def test_a_printed_game_has_board_players_scores_and_turns_alone(open_page: OpenPage) -> None:
    anna, ben = await open_page(), await open_page(color_scheme="dark")
    await meet(anna, ben)
    await play(anna, ben)
    for page in (anna.page, ben.page):
        await page.emulate_media(media="print")
        for part in (".board", ".player.seat-1", ".player.seat-2", ".result-title", ".about"):
            await expect(page.locator(f".game {part}")).to_be_visible()
        await expect(page.locator(".turns .turn")).to_have_count(2)
        await expect(page.locator(".turns .turn").last).to_contain_text("1-0 3-0")
        await expect(page.locator(".game button:not(.turn, .score):visible")).to_have_count(0)
        for gone in ("header.site", ".evaluation", ".replay", ".clock"):
            await expect(page.locator(gone).first).to_be_hidden()
        await expect(page.locator("body")).to_have_css("background-color", "rgb(255, 255, 255)")
        await expect(page.locator(".turns")).to_have_css("column-count", "3")
