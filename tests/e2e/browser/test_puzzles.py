"""Puzzles in the browser: from the front page to a solved puzzle, by mouse, keyboard and touch."""

import re
from typing import Any

import pytest
from playwright.async_api import expect

import engine
from bot.puzzles.library import find
from bot.puzzles.model import Puzzle
from tests.e2e.browser.accessibility import check
from tests.e2e.browser.conftest import OpenPage
from tests.e2e.browser.visitor import Visitor

PHONE: dict[str, Any] = {
    "viewport": {"width": 390, "height": 844},
    "has_touch": True,
    "is_mobile": True,
}


async def puzzle_shown(person: Visitor) -> Puzzle:
    """The puzzle on the page, with its solution."""
    link = person.page.locator('.puzzle-facts a[href^="/puzzle/"]')
    await expect(link).to_be_visible()
    puzzle = find((await link.get_attribute("href") or "").rsplit("/", 1)[-1])
    assert puzzle is not None
    return puzzle


async def test_the_puzzle_of_the_day_is_one_press_away(open_page: OpenPage) -> None:
    person = await open_page()
    await person.page.get_by_role("link", name="Puzzle of the day").click()
    puzzle = await puzzle_shown(person)
    await expect(person.page.locator(".puzzle-task")).to_contain_text("Find the best turn for")
    await person.page.get_by_role("button", name="Give up and show the solution").click()
    verdict = person.page.locator(".puzzle-verdict")
    await expect(verdict).to_contain_text("The best turn is")
    await expect(person.page.locator(".puzzle-standing .loss")).to_be_visible()
    await person.page.get_by_role("link", name="Analyse").click()
    # The analysis begins at the puzzle's position, and not at the start of the game.
    shown = person.page.locator(".tree .turn[aria-current]")
    await expect(shown).to_have_attribute("data-path", str(len(puzzle.turns)))
    await expect(person.stones).to_have_count(len(puzzle.position.stones))


async def test_a_puzzle_names_its_game_and_links_its_rules(open_page: OpenPage) -> None:
    person = await open_page("/puzzles/daily")
    puzzle = await puzzle_shown(person)
    heading = person.page.get_by_role("heading", level=1)
    title = engine.game_info(puzzle.game).title
    await expect(heading).to_have_text(f"{title}: puzzle of the day")
    named = person.page.locator(".board.named, .board:has(text.label)")  # the task names cells
    await expect(named).to_have_count(1)
    rules = person.page.locator(".puzzle-panel").get_by_role("link", name="Rules")
    await expect(rules).to_have_attribute("href", f"/rules/{puzzle.game}")


async def test_a_puzzle_of_blooms_shows_the_captures_and_how_many_win(open_page: OpenPage) -> None:
    person = await open_page("/puzzles/blooms")
    captures = person.page.locator(".puzzle-captures dd")
    await expect(captures).to_have_text([re.compile(r"^\d+ of \d+ captured$")] * 2)


@pytest.mark.parametrize("game", ["stargazers", "hexo"])
async def test_a_puzzle_is_solved_on_the_board(open_page: OpenPage, game: str) -> None:
    person = await open_page(f"/puzzles/{game}")
    puzzle = await puzzle_shown(person)
    for cell in puzzle.solution.split(","):
        await person.press_cell(cell)
    await expect(person.page.locator(".puzzle-verdict")).to_contain_text("Right!")
    await expect(person.page.locator(".puzzle-standing .gain")).to_be_visible()
    await expect(person.page.locator(".streak")).to_have_text("1 day in a row")
    await person.page.get_by_role("button", name="Next puzzle").click()
    await expect(person.page.locator(".puzzle-verdict")).to_be_empty()
    await expect(person.page.locator(".puzzle-facts")).to_contain_text("1 of 1 solved")


async def test_a_wrong_turn_can_be_tried_again_on_a_phone(open_page: OpenPage) -> None:
    person = await open_page("/puzzles/stargazers", **PHONE)
    puzzle = await puzzle_shown(person)
    verdict = person.page.locator(".puzzle-verdict")
    send = person.page.get_by_role("button", name="Send")
    for cell in puzzle.second_turn.split(","):
        await person.cell(cell).tap()
    # A finger may slip, and the first answer counts.
    await person.page.get_by_role("button", name="Take back").tap()
    await person.cell(puzzle.second_turn.split(",")[-1]).tap()
    await expect(verdict).to_be_empty()
    await send.tap()
    await expect(verdict).to_have_text("That is not the best turn. Try again.")
    for cell in puzzle.solution.split(","):
        await person.cell(cell).tap()
    await send.tap()
    await expect(verdict).to_contain_text("Right!")
    await expect(person.page.locator(".puzzle-facts")).to_contain_text("0 of 1 solved")


async def test_the_pages_of_puzzles_have_no_barriers(open_page: OpenPage) -> None:
    person = await open_page("/puzzles")
    await expect(person.page.locator(".puzzle-card")).to_have_count(len(engine.games()))
    await check(person.page)
    await person.page.locator(".puzzle-card").first.click()
    await puzzle_shown(person)
    await check(person.page)
