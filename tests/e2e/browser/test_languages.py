"""The page in other languages than English."""

import asyncio
import re
from functools import cache, partial

import pytest
from playwright.async_api import Page, expect

from tests.bot.arena.web.test_messages import PLACE, forms, texts
from tests.e2e.browser.conftest import AddBot, OpenPage
from tests.e2e.browser.local_arena import LocalArena
from tests.e2e.browser.looks import shows
from tests.e2e.browser.test_tournaments import SETTINGS, arrive, enter, sign_in

NAMES = {"Blooms"}
"""Names on German pages that are also English texts."""

SHOWN = """() => {
    const found = new Set();
    for (const element of document.querySelectorAll("body *")) {
        const text = element.textContent.trim();
        if (element.checkVisibility() && text.length < 300) {
            text.split(" · ").forEach((part) => found.add(part.trim()));
        }
        for (const name of ["aria-label", "title", "alt", "placeholder"]) {
            found.add(element.getAttribute(name) ?? "");
        }
        for (const node of element.childNodes) {
            found.add(node instanceof Text ? node.data.trim() : "");
        }
    }
    return [...found].filter((text) => text !== "");
}"""
"""The texts on the page, and those of its attributes."""


@cache
def english() -> tuple[set[str], list[re.Pattern[str]]]:
    """The English messages that are not German ones too: whole texts, and patterns for places."""
    german = {form for message in texts("de").values() for form in forms(message)} | NAMES
    found = {form for message in texts("en").values() for form in forms(message)} - german
    patterns = [
        re.compile(".+".join(re.escape(part) for part in PLACE.split(form)[::2]))
        for form in found
        if PLACE.search(form) and re.search("[A-Za-z]", PLACE.sub("", form))
    ]
    return found, patterns


def english_among(shown: list[str]) -> list[str]:
    whole, patterns = english()
    return [text for text in shown if text in whole or any(p.fullmatch(text) for p in patterns)]


async def english_on(page: Page) -> list[str]:
    shown: list[str] = await page.evaluate(SHOWN)
    # In a thread: the arena and the bots live in this event loop.
    found = await asyncio.to_thread(english_among, shown)
    return [text for text in found if text not in NAMES]


async def test_the_page_speaks_the_browsers_language_until_the_person_chooses_another(
    open_page: OpenPage,
) -> None:
    visitor = await open_page("/tournaments", locale="de-CH")
    page = visitor.page
    await expect(page.locator("html")).to_have_attribute("lang", "de")
    await expect(page.get_by_role("heading", level=1)).to_have_text("Turniere")
    for language, heading in (("Français", "Tournois"), ("Deutsch", "Turniere")):
        await visitor.name()
        await page.locator("#settings").click()
        await page.get_by_role("button", name=language).click()
        await expect(page.get_by_role("heading", level=1)).to_have_text(heading)
        assert page.url.endswith("/tournaments")
    await page.locator("#settings").click()
    chosen = page.locator(".languages [aria-pressed=true]")
    await expect(chosen).to_have_text("Deutsch")
    await expect(chosen).to_have_attribute("lang", "de")


@pytest.mark.usefixtures("kernels")
async def test_a_game_in_spanish(open_page: OpenPage, add_bot: AddBot) -> None:
    await add_bot(level=3)
    person = await open_page(locale="es-ES")
    page = person.page
    await person.choose(clock="Sin límite de tiempo", begins="Yo")
    await page.locator("[data-key=play-Basalt]").click()
    await person.arrive_at_game()
    await expect(person.prompt).to_have_text("Te toca: coloca la primera piedra.")
    await person.press_cell("0-0")
    await expect(person.turns).to_have_count(2)
    await person.press_cell("0-0")
    await expect(person.complaint).to_have_text("0-0 no está vacía.")
    await expect(page).to_have_title(re.compile("● Te toca – Bluestone$"))
    await page.locator("[data-key=resign]").click()
    await page.get_by_role("dialog").get_by_role("button", name="Rendirse").click()
    await expect(person.result).to_have_text("Has perdido")
    await expect(page.locator(".result-message")).to_have_text("Te has rendido.")


async def test_no_english_is_left_on_german_pages(
    open_page: OpenPage, add_bot: AddBot, arena: LocalArena
) -> None:
    bots = [await add_bot("Basalt"), await add_bot("Marble", level=2)]
    host = await sign_in(partial(open_page, locale="de-DE"), arena)
    page = host.page
    await expect(page.locator(".level")).to_be_visible()
    await shows(lambda: english_on(page), [])
    for window in ("#settings", "#help", "#name"):
        await page.locator(window).click()
        await expect(page.get_by_role("dialog")).to_be_visible()
        await shows(lambda: english_on(page), [])
        await page.keyboard.press("Escape")

    await page.goto("/tournaments/new")
    await expect(page.locator(".board-card").first).to_be_visible()
    await shows(lambda: english_on(page), [])
    await page.locator(".chip:has([value=text])").click()
    await page.locator("textarea[name=settings]").fill(SETTINGS)
    await shows(lambda: english_on(page), [])
    await page.locator(".buttons .primary").click()
    tournament_id = await arrive(page)
    await enter(tournament_id, *bots)
    await expect(page.locator(".entrants li")).to_have_count(2)
    await shows(lambda: english_on(page), [])
    await page.locator("[data-key=start]").click()
    await expect(page.locator(".pairing a").filter(has_text="Ansehen")).to_be_visible()
    await shows(lambda: english_on(page), [])
    await page.locator(".pairing a").filter(has_text="Ansehen").click()
    await host.arrive_at_game()
    await expect(host.result).to_be_visible()
    await shows(lambda: english_on(page), [])
