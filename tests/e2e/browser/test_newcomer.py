"""A newcomer reads the rules during a first game; the test sets the arena's time."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest
import pytest_asyncio
from playwright.async_api import Browser, expect

from bot import wire
from bot.arena.players.accounts import issue_token
from bot.arena.server import running_arena
from bot.arena.settings import ArenaSettings
from tests.e2e.browser.conftest import pages_of
from tests.e2e.browser.looks import shows
from tests.e2e.browser.opponent import Opponent, at_least
from tests.e2e.browser.scripts import fixed_turn, play_fixed, position_of
from tests.e2e.browser.visitor import Visitor
from tests.fakes.time import FakeTime

HOUR_S = 3600
COUNT_CLICKS = """
sessionStorage.clicks ??= 0;
addEventListener("click", (event) => event.isTrusted && sessionStorage.clicks++, true);
"""
LOTS: dict[int, wire.Seat] = {2: 1, 1: 2}
"""The newcomer's seat by the seed of the arena's random numbers."""


@dataclass
class FrontPage:
    """The page of a newcomer, a connected bot, and the arena's time."""

    newcomer: Visitor
    bot: Opponent
    time: FakeTime
    seat: wire.Seat

    async def clicks(self) -> int:
        return int(await self.newcomer.page.evaluate("sessionStorage.clicks"))


@pytest_asyncio.fixture(loop_scope="session", params=LOTS, ids=lambda seed: f"seat {LOTS[seed]}")
async def front(
    request: pytest.FixtureRequest, browser: Browser, tmp_path: Path
) -> AsyncIterator[FrontPage]:
    time, settings = FakeTime(), ArenaSettings(port=0, data=tmp_path)
    token = await issue_token(tmp_path, "Basalt")
    async with (
        running_arena(settings, time, Random(request.param)) as address,
        Opponent("Basalt", token, play_fixed) as bot,
        pages_of(address, browser) as open_page,
    ):
        await bot.connect(address)
        await time.advance(1)  # so that the lobby knows of the bot
        newcomer = await open_page("/icon.svg", online=False)
        await newcomer.page.add_init_script(COUNT_CLICKS)
        await newcomer.visit("/")
        yield FrontPage(newcomer, bot, time, LOTS[request.param])


async def test_reading_the_rules_for_an_hour_costs_a_newcomer_no_time(
    front: FrontPage,
) -> None:
    newcomer, page = front.newcomer, front.newcomer.page
    await page.get_by_role("button", name="Play against Basalt").click()
    game_id = await newcomer.arrive_at_game()
    begun = await front.bot.wait_until(game_id, lambda new: new.to_play == front.seat)
    await page.get_by_role("button", name="Rules").click()
    await expect(page.get_by_role("dialog", name="How to play")).to_be_visible()
    await front.time.advance(HOUR_S)
    await page.keyboard.press("Escape")
    await expect(page.get_by_role("dialog")).to_have_count(0)
    clock = page.locator(f".player.seat-{front.seat} .clock")
    await expect(clock).to_have_text("5:00")

    turn = fixed_turn(position_of(begun))
    first, *more = turn.split(",")
    await newcomer.press_cell(first)
    await shows(lambda: front.clicks(), 3)
    for cell in more:
        await newcomer.press_cell(cell)
    await newcomer.see_turn(front.seat - 1, turn)
    state = await front.bot.wait_until(game_id, at_least(front.seat + 1))
    assert (state.state, state.turns[front.seat - 1].clock.main_ms) == ("playing", 300_000)
