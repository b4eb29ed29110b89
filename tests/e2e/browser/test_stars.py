"""A person plays Stargazers: what is seen from where, and what is not."""

import re

from playwright.async_api import Locator, expect

from tests.e2e.browser.conftest import AddBot, OpenPage
from tests.e2e.browser.opponent import Holds, Opponent
from tests.e2e.browser.scripts import wait
from tests.e2e.browser.visitor import Visitor

TURNS = ["h3", "d7,j5", "f7,l5", "e6,k6"]
"""After these the first player's stone on l5 is uninspired, and so would be one on i6."""


def has_plies(count: int) -> Holds:
    return lambda new: len(new.turns) == count


async def begun(person: Visitor, bot: Opponent) -> str:
    """Play `TURNS`, the person first; the game's id."""
    await person.choose(game="stargazers", board="stars-39")
    game_id = await person.challenge(bot.name)
    for ply, turn in enumerate(TURNS):
        if ply % 2 == 0:
            await person.play(turn)
        else:
            await bot.wait_until(game_id, has_plies(ply))
            await bot.tell("game.turn", {"game_id": game_id, "ply": ply, "turn": turn})
            await person.see_turn(ply, turn)
    return game_id


async def middle(element: Locator) -> tuple[float, float]:
    box = await element.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


async def test_a_star_and_a_cell_without_a_view_cannot_be_chosen(
    open_page: OpenPage, add_bot: AddBot
) -> None:
    bot = await add_bot("Basalt", wait)
    person = await open_page()
    game_id = await begun(person, bot)
    await expect(person.page.locator(".board .star")).to_have_count(12)
    await expect(person.page.locator(".stone.faded")).to_have_count(1)
    await expect(person.page.locator(".marks .word")).to_have_attribute("data-word", "uninspired")
    await expect(person.cell("l5")).to_have_attribute(
        "aria-label", "l5, black stone, uninspired, 1 stone, gazing at no star"
    )
    await expect(person.page.locator(".player.seat-1 .scores")).to_contain_text(
        "1 uninspired stone"
    )
    await expect(person.page.locator(".player.seat-2 .scores")).to_contain_text(
        "0 uninspired stones"
    )

    await expect(person.page.locator(".cell.open").first).to_be_attached()
    for index in range(12):
        await person.page.mouse.click(*await middle(person.page.locator(".board .star").nth(index)))
        await expect(person.complaint).to_contain_text("Stars stay free")
    await expect(person.cell("i6")).to_have_attribute("aria-disabled", "true")
    await person.press_cell("i6")
    await expect(person.complaint).to_contain_text("i6 would not be inspired")
    await expect(person.cell("i6")).to_have_class(re.compile("accused"))
    await expect(person.pending).to_have_count(0)
    assert len(bot.states[game_id].turns) == len(TURNS)


async def test_pointing_at_a_stone_tells_what_it_sees(open_page: OpenPage, add_bot: AddBot) -> None:
    bot = await add_bot("Basalt", wait)
    person = await open_page()
    await begun(person, bot)
    await person.cell("d7").hover()
    await expect(person.page.locator(".tip")).to_contain_text("in sight of one another")
    await expect(person.page.locator(".groups .sights")).to_have_count(1)
    await person.page.keyboard.press("Home")
    await expect(person.stones).to_have_count(0)
    await person.page.keyboard.press("End")
    await expect(person.page.locator(".stone.faded")).to_have_count(1)
