"""The front page, and unknown addresses."""

import re

import pytest
from playwright.async_api import Locator, expect

import engine
from tests.e2e.browser.accessibility import check
from tests.e2e.browser.conftest import AddBot, OpenPage
from tests.e2e.browser.looks import fits, shows, until
from tests.e2e.browser.opponent import Opponent
from tests.e2e.browser.scripts import wait
from tests.fakes.waiting import eventually

LISTED = 20
PLACES = """() => [...document.querySelectorAll(".lobby .panel, .lobby button, .lobby .card")]
    .filter((each) => !each.closest(".offers-place") && each.checkVisibility())
    .map((each) => { const { x, y, width, height } = each.getBoundingClientRect();
        return [x, y, width, height]; })"""
ROW_ENDS = """(setup, cards) => {
    const ends = [...setup.querySelectorAll(cards)].map((c) => c.getBoundingClientRect().right);
    return setup.querySelector(".games").getBoundingClientRect().right - Math.max(...ends); }"""
"""The empty pixels beside the longest row of some cards."""
SETUP = {"board": "pent-4", "clock": {"kind": "none"}}


async def abort_one(one: Opponent, two: Opponent) -> None:
    """An aborted game between two bots."""
    known = set(two.states)
    offer = {"setup": SETUP, "seats": [one.name, two.name]}
    await one.do("challenge.create", offer)
    await eventually(lambda: len(two.states) > len(known))
    (game_id,) = set(two.states) - known
    await two.do("game.action", {"game_id": game_id, "action": "abort"})


async def test_earlier_games_are_offered_only_if_there_are_any(
    open_page: OpenPage, add_bot: AddBot
) -> None:
    first, second = await add_bot("Basalt", wait), await add_bot("Marble", wait)

    person = await open_page()
    rows = person.page.get_by_label("Finished games").locator(".row")
    more = person.page.get_by_role("button", name="Show earlier games")
    await abort_one(second, first)
    await expect(rows).to_have_count(1)
    await expect(more).to_be_hidden()
    for _ in range(LISTED - 1):
        await abort_one(second, first)
    await expect(rows).to_have_count(LISTED)
    # The page asks whether there are earlier games, and draws the answer.
    async with person.page.expect_response("**/api/records?**"):
        await person.reload()
    await expect(rows).to_have_count(LISTED)
    await expect(more).to_be_hidden()

    await abort_one(second, first)
    await more.click()
    await expect(rows).to_have_count(LISTED + 1)
    await expect(more).to_be_hidden()


async def test_own_games_are_found_among_many_and_say_when_they_ended(
    open_page: OpenPage, add_bot: AddBot
) -> None:
    first, second = await add_bot("Basalt", wait), await add_bot("Marble", wait, level=3)
    person = await open_page()
    page = person.page
    await person.choose(game="blooms", board="hexhex-4", clock=r"5 min \+ 5 s")
    game_id = await person.challenge("Basalt")
    await page.get_by_role("link", name="Bluestone").click()
    mine = page.get_by_label("Your games").locator(".row")
    await expect(mine).to_contain_text(re.compile("Your turn · [0-9:]+ · turn 1"))
    await first.do("game.action", {"game_id": game_id, "action": "abort"})
    for _ in range(LISTED):
        await abort_one(second, first)

    finished = page.get_by_label("Finished games")
    await expect(finished.locator(".row")).to_have_count(LISTED)
    await expect(finished.locator(".row.own")).to_have_count(0)
    await expect(finished.locator(".bot-mark").first).to_have_text("bot, level 3")
    await finished.locator(".chip", has_text="Mine").click()
    own = finished.locator(".row")
    await expect(own).to_have_count(1)
    await expect(own).to_have_class(re.compile("own"))
    await expect(own.locator(f'a[href="/game/{game_id}"] time')).to_have_text(
        re.compile(r"\d:\d\d")
    )
    await expect(own.locator(".dot.seat-1")).to_have_count(2)
    await expect(own.locator(".dot.seat-2.kind-2")).to_have_count(1)
    await page.reload()
    await expect(own).to_have_count(1)
    await expect(finished.get_by_label("Mine")).to_be_checked()


CARDS_ABOVE_LEVEL = """() => {
    const { top } = document.querySelector(".level").getBoundingClientRect();
    return [...document.querySelectorAll(".game-card")].every((card) =>
        card.getBoundingClientRect().bottom <= top
    );
}"""


@pytest.mark.parametrize("size", [(1280, 800), (768, 1024), (390, 844)])
async def test_the_games_are_above_the_levels_and_an_offer_moves_nothing(
    open_page: OpenPage, add_bot: AddBot, size: tuple[int, int]
) -> None:
    bot = await add_bot("Basalt", wait, level=1)
    person = await open_page(viewport={"width": size[0], "height": size[1]})
    page = person.page
    level = page.get_by_role("button", name="Play level 1")
    await expect(level).to_be_visible()
    await expect(page.locator(".game-card .thumbnail")).to_have_count(len(engine.games()))
    await expect(level).to_be_in_viewport(ratio=1)
    setup = page.locator(".setup")
    await until(lambda: page.evaluate(CARDS_ABOVE_LEVEL), bool)
    await until(lambda: setup.evaluate(ROW_ENDS, ".game-card"), lambda ends: ends <= 1)
    await until(lambda: setup.evaluate(ROW_ENDS, ".board-card"), lambda ends: ends <= 1)
    played = page.get_by_label("Chosen game")
    await expect(played).to_have_text("Bluestone · Pentagon 6 · 5 min + 5 s · random colours")
    await page.locator('.game-card:has(input[value="blooms"])').click()
    await expect(played).to_contain_text("Blooms · ")

    await expect(page.locator(".board-card .thumbnail").first).to_be_visible()
    before = await page.evaluate(PLACES)
    await bot.do("challenge.create", {"setup": SETUP, "seats": [None, bot.name]})
    await expect(page.get_by_role("button", name="Accept")).to_be_visible()
    await shows(lambda: page.evaluate(PLACES), before)
    accept = page.locator(".offer-row")
    fits = "(row) => row.offsetHeight <= row.closest('.offers-place').offsetHeight"
    await until(lambda: accept.evaluate(fits), bool)


async def test_an_own_game_is_listed_once(open_page: OpenPage, add_bot: AddBot) -> None:
    await add_bot("Basalt", wait)
    person, onlooker = await open_page(), await open_page()
    await person.choose()
    await person.challenge("Basalt")
    await person.page.get_by_role("link", name="Bluestone").click()
    mine = person.page.get_by_label("Your games").locator(".row")
    await expect(mine).to_have_count(1)
    now = person.page.get_by_label("Live games")
    await expect(now).to_contain_text("No other live games.")
    await expect(now.locator(".row")).to_have_count(0)
    await expect(onlooker.page.get_by_label("Live games").locator(".row")).to_have_count(1)


@pytest.mark.parametrize("width", [320, 1280])
async def test_other_pages_are_one_press_away_in_the_menu(open_page: OpenPage, width: int) -> None:
    person = await open_page("/account", viewport={"width": width, "height": 700})
    await person.name()
    page = person.page
    menu = page.locator("#menu")
    await menu.locator("summary").click()
    for name in ("Learn", "Puzzles", "Openings", "Leaderboards", "Tournaments"):
        await expect(menu.get_by_role("link", name=name)).to_be_in_viewport(ratio=1)
    await fits(page, width)
    await check(page, ".site")
    await page.keyboard.press("Escape")
    await expect(menu.get_by_role("link", name="Openings")).to_be_hidden()
    await page.keyboard.press("Enter")
    await menu.get_by_role("link", name="Leaderboards").click()
    await expect(page.get_by_role("heading", name="Leaderboards")).to_be_visible()
    await expect(menu.get_by_role("link", name="Openings")).to_be_hidden()


async def test_an_unknown_address_is_not_found_and_leads_to_the_lobby(open_page: OpenPage) -> None:
    person = await open_page()
    answer = await person.page.goto("/nonsense")
    assert answer is not None
    assert answer.status == 404
    await expect(person.page.get_by_role("heading", name="No such page")).to_be_visible()
    await expect(person.page).to_have_title(re.compile("^No such page"))
    await person.page.get_by_role("link", name="To the lobby").click()
    await expect(person.page.get_by_role("heading", name="Live games")).to_be_visible()


async def test_a_press_counts_although_the_page_changes_during_it(
    open_page: OpenPage, add_bot: AddBot
) -> None:
    """A button that is replaced while it is pressed would get no click."""
    basalt = await add_bot("Basalt", wait)
    person = await open_page()
    page, running = person.page, person.page.get_by_label("Live games").locator(".row")

    async def press_slowly(button: Locator, name: str) -> None:
        """Press a button; before it is released, a bot connects and a game begins on the page."""
        before = await running.count()
        await button.hover()
        await page.mouse.down()
        newcomer = await add_bot(name, wait)
        offer = {"setup": SETUP, "seats": [newcomer.name, basalt.name]}
        await newcomer.do("challenge.create", offer)
        await expect(running).to_have_count(before + 1)
        await page.mouse.up()

    await person.choose()
    await press_slowly(page.locator("#name span"), "Marble")
    await page.get_by_role("button", name="Cancel").click()
    await press_slowly(page.get_by_role("button", name="Play against Basalt"), "Slate")
    await person.arrive_at_game()
