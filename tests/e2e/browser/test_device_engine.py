"""The engine in the page: analysis on this device, the analysis of a game, and the fallback."""

import pytest
from playwright.async_api import Page, expect

from tests.ahead import PATIENCE_S
from tests.e2e.browser.accessibility import check
from tests.e2e.browser.conftest import AddBot, OpenPage
from tests.e2e.browser.local_arena import LocalArena
from tests.e2e.browser.test_analysis import finished_game

BOARD = "/analysis#game=bluestone&board=pent-4"
SMALL = "/analysis#game=bluestone&board=pent-3"
"""A board for which no layout is built."""
pytestmark = [
    pytest.mark.xdist_group("engine as WebAssembly"),
    pytest.mark.timeout(PATIENCE_S),
    pytest.mark.usefixtures("bluestone_for_browsers"),
]


async def playouts(page: Page) -> int:
    words = await page.locator(".engine-status").inner_text()
    return int("".join(filter(str.isdigit, words)) or 0)


async def wait_for_more(page: Page, least: int) -> None:
    await page.wait_for_function(
        "least => Number(document.querySelector('.engine-status').textContent"
        ".replace(/\\D/g, '')) > least",
        arg=least,
    )


async def test_a_position_is_analysed_on_this_device(open_page: OpenPage) -> None:
    reader = await open_page(BOARD)
    page = reader.page
    await expect(page.locator(".engine-lines li")).to_have_count(5)
    await expect(page.locator(".engine-status")).to_contain_text("on this device searches")
    await expect(page.locator(".engine-summary")).to_contain_text("%")
    await check(page)
    # The values are under the pointer.
    best = await page.locator(".engine-lines li").first.locator("button").first.inner_text()
    await reader.cell(best.split()[0]).hover()
    await expect(page.locator(".pointed")).to_contain_text("%")
    # It searches until it is told otherwise, and the next position at once.
    await wait_for_more(page, await playouts(page))
    await page.locator(".engine-lines li").first.locator("button").first.click()
    await expect(page.locator(".tree .turn")).to_have_count(1)
    await expect(page.locator(".engine-lines li")).to_have_count(5)
    places = page.get_by_label("Search time")
    await places.select_option("device quick")
    await expect(page.locator(".engine-status")).to_contain_text("on this device,")
    # A closed list shows where the engine searches, and for how long.
    await expect(places.locator("option:checked")).to_have_text("Device: 4 s")


async def test_reports_change_the_lines_and_do_not_replace_them(open_page: OpenPage) -> None:
    page = (await open_page(BOARD)).page
    lines = page.locator(".engine-lines li")
    await expect(lines).to_have_count(5)
    await lines.evaluate_all("(lines) => lines.forEach((line) => line.dataset.seen = 'yes')")
    await wait_for_more(page, await playouts(page))
    await expect(page.locator(".engine-lines li[data-seen]")).to_have_count(5)


async def test_the_choice_of_the_server_is_kept(open_page: OpenPage) -> None:
    reader = await open_page(BOARD)
    status = reader.page.locator(".engine-status")
    await expect(status).to_contain_text("on this device")
    await reader.page.get_by_label("Search time").select_option("server quick")
    await expect(status).to_contain_text("No analysis engine")
    await reader.visit(BOARD)
    await expect(status).to_contain_text("No analysis engine")
    await reader.page.get_by_label("Search time").select_option("device deep")
    await expect(status).to_contain_text("on this device")


async def test_a_board_without_an_engine_here_is_left_to_the_server(open_page: OpenPage) -> None:
    reader = await open_page(SMALL)
    await expect(reader.page.locator(".engine-status")).to_contain_text("so the server searches")


@pytest.mark.usefixtures("unknown_module")
async def test_a_device_that_cannot_run_the_engine_says_so(open_page: OpenPage) -> None:
    reader = await open_page(BOARD)
    status = reader.page.locator(".engine-status")
    await expect(status).to_contain_text("so the server searches")
    await expect(status).to_contain_text("No analysis engine")


async def test_who_plays_on_a_board_gets_no_help_with_it(
    open_page: OpenPage, add_bot: AddBot
) -> None:
    await add_bot("Basalt")
    reader = await open_page("/")
    await reader.choose(board="pent-4")
    await reader.challenge("Basalt")
    await reader.visit(BOARD)
    status = reader.page.locator(".engine-status")
    await expect(status).to_have_text("You cannot use this during such a game.")
    await expect(reader.page.locator(".engine-lines li")).to_have_count(0)


async def test_a_finished_game_is_analysed_on_this_device(
    open_page: OpenPage, arena: LocalArena
) -> None:
    game_id = await finished_game(arena, board="pent-4")
    reader = await open_page(f"/analysis/{game_id}")
    page = reader.page
    await page.get_by_role("button", name="Analyse the game").click()
    await expect(page.locator(".review-counts")).to_contain_text("0 blunders")
    await expect(page.locator(".review-panel progress")).to_be_hidden()
    await expect(page.locator(".tree .turn")).to_have_count(3)
    await expect(page.locator(".review-graph")).to_be_visible()
