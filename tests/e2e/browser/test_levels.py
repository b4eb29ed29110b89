"""The buttons of bots that have a level."""

import re

from playwright.async_api import expect

from engine.players.levels import LEVEL_WORDS
from tests.e2e.browser.conftest import AddBot, OpenPage
from tests.e2e.browser.scripts import wait

WORDS = """async () => {
    const { loadMessages } = await import("/js/shared/messages.js");
    await loadMessages("common");
    return (await import("/js/shared/levels.js")).LEVEL_WORDS;
}"""


async def test_one_press_on_a_level_starts_a_game(open_page: OpenPage, add_bot: AddBot) -> None:
    for name, level in (("Granite", 10), ("Crag", 7), ("Sand", 1)):
        await add_bot(name, wait, level)
    await add_bot("Basalt", wait)
    person = await open_page()
    levels = person.page.get_by_role("group", name="Levels").get_by_role("button")
    await expect(levels).to_have_count(3)
    await expect(levels.nth(0)).to_have_accessible_name("Play level 1 Newcomer Sand Start here")
    await expect(levels.nth(1)).to_have_accessible_name("Play level 7 Strong Crag")
    await expect(levels.nth(2)).to_have_accessible_name("Play level 10 Champion Granite")
    await expect(person.page.get_by_role("button", name="Play against Basalt")).to_be_visible()

    await levels.nth(1).click()
    await person.arrive_at_game()
    shown = person.page.locator(".player", has_text="Crag")
    await expect(shown.locator(".badge")).to_have_text("bot · Strong")
    about = shown.locator(".player-about")
    await expect(about).to_have_text(re.compile(r"^(Black|White) · level 7$"))
    await expect(about.get_by_title("script, level 7")).to_be_visible()

    await person.visit("/")
    await expect(levels.nth(1)).to_have_accessible_name("Play level 7 Strong Crag Last time")


async def test_the_words_for_levels_are_the_engines(open_page: OpenPage) -> None:
    person = await open_page()
    shown = await person.page.evaluate(WORDS)
    assert [word.lower() for word in shown] == [words.partition(":")[0] for words in LEVEL_WORDS]
