"""The front page, and addresses that are none of the site's."""

import re

from playwright.async_api import Locator, expect

from tests.e2e.browser.conftest import AddBot, OpenPage
from tests.e2e.browser.scripts import wait
from tests.fakes.waiting import eventually

LISTED = 20
SETUP = {"board": "pent-4", "clock": {"kind": "none"}}


async def test_earlier_games_are_offered_only_where_there_are_any(
    open_page: OpenPage, add_bot: AddBot
) -> None:
    first, second = await add_bot("Basalt", wait), await add_bot("Marble", wait)

    async def play() -> None:
        known = set(first.states)
        offer = {"setup": SETUP, "seats": [second.name, first.name]}
        assert (await second.tell("challenge.create", offer))["ok"]
        await eventually(lambda: len(first.states) > len(known))
        (game_id,) = set(first.states) - known
        assert (await first.tell("game.action", {"game_id": game_id, "action": "abort"}))["ok"]

    person = await open_page()
    rows = person.page.get_by_label("Finished games").locator(".row")
    more = person.page.get_by_role("button", name="Show earlier games")
    await play()
    await expect(rows).to_have_count(1)
    await expect(more).to_be_hidden()
    for _ in range(LISTED - 1):
        await play()
    await expect(rows).to_have_count(LISTED)
    # What it has looked up is known when the page has asked for it and drawn what came.
    async with person.page.expect_response("**/api/records"):
        await person.page.reload()
    await expect(rows).to_have_count(LISTED)
    await expect(more).to_be_hidden()

    await play()
    await more.click()
    await expect(rows).to_have_count(LISTED + 1)
    await expect(more).to_be_hidden()


async def test_an_own_game_is_listed_once(open_page: OpenPage, add_bot: AddBot) -> None:
    await add_bot("Basalt", wait)
    person, onlooker = await open_page(), await open_page()
    await person.choose()
    await person.challenge("Basalt")
    await person.page.get_by_role("link", name="Bluestone").click()
    mine = person.page.get_by_label("Your games").locator(".row")
    await expect(mine).to_have_count(1)
    now = person.page.get_by_label("Games now")
    await expect(now).to_contain_text("Nobody else is playing")
    await expect(now.locator(".row")).to_have_count(0)
    await expect(onlooker.page.get_by_label("Games now").locator(".row")).to_have_count(1)


async def test_an_unknown_address_is_not_found_and_leads_to_the_lobby(open_page: OpenPage) -> None:
    person = await open_page()
    answer = await person.page.goto("/nonsense")
    assert answer is not None
    assert answer.status == 404
    await expect(person.page.get_by_role("heading", name="No such page")).to_be_visible()
    await expect(person.page).to_have_title(re.compile("^No such page"))
    await person.page.get_by_role("link", name="To the lobby").click()
    await expect(person.page.get_by_role("heading", name="Games now")).to_be_visible()


async def test_a_click_is_not_lost_when_there_are_news_in_the_middle_of_it(
    open_page: OpenPage, add_bot: AddBot
) -> None:
    """Who presses a button that is replaced before it is let go has pressed nothing."""
    basalt = await add_bot("Basalt", wait)
    person = await open_page()
    page, running = person.page, person.page.get_by_label("Games now").locator(".row")

    async def press_slowly(button: Locator, name: str) -> None:
        """While it is pressed somebody comes and begins a game, and the page has been told."""
        before = await running.count()
        await button.hover()
        await page.mouse.down()
        newcomer = await add_bot(name, wait)
        offer = {"setup": SETUP, "seats": [newcomer.name, basalt.name]}
        assert (await newcomer.tell("challenge.create", offer))["ok"]
        await expect(running).to_have_count(before + 1)
        await page.mouse.up()

    await person.choose()
    await press_slowly(page.locator("#name span"), "Marble")
    await page.get_by_role("button", name="Keep the old one").click()
    await press_slowly(page.get_by_role("button", name="Play against Basalt"), "Slate")
    await person.arrive_at_game()
