"""People at the board: by mouse, keyboard and finger."""

import re
from functools import partial

import pytest
from playwright.async_api import expect

from tests.e2e.browser.conftest import AddBot, OpenPage
from tests.e2e.browser.looks import box_in_view, fits, shows, until
from tests.e2e.browser.opponent import Holds, at_least
from tests.e2e.browser.scripts import fixed_turn, position_of, wait

FIRST = re.compile(r"^You (won|lost)$|^Draw")


def is_answered(plies: int) -> Holds:
    """The person's turn at that ply was played, and the bot's answer unless the game is over."""
    return lambda new: len(new.turns) > plies and (new.state == "finished" or new.to_play == 1)


async def test_a_person_plays_a_whole_game_to_its_end(open_page: OpenPage, add_bot: AddBot) -> None:
    bot = await add_bot("Basalt")
    person = await open_page()
    await person.choose()
    game_id = await person.challenge("Basalt")
    captures_seen = 0
    while (state := bot.states[game_id]).state == "playing":
        position = position_of(state)
        await expect(person.turns).to_have_count(len(state.turns))
        cleared = [cell for cell in position.captured if cell not in position.stones]
        await expect(person.ghosts).to_have_count(len(cleared))
        captures_seen += len(cleared)
        await expect(person.stones).to_have_count(len(position.stones))
        for seat, scores in enumerate(position.scores, start=1):
            await shows(partial(person.scores, seat), [score for score in scores if score])
        turn = fixed_turn(position)
        await person.play(turn)
        await bot.wait_until(game_id, is_answered(len(state.turns)))
    assert captures_seen > 0
    assert state.result is not None
    won = state.result.winner == 1
    await expect(person.result).to_have_text("You won" if won else "You lost")
    words = state.result.message.replace(f"{await person.name()} wins", "You win")
    await expect(person.page.locator(".result-message")).to_have_text(words)
    reason = r"^The board is full\. The (second-)?best group decides: \d+ to \d+\.$"
    await expect(person.page.locator(".result-reason")).to_have_text(re.compile(reason))
    await expect(person.page).to_have_title(re.compile(" won – Bluestone$"))
    await expect(person.page.locator(".evaluation-legend")).to_contain_text("Basalt")


async def test_the_page_says_why_a_clicked_cell_is_illegal(
    open_page: OpenPage, add_bot: AddBot
) -> None:
    bot = await add_bot("Basalt")
    person = await open_page()
    await person.choose()
    game_id = await person.challenge("Basalt")
    await person.play("0-0")
    await expect(person.turns).to_have_count(2)

    named = person.page.locator(".board.named")
    await expect(named).to_have_count(0)
    await person.press_cell("0-0")
    await expect(person.complaint).to_contain_text("0-0")
    await expect(named).to_have_count(1)  # a sentence names a cell, so the board does
    await expect(person.cell("0-0")).to_have_class(re.compile("accused"))
    await expect(person.cell("0-0")).to_have_attribute("aria-disabled", "true")

    position = position_of(await bot.wait_until(game_id, at_least(2)))
    board = position.game.board
    first, near = next(
        (cell, other)
        for cell in board.cells
        for other in board.neighbours(cell)
        if cell not in position.stones and other not in position.stones
    )
    await person.press_cell(first)
    await expect(person.pending).to_have_count(1)
    await expect(person.complaint).to_be_empty()
    await person.press_cell(near)
    await expect(person.complaint).to_contain_text(near)
    await expect(person.pending).to_have_count(1)
    await person.page.locator(".blue .gem").first.click(force=True)
    await expect(person.complaint).to_contain_text("Blue stones belong to nobody.")
    assert len(bot.states[game_id].turns) == 2


async def test_clicks_that_are_faster_than_the_server_count(
    open_page: OpenPage, add_bot: AddBot
) -> None:
    bot = await add_bot("Basalt")
    person = await open_page()
    await person.choose()
    game_id = await person.challenge("Basalt")
    await person.play("0-0")
    state = await bot.wait_until(game_id, is_answered(1))
    await expect(person.prompt).to_have_text("Your turn: place two stones.")
    turn = fixed_turn(position_of(state))
    await person.press_at_once(*turn.split(","))
    await person.see_turn(2, turn)


async def test_a_turn_can_be_played_by_keyboard_alone(open_page: OpenPage, add_bot: AddBot) -> None:
    await add_bot("Basalt")
    person = await open_page()
    await person.choose()
    page = person.page
    await page.get_by_role("button", name="Play against Basalt").focus()
    await page.keyboard.press("Enter")
    await person.arrive_at_game()
    await person.tab_to_board()
    await expect(person.cell("0-0")).to_be_focused()
    await page.keyboard.press("ArrowUp")
    await page.keyboard.press("ArrowUp")
    await expect(person.cell("2-0")).to_be_focused()
    await page.keyboard.press("Enter")
    await person.see_turn(0, "2-0")

    await expect(person.turns).to_have_count(2)
    await expect(person.prompt).to_have_text("Your turn: place two stones.")
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("ArrowDown")
    await expect(person.cell("0-0")).to_be_focused()
    await page.keyboard.press("Space")
    await expect(person.pending).to_have_count(1)
    await page.keyboard.press("Escape")
    await expect(person.pending).to_have_count(0)
    await page.keyboard.press("Space")
    await expect(person.pending).to_have_count(1)
    # The second stone may not be next to the first, so this takes at least two steps.
    await expect(page.locator(".cell.open").first).to_be_attached()
    open_cell = "document.activeElement.matches('.cell.open')"
    while not await page.evaluate(open_cell):  # a key moves the focus at once
        await page.keyboard.press("ArrowDown")
    second = await page.locator(".cell:focus").get_attribute("data-cell")
    await page.keyboard.press("Enter")
    await person.see_turn(2, f"0-0,{second}")


async def test_a_phone_asks_before_it_sends_and_has_no_sideways_scrolling(
    open_page: OpenPage, add_bot: AddBot
) -> None:
    bot = await add_bot("Basalt")
    person = await open_page(viewport={"width": 320, "height": 568}, has_touch=True, is_mobile=True)
    await person.choose("pent-6")
    radio = await box_in_view(person.page.get_by_role("radio", name="Other sizes"))
    label = person.page.locator(".other-board label")  # beside its radio button
    await until(lambda: box_in_view(label), lambda box: box["height"] < 2 * radio["height"])
    game_id = await person.challenge("Basalt")
    await person.cell("3-2").tap()
    await expect(person.prompt).to_have_text("Play 3-2?")
    assert not bot.states[game_id].turns
    await fits(person.page, 320)
    await person.page.get_by_role("button", name="Take back").tap()
    await expect(person.pending).to_have_count(0)
    await person.cell("3-3").tap()
    await person.page.get_by_role("button", name="Send").tap()
    await person.see_turn(0, "3-3")


async def test_one_stone_can_be_enough_under_abstract_play_rules(
    open_page: OpenPage, add_bot: AddBot
) -> None:
    bot = await add_bot("Basalt")
    person = await open_page()
    await person.choose()
    await person.page.locator(".chip", has_text="Abstract Play rules").click()
    game_id = await person.challenge("Basalt")
    await person.play("0-0")
    state = await bot.wait_until(game_id, at_least(2))
    free = next(
        cell
        for cell in position_of(state).game.board.cells
        if cell not in position_of(state).stones
    )
    await expect(person.turns).to_have_count(2)
    await person.press_cell(free)
    await person.page.get_by_role("button", name="Play one stone").click()
    await person.see_turn(2, free)


async def test_resigning_asks_first_and_a_rematch_exchanges_the_colours(
    open_page: OpenPage, add_bot: AddBot
) -> None:
    await add_bot("Basalt")
    person = await open_page()
    await person.choose()
    game_id = await person.challenge("Basalt")
    await expect(person.page.get_by_role("button", name="Abort")).to_be_visible()
    await person.play("0-0")
    await person.sees(2)
    await person.page.get_by_role("button", name="Resign").click()
    await person.page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    await expect(person.result).to_have_count(0)
    await person.page.get_by_role("button", name="Resign").click()
    await person.page.get_by_role("dialog").get_by_role("button", name="Resign").click()
    await expect(person.result).to_have_text("You lost")
    await expect(person.page.locator(".result-message")).to_have_text("You resigned.")
    await person.page.get_by_role("button", name="Rematch").click()
    await expect(person.page).not_to_have_url(re.compile(game_id))
    await expect(person.page.locator(".player.seat-2")).to_contain_text("you")
    await expect(person.turns).to_have_count(1)


async def test_at_200_percent_the_task_is_visible_beside_the_board(
    open_page: OpenPage, add_bot: AddBot
) -> None:
    await add_bot("Basalt")
    person = await open_page(viewport={"width": 640, "height": 400}, device_scale_factor=2)
    await person.choose("pent-6")
    await person.challenge("Basalt")
    await person.play("0-0")
    await expect(person.prompt).to_have_text("Your turn: place two stones.")
    await shows(lambda: person.page.evaluate("scrollY"), 0)
    for part in (person.board, person.prompt):
        await expect(part).to_be_in_viewport(ratio=1)
    board = await box_in_view(person.board)
    edge = board["x"] + board["width"]
    await until(lambda: box_in_view(person.prompt), lambda box: box["x"] >= edge)
    await fits(person.page, 640)


@pytest.mark.parametrize("is_phone", [False, True], ids=["mouse", "touch"])
async def test_a_pass_asks_first_and_the_end_says_what_ended_and_decided_the_game(
    open_page: OpenPage, add_bot: AddBot, *, is_phone: bool
) -> None:
    bot = await add_bot("Basalt", wait)
    person = await open_page(has_touch=is_phone, is_mobile=is_phone)
    await person.choose()
    game_id = await person.challenge("Basalt")
    window = person.page.get_by_role("dialog")

    async def press_pass() -> None:
        button = person.page.get_by_role("button", name="Pass", exact=True)
        await (button.tap() if is_phone else button.click())

    await press_pass()
    await expect(window).to_contain_text("If your opponent passes too, the game ends")
    await window.get_by_role("button", name="Cancel").click()
    await expect(window).to_have_count(0)
    await person.press_cell("3-0")
    if is_phone:
        await person.page.get_by_role("button", name="Send").tap()
    await bot.wait_until(game_id, at_least(1))
    assert [played.turn for played in bot.states[game_id].turns] == ["3-0"]
    await bot.tell("game.turn", {"game_id": game_id, "ply": 1, "turn": "pass"})
    await press_pass()
    await expect(window).to_contain_text("Your opponent has just passed, so the game ends")
    await window.get_by_role("button", name="Pass").click()
    await expect(person.result).to_have_text("You won")
    score = position_of(bot.states[game_id]).scores[0][0]
    await expect(person.page.locator(".result-message")).to_have_text(
        f"You win: {score} against 0."
    )
    await expect(person.page.locator(".result-reason")).to_have_text(
        f"Both players passed. The best group decides: {score} to 0."
    )


async def test_a_person_sees_how_many_games_a_bots_turn_waits_for(
    open_page: OpenPage, add_bot: AddBot
) -> None:
    bot = await add_bot("Basalt", choose=lambda _state: None)
    person = await open_page()
    await person.choose()
    game_id = await person.challenge("Basalt")
    await person.play("0-0")
    for before, words in (
        (2, "thinks after 2 other games."),
        (1, "thinks after 1 other game."),
        (0, "is thinking."),
    ):
        queue = {"game_id": game_id, "ply": 1, "before": before}
        await bot.do("game.queue", queue)
        await expect(person.prompt).to_contain_text(words)
