"""The bots' evaluation of a game: who sees it, when, and how it is drawn."""

from playwright.async_api import expect

from bot import wire
from tests.e2e.browser.conftest import AddBot, OpenPage
from tests.e2e.browser.scripts import wait
from tests.e2e.browser.test_watching import begin


async def test_nobody_sees_a_bots_evaluation_before_a_game_with_a_person_is_over(
    open_page: OpenPage, add_bot: AddBot
) -> None:
    await add_bot("Basalt")
    person = await open_page()
    await person.choose()
    game_id = await person.challenge("Basalt")
    await person.play("0-0")
    await expect(person.turns).to_have_count(2)
    evaluation = person.page.locator(".evaluation")
    await expect(evaluation).to_be_hidden()
    spectator = await open_page(f"/game/{game_id}")
    await expect(spectator.turns).to_have_count(2)
    await expect(spectator.page.locator(".evaluation")).to_be_hidden()
    await person.page.get_by_role("button", name="Resign").click()
    await person.page.get_by_role("dialog").get_by_role("button", name="Resign").click()
    for page in (person.page, spectator.page):
        await expect(page.locator(".evaluation-summary")).to_contain_text("Basalt's estimate")
    await person.page.locator("#settings").click()
    await person.page.get_by_role("checkbox", name="Evaluation").uncheck()
    await expect(evaluation).to_be_hidden()


async def test_an_evaluation_is_never_older_than_the_shown_position(
    open_page: OpenPage, add_bot: AddBot
) -> None:
    first, second = await add_bot("Basalt", wait), await add_bot("Marble", wait)
    game_id = await begin(first, second)
    info = wire.TurnInfo(value=0.75, visits=10, pv=["0-0", "3-0,3-7"], source="engine")
    said = {"game_id": game_id, "ply": 0, "turn": "0-0", "info": info.model_dump()}
    await first.do("game.turn", said)
    spectator = await open_page(f"/game/{game_id}")
    page = spectator.page
    summary = page.locator(".evaluation-summary")
    await expect(summary).to_contain_text("Basalt's estimate: Black 75 %")
    await expect(page.locator(".turn-chip")).to_have_count(1)
    silent = {"game_id": game_id, "ply": 1, "turn": "3-0,3-7"}
    await second.do("game.turn", silent)
    await expect(summary).to_have_text("Basalt's estimate a turn earlier: Black 75 %")
    await expect(page.locator(".turn-chip")).to_have_count(0)
    await expect(page.locator(".evaluation-black")).to_be_hidden()
    await page.keyboard.press("ArrowLeft")
    await expect(summary).to_contain_text("Basalt's estimate: Black 75 %")
    await page.keyboard.press("ArrowLeft")
    await expect(summary).to_have_text("No evaluation for this position.")
    await page.keyboard.press("End")
    await first.tell("game.action", {"game_id": game_id, "action": "resign"})
    await expect(summary).to_have_text("The game is over: Marble won by resignation.")


async def test_the_graph_has_an_axis_and_a_legend(open_page: OpenPage, add_bot: AddBot) -> None:
    first, second = await add_bot("Basalt"), await add_bot("Marble")
    game_id = await begin(first, second)
    await first.wait_until(game_id, lambda new: new.state == "finished")
    reader = await open_page(f"/game/{game_id}")
    graph = reader.page.locator(".evaluation-graph:not(.review-graph)")
    await expect(graph.locator(".evaluation-axis span")).to_have_text(["100 %", "50 %", "0 %"])
    legend = graph.locator(".evaluation-legend")
    await expect(legend).to_have_text("Black’s chance, as seen by BasaltMarble")
    await expect(legend.locator(".curve.second")).to_have_count(1)
    await expect(graph.locator("polyline.second")).to_have_count(1)
