"""The page knows the rules: it asks nothing about a stone, and shows a turn before it arrives."""

import re
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from playwright.async_api import WebSocketRoute, expect

import engine
from tests.ahead import PATIENCE_S
from tests.e2e.browser.conftest import AddBot, OpenPage
from tests.e2e.browser.looks import shows
from tests.e2e.browser.opponent import Opponent, at_least
from tests.e2e.browser.scripts import fixed_turn, position_of
from tests.e2e.browser.visitor import Visitor

pytestmark = [
    pytest.mark.xdist_group("engine as WebAssembly"),
    pytest.mark.timeout(PATIENCE_S),
    pytest.mark.usefixtures("bluestone_for_browsers"),
]


class Messages:
    """What a page says to the server; turns are held while `holding`."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self.holding = False
        self._held: list[Callable[[], None]] = []

    async def watch(self, person: Visitor) -> None:
        await person.page.route_web_socket("**/socket.io/**", self._watch)
        await person.reload()

    async def _watch(self, route: WebSocketRoute) -> None:
        server = route.connect_to_server()

        def to_server(message: Any) -> None:
            self.said.append(str(message))
            if self.holding and "game.turn" in str(message):
                self._held.append(partial(server.send, message))
            else:
                server.send(message)

        route.on_message(to_server)

    def release(self) -> None:
        self.holding = False
        for send in self._held:
            send()

    def count(self, event: str) -> int:
        return sum(f'"{event}"' in message for message in self.said)


async def begun(person: Visitor, bot: Opponent) -> engine.Position:
    """A game after the first turn of each; the page waits for the person's second one."""
    await person.choose()
    game_id = await person.challenge(bot.name)
    await person.play("0-0")
    await person.sees(2)
    return position_of(await bot.wait_until(game_id, at_least(2)))


async def test_a_turn_is_on_the_board_before_the_server_has_it(
    open_page: OpenPage, add_bot: AddBot
) -> None:
    bot = await add_bot("Basalt")
    person, messages = await open_page(), Messages()
    await messages.watch(person)
    before = await begun(person, bot)
    messages.holding = True
    turn = fixed_turn(before)
    first, second = turn.split(",")

    await expect(person.page.locator(".turn-bar")).to_have_attribute("data-phase", "choosing")
    await person.press_cell(first)
    await expect(person.pending).to_have_count(1)
    for seat, scores in enumerate(after_one_stone(before, first), start=1):
        await shows(partial(person.scores, seat), [score for score in scores if score])

    await person.press_cell(second)
    after = before.play(turn)
    await expect(person.prompt).to_have_text("Sending your turn.")
    await expect(person.stones).to_have_count(len(after.stones))
    await expect(person.pending).to_have_count(0)
    for seat, scores in enumerate(after.scores, start=1):
        await shows(partial(person.scores, seat), [score for score in scores if score])
    await expect(person.turns).to_have_count(2)
    assert messages.count("game.turn") == 2

    messages.release()
    await person.see_turn(2, turn)
    assert messages.count("game.legal") == 0


def after_one_stone(position: engine.Position, stone: str) -> tuple[Any, Any]:
    mechanics, state = position.game.mechanics, position.record()
    assert mechanics.try_step(state, position.game.step_names.index(stone))
    return mechanics.scores(state)


async def test_the_page_explains_by_itself_why_a_cell_is_closed(
    open_page: OpenPage, add_bot: AddBot
) -> None:
    bot = await add_bot("Basalt")
    person, messages = await open_page(), Messages()
    await messages.watch(person)
    position = await begun(person, bot)
    await person.press_cell("0-0")
    await expect(person.complaint).to_have_text("0-0 is not empty.")
    first = fixed_turn(position).split(",")[0]
    await person.press_cell(first)
    await expect(person.pending).to_have_count(1)
    refused = position.choices([first]).illegal
    near = next(cell for cell, why in refused.items() if why.rule == "same-group")
    await person.press_cell(near)
    await expect(person.complaint).to_have_text(f"{near} would join the group of your first stone.")
    await expect(person.cell(near)).to_have_class(re.compile("accused"))
    await person.page.get_by_role("button", name="Previous turn").click()
    await expect(person.stones).to_have_count(1)
    assert messages.count("game.legal") == messages.count("game.position") == 0


@pytest.mark.usefixtures("unknown_module")
async def test_the_server_answers_for_a_page_that_cannot_compile_the_module(
    open_page: OpenPage, add_bot: AddBot
) -> None:
    bot = await add_bot("Basalt")
    person, messages = await open_page(), Messages()
    await messages.watch(person)
    position = await begun(person, bot)
    await person.play(fixed_turn(position))
    assert messages.count("game.legal") > 0


async def test_positions_of_an_analysis_are_computed_in_the_page(open_page: OpenPage) -> None:
    person, messages = await open_page("/analysis"), Messages()
    await messages.watch(person)
    for cell in ("2-0", "0-0", "3-3", "5-4", "5-8"):
        await expect(person.cell(cell)).to_have_class(re.compile("open"))
        await person.press_cell(cell)
    await expect(person.stones).to_have_count(5)
    # A pass needs no connection either: the page knows what follows.
    passing = person.page.get_by_role("button", name="Pass", exact=True)
    await expect(passing).not_to_have_attribute("data-needs-connection", "")
    await passing.click()
    await expect(person.page.locator(".tree .turn")).to_have_count(4)
    assert messages.count("analysis.legal") == messages.count("analysis.position") == 0
