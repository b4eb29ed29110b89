"""A person plays Blooms: the choice of colours, until the turn is sent."""

import re

from playwright.async_api import expect

from bot import wire
from tests.e2e.browser.conftest import AddBot, OpenPage
from tests.e2e.browser.looks import fits
from tests.e2e.browser.opponent import Opponent, at_least
from tests.e2e.browser.scripts import wait
from tests.e2e.browser.visitor import Visitor

PHONE = {"viewport": {"width": 375, "height": 812}, "has_touch": True, "is_mobile": True}


async def begun(person: Visitor, bot: Opponent, captures: int | None = None) -> wire.GameState:
    """A game in which the bot has played a1, and the person must place one stone or two."""
    await person.choose(game="blooms", board="hexhex-4", begins="My opponent")
    await person.page.get_by_label("Captures to win").fill(str(captures or ""))
    game_id = await person.challenge(bot.name)
    await bot.wait_for_game()
    await bot.tell("game.turn", {"game_id": game_id, "ply": 0, "turn": "1a1"})
    await person.see_turn(0, "a1")
    return bot.states[game_id]


async def test_colours_are_chosen_swapped_and_taken_back_before_a_turn_is_sent(
    open_page: OpenPage, add_bot: AddBot
) -> None:
    bot = await add_bot("Basalt", wait)
    person = await open_page()
    state = await begun(person, bot)
    await expect(person.prompt).to_have_text("Your turn: place one stone or two.")
    await expect(person.colour("White")).to_be_checked()
    await person.place("Gold", "b2")
    await expect(person.pending).to_have_class(re.compile("seat-2 kind-2"))
    await expect(person.cell("b2")).to_have_attribute(
        "aria-label", "b2, your gold stone, not sent yet"
    )
    await expect(person.colour("White")).to_be_checked()

    await person.page.get_by_role("button", name="Swap colours").click()
    await expect(person.pending).to_have_class(re.compile("seat-2 kind-1"))
    await expect(person.colour("Gold")).to_be_checked()
    await person.page.keyboard.press("s")
    await expect(person.pending).to_have_class(re.compile("seat-2 kind-2"))

    await person.press_cell("b2")
    await expect(person.pending).to_have_count(0)
    await expect(person.colour("Gold")).to_be_checked()
    await person.press_cell("c3")
    await expect(person.colour("White")).to_be_checked()
    await person.press_cell("a1")
    await expect(person.complaint).to_have_text("a1 is not empty.")
    assert len(bot.states[state.game_id].turns) == 1
    await person.press_cell("d4")
    sent = await bot.wait_until(state.game_id, at_least(2))
    assert sent.turns[1].turn == "1d4,2c3"
    await person.see_turn(1, "d4 c3")
    await expect(person.turns.nth(1).get_by_role("img", name="gold")).to_have_count(1)
    await expect(person.page.locator(".stones .kind-ring")).to_have_count(1)


async def test_keys_and_clicks_that_are_faster_than_the_server_count(
    open_page: OpenPage, add_bot: AddBot
) -> None:
    bot = await add_bot("Basalt", wait)
    person = await open_page()
    state = await begun(person, bot)
    await person.press_at_once("2", "b2", "1", "c3")
    sent = await bot.wait_until(state.game_id, at_least(2))
    assert sent.turns[1].turn == "1c3,2b2"


async def test_on_a_phone_a_turn_waits_and_its_colours_can_still_be_swapped(
    open_page: OpenPage, add_bot: AddBot
) -> None:
    bot = await add_bot("Basalt", wait)
    person = await open_page(**PHONE)
    state = await begun(person, bot)
    await person.cell("b2").tap()
    await expect(person.colour("Gold")).to_be_checked()
    await person.cell("c3").tap()
    await expect(person.prompt).to_have_text("Play white b2 and gold c3?")
    await person.page.get_by_role("button", name="Swap colours").tap()
    await expect(person.prompt).to_have_text("Play gold b2 and white c3?")
    await person.page.get_by_role("button", name="Take back").tap()
    await expect(person.pending).to_have_count(1)
    await expect(person.colour("White")).to_be_checked()
    await person.cell("d4").tap()
    await expect(person.prompt).to_have_text("Play gold b2 and white d4?")
    await fits(person.page, 375)
    await person.page.get_by_role("button", name="Send").tap()
    sent = await bot.wait_until(state.game_id, at_least(2))
    assert sent.turns[1].turn == "1d4,2b2"


async def test_one_stone_is_a_turn_and_the_agreed_number_of_captures_wins(
    open_page: OpenPage, add_bot: AddBot
) -> None:
    bot = await add_bot("Basalt", wait)
    person = await open_page()
    state = await begun(person, bot, captures=1)
    await expect(person.page.locator(".facts")).to_contain_text("Captures to win: 1")
    await person.page.keyboard.press("2")
    await expect(person.colour("Gold")).to_be_checked()
    await person.press_cell("a2")
    await person.page.get_by_role("button", name="Play one stone").click()
    await bot.wait_until(state.game_id, at_least(2))
    await bot.tell("game.turn", {"game_id": state.game_id, "ply": 2, "turn": "1d4"})
    await expect(person.turns).to_have_count(3)
    await expect(person.cell("a1")).to_have_attribute(
        "aria-label", "a1, black stone, bloom of 1 stone, 2 empty cells beside it"
    )
    await person.place("Gold", "b1")
    await expect(person.page.locator(".stone.doomed")).to_have_count(0)
    await person.press_cell("b2")
    await expect(person.result).to_have_text("You won")
    await expect(person.page.locator(".result-message")).to_contain_text("1 captured stone against")
    await expect(person.page.locator(".player.seat-2 .scores")).to_contain_text("1 of 1 captured")
    await expect(person.ghosts).to_have_count(1)
