"""The texts that a newcomer reads first, and the last sentence of a game."""

import re
from collections.abc import Sequence

from playwright.async_api import expect

import engine
from bot import wire
from tests.e2e.browser.conftest import AddBot, OpenPage
from tests.e2e.browser.opponent import Choose
from tests.e2e.browser.test_watching import begin

EQUAL_SEED = 240
"""Ends with five uninspired stones each, because a player cannot place their second stone."""


def play_line(turns: Sequence[str]) -> Choose:
    """Play the given turns."""
    return lambda state: wire.PlayTurn(
        v=wire.VERSION,
        game_id=state.game_id,
        ply=len(state.turns),
        turn=turns[len(state.turns)],
    )


async def test_the_note_about_bluestone_says_what_the_game_is_about(open_page: OpenPage) -> None:
    person = await open_page()
    note = person.page.locator(".games > p")
    await expect(note).to_contain_text("touches the most blue stones")
    await expect(note).not_to_contain_text("pent-")


async def test_boards_of_stars_are_named_by_their_number_of_cells(open_page: OpenPage) -> None:
    person = await open_page()
    await person.page.locator('.game-card:has(input[value="stargazers"])').click()
    cards = person.page.locator(".board-card")
    for index, board in enumerate(["stars-39", "stars-63", "stars-111"]):
        count = len(engine.game("stargazers", board=board).board.cells)
        await expect(cards.nth(index)).to_have_text(re.compile(rf"^Stars {count}\s*{count} cells$"))


async def test_equal_scores_in_stargazers_say_who_wins_and_why(
    open_page: OpenPage, add_bot: AddBot
) -> None:
    turns = engine.play_out(engine.game("stargazers", board="stars-39"), EQUAL_SEED).turns
    first = await add_bot("Basalt", play_line(turns))
    second = await add_bot("Marble", play_line(turns))
    game_id = await begin(first, second, game="stargazers", board="stars-39")
    await first.wait_until(game_id, lambda new: new.state == "finished")
    reader = await open_page(f"/game/{game_id}")
    await expect(reader.page.locator(".result-message")).to_have_text(
        "Basalt wins: 5 uninspired stones against 5, and the last to place wins."
    )
