"""The scoring track of Blooms, a handicap, and the recommended numbers of captures."""

from playwright.async_api import Locator, expect

from tests.e2e.browser.conftest import AddBot, OpenPage
from tests.e2e.browser.looks import fits
from tests.e2e.browser.scripts import wait
from tests.e2e.browser.visitor import Visitor

PHONE = {"viewport": {"width": 375, "height": 812}, "has_touch": True, "is_mobile": True}


def marker(person: Visitor, seat: int, captured: int) -> Locator:
    """A player's marker with its number of captured stones."""
    return person.board.locator(f'.track .marker.seat-{seat}[data-captured="{captured}"]')


async def choose_blooms(person: Visitor, begins: str = "Me") -> None:
    await person.choose(game="blooms", board="hexhex-4", begins=begins)


async def test_a_handicap_is_chosen_and_counted_on_the_track(
    open_page: OpenPage, add_bot: AddBot
) -> None:
    bot = await add_bot("Basalt", wait)
    person = await open_page()
    page = person.page
    await choose_blooms(person)
    await page.get_by_role("button", name="15 for beginners").click()
    await expect(page.get_by_label("Captures to win")).to_have_value("15")
    await page.get_by_label("Points ahead for White").fill("3")
    game_id = await person.challenge(bot.name)
    await expect(page.locator(".facts")).to_contain_text("Points ahead for White: 3")
    await expect(person.board.locator(".track .field")).to_have_count(16)
    await expect(marker(person, 1, 0)).to_have_count(1)
    await expect(marker(person, 2, 3).locator("text")).to_have_text("3")

    await bot.wait_for_game()
    for ply, turn in enumerate(["a1", "1a2,2b1", "g4", "1b2"]):
        if ply % 2 == 0:
            await expect(page.locator(".turn-bar")).to_have_attribute("data-phase", "choosing")
            await person.place("Black", turn)
            if ply:
                await page.get_by_role("button", name="Play one stone").click()
        else:
            await bot.tell("game.turn", {"game_id": game_id, "ply": ply, "turn": turn})
        await person.sees(ply + 1)
    await expect(marker(person, 2, 4)).to_have_attribute("data-field", "4")
    await expect(marker(person, 1, 0)).to_have_attribute("data-field", "0")

    await page.get_by_role("button", name="Settings").click()
    await page.get_by_role("checkbox", name="Scoring track").uncheck()
    await page.get_by_role("button", name="Close").click()
    await expect(person.board.locator(".track")).to_have_count(0)
    await person.reload()
    await expect(person.stones).to_have_count(4)
    await expect(person.board.locator(".track")).to_have_count(0)


async def test_a_handicap_that_would_win_is_not_sent(open_page: OpenPage, add_bot: AddBot) -> None:
    bot = await add_bot("Basalt", wait)
    person = await open_page()
    await choose_blooms(person)
    points = person.page.get_by_label("Points ahead for Black")
    await expect(points).to_have_attribute("max", "19")
    await person.page.get_by_label("Captures to win").fill("5")
    await points.fill("5")
    await expect(points).to_have_attribute("max", "4")
    await person.page.get_by_role("button", name=f"Play against {bot.name}").click()
    await expect(person.page.locator("input:invalid")).to_have_count(1)
    assert "/game/" not in person.page.url


async def test_a_number_is_shown_as_it_is_played(open_page: OpenPage, add_bot: AddBot) -> None:
    await add_bot("Granite", wait, level=1)
    person = await open_page()
    await choose_blooms(person)
    captures = person.page.get_by_label("Captures to win")
    terms = person.page.get_by_role("status", name="Chosen game")
    for typed, number in (("1e1", "10"), ("03", "3")):
        await captures.fill("")
        await captures.press_sequentially(typed)
        await captures.press("Tab")
        await expect(captures).to_have_value(number)
        await expect(terms).to_contain_text(f"Captures to win: {number} ·")


async def test_recommended_numbers_belong_to_the_board(open_page: OpenPage) -> None:
    person = await open_page()
    await person.choose(game="blooms", board="hexhex-5")
    presets = person.page.locator(".preset")
    await expect(presets).to_have_text(["20 for a quick game", "25 like the original game"])
    await expect(presets.nth(1)).to_have_attribute("aria-pressed", "true")
    await person.choose(game="blooms", board="hexhex-4")
    await expect(presets).to_have_text(["15 for beginners", "20 like the original game"])
    await person.choose(game="blooms", board="hexhex-10")
    await expect(presets).to_have_count(0)


async def test_two_phones_show_the_track_of_a_game_without_captures(
    open_page: OpenPage, add_bot: AddBot
) -> None:
    bot = await add_bot("Basalt", wait)
    person, watcher = await open_page(**PHONE), await open_page(**PHONE)
    await choose_blooms(person)
    game_id = await person.challenge(bot.name)
    await watcher.visit(f"/game/{game_id}")
    for each in (person, watcher):
        await expect(each.board.locator(".track .markers path")).to_have_count(2)
        await expect(each.board.locator(".track .on-both")).to_have_text("0")
        await fits(each.page, 375)


async def test_no_track_covers_the_coordinates_of_a_square_board(
    open_page: OpenPage, add_bot: AddBot
) -> None:
    bot, person = await add_bot("Basalt", wait), await open_page(**PHONE)
    await person.choose(game="freego", board="square-9")
    await person.challenge(bot.name)
    await expect(person.board.locator("text.label")).to_have_count(4 * 9)
    await expect(person.board.locator(".track")).to_have_count(0)
