"""The list of turns and the clocks while a person steps through a game."""

from playwright.async_api import Locator, expect

from bot import wire
from bot.time_controls import PlayerClock
from tests.e2e.browser.conftest import AddBot, OpenPage
from tests.e2e.browser.looks import until
from tests.e2e.browser.opponent import at_least
from tests.e2e.browser.scripts import play_fixed, position_of
from tests.e2e.browser.test_watching import begin

PLIES = 20
CLOCK = {"kind": "fischer", "initial_s": 300, "increment_s": 60}
"""Grows by nearly a minute a turn, so that the clock differs at every turn."""

ROWS_IN_SIGHT = """(list) => {
    const { top, bottom } = list.getBoundingClientRect();
    const boxes = [...list.children].map((row) => row.getBoundingClientRect());
    const limit = Math.min(bottom, innerHeight);
    return boxes.filter((box) => box.top >= top - 1 && box.bottom <= limit + 1).length;
}"""

IS_IN_SIGHT = """(turn) => {
    const box = turn.getBoundingClientRect();
    const { top, bottom } = turn.closest(".turns").getBoundingClientRect();
    return box.top >= top - 1 && box.bottom <= bottom + 1;
}"""


def play_twenty(state: wire.GameState) -> wire.PlayTurn | None:
    """The fixed turns with a long expected line, for as many turns as the test needs."""
    if len(state.turns) >= PLIES:
        return None
    turn = play_fixed(state)
    assert turn.info is not None
    cells = position_of(state).game.board.cells
    line = [turn.turn, *(f"{a},{b}" for a, b in zip(cells[::2], cells[1::2], strict=False))][:8]
    return turn.model_copy(update={"info": turn.info.model_copy(update={"pv": line})})


def shown(clock: PlayerClock) -> str:
    assert clock.main_ms is not None
    return f"{clock.main_ms // 60_000}:{clock.main_ms // 1000 % 60:02}"


async def expect_in_sight(turn: Locator) -> None:
    await expect(turn).to_have_attribute("aria-current", "true")
    await turn.page.wait_for_function(IS_IN_SIGHT, arg=await turn.element_handle())


async def test_an_evaluation_leaves_room_for_five_rows_of_turns(
    open_page: OpenPage, add_bot: AddBot
) -> None:
    first, second = await add_bot("Basalt", play_twenty), await add_bot("Marble", play_twenty)
    game_id = await begin(first, second, board="pent-6")
    await first.wait_until(game_id, at_least(PLIES))
    spectator = await open_page(f"/game/{game_id}", viewport={"width": 1280, "height": 800})
    await expect(spectator.turns).to_have_count(PLIES)
    await expect(spectator.page.locator(".turn-chip").first).to_be_visible()
    list_of_turns = spectator.page.locator(".turns")
    await until(lambda: list_of_turns.evaluate(ROWS_IN_SIGHT), lambda rows: rows >= 5)
    await expect_in_sight(spectator.turns.last)
    height = "document.documentElement.scrollHeight"
    await until(lambda: spectator.page.evaluate(height), lambda px: px <= 800)


async def test_the_list_of_a_finished_game_follows_the_turn_that_is_looked_at(
    open_page: OpenPage, add_bot: AddBot
) -> None:
    first, second = await add_bot("Basalt"), await add_bot("Marble")
    game_id = await begin(first, second)
    state = await first.wait_until(game_id, lambda new: new.state == "finished")
    reader = await open_page(f"/game/{game_id}", viewport={"width": 1280, "height": 620})
    await expect(reader.page.locator(".evaluation")).to_be_visible()
    await expect_in_sight(reader.turns.last)
    await reader.page.keyboard.press("Home")
    first_turn = await reader.turns.first.element_handle()
    await reader.page.wait_for_function(IS_IN_SIGHT, arg=first_turn)
    for index in range(len(state.turns)):
        await reader.page.keyboard.press("ArrowRight")
        await expect_in_sight(reader.turns.nth(index))


async def test_the_clocks_are_those_of_the_turn_that_is_looked_at(
    open_page: OpenPage, add_bot: AddBot
) -> None:
    first, second = await add_bot("Basalt"), await add_bot("Marble")
    game_id = await begin(first, second, clock=CLOCK)
    state = await first.wait_until(game_id, lambda new: new.state == "finished")
    reader = await open_page(f"/game/{game_id}")
    clocks = [reader.page.locator(f".player.seat-{seat} .clock") for seat in (1, 2)]
    for clock, at_the_end in zip(clocks, state.clocks.players, strict=True):
        await expect(clock).to_have_text(shown(at_the_end))
    await reader.page.keyboard.press("Home")
    for clock in clocks:
        await expect(clock).to_have_text("5:00")
    await reader.page.keyboard.press("ArrowRight")
    await expect(clocks[0]).to_have_text(shown(state.turns[0].clock))
    await expect(clocks[1]).to_have_text("5:00")
    for ply in range(2, 9):
        await reader.page.keyboard.press("ArrowRight")
        await expect(clocks[(ply - 1) % 2]).to_have_text(shown(state.turns[ply - 1].clock))
        await expect(clocks[ply % 2]).to_have_text(shown(state.turns[ply - 2].clock))
