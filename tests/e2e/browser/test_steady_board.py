"""The board and the buttons do not move, whatever happens in a game."""

from functools import partial
from typing import Any

import pytest
from playwright.async_api import Locator, expect

from tests.e2e.browser.conftest import AddBot, OpenPage
from tests.e2e.browser.looks import shows, until
from tests.e2e.browser.opponent import at_least
from tests.e2e.browser.scripts import wait
from tests.e2e.browser.test_watching import begin
from tests.e2e.browser.visitor import Visitor
from tests.fakes.early_end import DECIDED
from tests.fakes.early_end import TURNS as DECIDED_TURNS

DESKTOP = {"viewport": {"width": 1280, "height": 800}, "color_scheme": "dark"}
TABLET = {"viewport": {"width": 768, "height": 1024}, "has_touch": True, "is_mobile": True}
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
DEVICES = pytest.mark.parametrize(
    "device", [DESKTOP, TABLET, PHONE], ids=["desktop", "tablet", "phone"]
)
ENDINGS = ("Offer a draw", "Resign")
"""Buttons that stay in one row: neither is alone in a second one."""
Box = dict[str, float]


async def box_of(element: Locator) -> Box:
    """The box of an element on the page, wherever the page is scrolled."""
    box: Box = await element.evaluate(
        "(e) => { const { x, y, width, height } = e.getBoundingClientRect();"
        " return { x: x + scrollX, y: y + scrollY, width, height }; }"
    )
    return box


def overlap(one: Box, two: Box) -> bool:
    return not (
        one["x"] + one["width"] <= two["x"]
        or two["x"] + two["width"] <= one["x"]
        or one["y"] + one["height"] <= two["y"]
        or two["y"] + two["height"] <= one["y"]
    )


async def press(person: Visitor, name: str) -> None:
    await person.page.get_by_role("button", name=name, exact=True).click()


@DEVICES
async def test_offers_notices_and_the_end_leave_the_board_where_it_is(
    open_page: OpenPage, add_bot: AddBot, device: dict[str, Any]
) -> None:
    bot = await add_bot("Basalt", wait)
    person = await open_page(**device)
    await person.choose(clock=r"5 min \+ 5 s")
    game_id = await person.challenge("Basalt")
    await person.press_cell("0-0")
    if device.get("has_touch"):  # a finger's turn waits for a press
        await press(person, "Send")
    await bot.wait_until(game_id, at_least(1))
    await bot.tell("game.turn", {"game_id": game_id, "ply": 1, "turn": "3-0,3-3"})
    await expect(person.prompt).to_have_text("Your turn: place two stones.")
    page = person.page
    await expect(page.locator(".aim")).to_contain_text(
        "Aim: touch more blue stones with your best group."
    )
    board = await box_of(person.board)
    facts = page.locator(".facts")
    one_line = await facts.evaluate("(e) => parseFloat(getComputedStyle(e).lineHeight)")
    await until(lambda: box_of(facts), lambda box: box["height"] < 1.5 * one_line)

    for action, words in (("offer_draw", "a draw."), ("offer_abort", "to abort the game")):
        await bot.tell("game.action", {"game_id": game_id, "action": action})
        await expect(page.locator(".banner")).to_contain_text(f"Basalt offers {words}")
        await shows(lambda: box_of(person.board), board)
        await press(person, "Decline")
        await expect(page.locator(".banner")).to_be_hidden()

    one, two = (page.get_by_role("button", name=name) for name in ENDINGS)
    row = (await box_of(one))["y"]
    await until(lambda: box_of(two), lambda box: box["y"] == row)
    await press(person, "Offer a draw")
    await page.get_by_role("dialog").get_by_role("button", name="Offer a draw").click()
    await bot.wait_until(game_id, lambda new: new.draw_offer == 1)
    await bot.tell("game.action", {"game_id": game_id, "action": "decline_draw"})
    notice = page.locator("#notices .notice")
    await expect(notice).to_have_text("Basalt has declined the draw.×")
    shown = await box_of(notice)
    for covered in (".player.seat-1 .clock", ".game-actions", ".turn-bar"):
        await until(partial(box_of, page.locator(covered)), lambda box: not overlap(shown, box))
    await shows(lambda: box_of(person.board), board)

    await press(person, "Resign")
    await page.get_by_role("dialog").get_by_role("button", name="Resign").click()
    await expect(person.result).to_have_text("You lost")
    await expect(page.locator(".result-message")).to_have_text("You resigned.")
    await expect(page.locator(".about .keep-offer")).to_be_visible()
    await expect(page.locator("#notices")).not_to_contain_text("Keep")
    await shows(lambda: box_of(person.board), board)


@pytest.mark.parametrize("device", [DESKTOP, PHONE], ids=["desktop", "phone"])
@pytest.mark.parametrize("locale", ["en-GB", "de-DE"])
async def test_the_longest_reason_of_a_result_is_whole(
    open_page: OpenPage, add_bot: AddBot, device: dict[str, Any], locale: str
) -> None:
    bots = [await add_bot(f"The-longest-name-of-all{seat}", wait) for seat in (1, 2)]
    game_id = await begin(bots[0], bots[1], game="stargazers", board="stars-39")
    for ply, turn in enumerate(DECIDED_TURNS[:DECIDED]):
        bot = bots[ply % 2]
        await bot.wait_until(game_id, at_least(ply))
        await bot.tell("game.turn", {"game_id": game_id, "ply": ply, "turn": turn})
    page = (await open_page(f"/game/{game_id}", locale=locale, **device)).page
    await expect(page.locator(".result-reason")).to_contain_text(bots[0].name)
    banner = page.locator(".banner")
    await until(
        lambda: banner.evaluate("(e) => e.scrollHeight - e.clientHeight"),
        lambda hidden: hidden <= 0,
    )
    await banner.scroll_into_view_if_needed()
    await expect(banner).to_be_in_viewport(ratio=1)
    if device is DESKTOP:
        await shows(lambda: page.evaluate("document.documentElement.scrollHeight"), 800)


async def test_on_a_phone_stepping_through_turns_moves_neither_board_nor_buttons(
    open_page: OpenPage, add_bot: AddBot
) -> None:
    first, second = await add_bot("Basalt"), await add_bot("Marble")
    game_id = await begin(first, second)
    state = await first.wait_until(game_id, lambda new: new.state == "finished")
    reader = await open_page(f"/game/{game_id}", **PHONE)
    await expect(reader.result).to_be_visible()
    previous = reader.page.get_by_role("button", name="Previous turn")

    async def places() -> tuple[Box, Box]:
        return await box_of(reader.board), await box_of(previous)

    board, arrow = await places()
    assert 0 <= arrow["y"] - (board["y"] + board["height"]) < 60
    plies = len(state.turns)
    for ply in range(plies - 1, plies - 6, -1):
        await previous.tap()
        await expect(reader.page.locator(".replay-note")).to_have_text(f"{ply} / {plies}")
        await shows(places, (board, arrow))
    await reader.page.get_by_role("button", name="Back to current position").tap()
    await expect(reader.result).to_be_visible()
    await shows(places, (board, arrow))
