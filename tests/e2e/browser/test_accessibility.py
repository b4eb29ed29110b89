"""axe-core finds no violation on any page or dialog."""

import re
from contextlib import AsyncExitStack

import pytest
from playwright.async_api import Page, expect

import engine
from tests.e2e.browser.accessibility import DARK, DESKTOP, PHONE, ZOOMED, View, check, violations
from tests.e2e.browser.conftest import AddBot, OpenPage
from tests.e2e.browser.local_arena import LocalArena
from tests.e2e.browser.places import PLACES
from tests.e2e.browser.scenery import build
from tests.e2e.browser.scripted_game import scripted_game
from tests.e2e.browser.scripts import wait
from tests.e2e.browser.test_tournaments import enter, make_by_text, sign_in
from tests.e2e.browser.test_watching import begin
from tests.matrix import nightly_after

GAMES = {"bluestone": "pent-4", "blooms": "hexhex-4", "stargazers": "stars-39"}


async def press(page: Page, label: str) -> None:
    await page.get_by_role("button", name=label, exact=True).click()


@pytest.mark.parametrize(
    "view", nightly_after(2, [DARK, PHONE, DESKTOP, ZOOMED]), ids=lambda view: view.name
)
async def test_axe_finds_nothing_on_any_page_and_nothing_is_too_wide(
    open_page: OpenPage,
    arena: LocalArena,
    kernels: None,  # noqa: ARG001
    view: View,
) -> None:
    script = scripted_game(engine.game("bluestone", board="pent-4"), nodes=50)
    found: list[str] = []
    async with AsyncExitStack() as stack:
        scenery = await build(arena, [script], len(script.turns) // 2, past=60, stack=stack)
        size = {"width": view.width, "height": view.height}
        visitor = await open_page(
            "/icon.svg", online=False, viewport=size, color_scheme=view.scheme
        )
        page = visitor.page
        for place in PLACES:
            await place.open(page, scenery)
            found += [f"{place.name}: {problem}" for problem in await violations(page)]
            width = await page.evaluate("document.documentElement.scrollWidth")
            if width > view.width:
                found.append(f"{place.name}: {width} px wide")
    assert not found, "\n".join(found)


async def test_axe_finds_nothing_in_the_lobby(open_page: OpenPage, add_bot: AddBot) -> None:
    first, second = await add_bot("Basalt"), await add_bot("Marble")
    finished = await begin(first, second)
    await first.wait_until(finished, lambda new: new.state == "finished")
    person, host = await open_page(), await open_page()
    page = person.page
    await press(host.page, "Create an open challenge")
    await expect(page.get_by_role("link", name="Replay")).to_be_visible()
    await expect(page.get_by_role("button", name="Accept")).to_be_visible()
    await page.locator("summary", has_text="Watch a bot game").click()
    await page.locator(".chip", has_text="Custom clock").click()
    await check(page)
    for game in ("blooms", "stargazers", "hexo"):
        await page.locator(f'.game-card:has(input[value="{game}"])').click()
        await check(page, ".start")


async def test_axe_finds_nothing_in_dialogs(open_page: OpenPage) -> None:
    person = await open_page()
    await person.choose()
    page = person.page
    for opener in ("#settings", "#name", "#help"):
        await page.locator(opener).click()
        await expect(page.get_by_role("dialog")).to_be_visible()
        await check(page, "dialog")
        await page.keyboard.press("Escape")
        await expect(page.get_by_role("dialog")).to_have_count(0)


async def test_axe_finds_nothing_in_a_running_game(open_page: OpenPage, add_bot: AddBot) -> None:
    bot = await add_bot("Basalt")
    person = await open_page()
    page = person.page
    await page.locator("#settings").click()
    await page.get_by_label("Confirm moves").check()
    await press(page, "Close")
    await person.choose(clock=r"5 min \+ 5 s")
    game_id = await person.challenge("Basalt")
    await person.press_cell("0-0")
    await press(page, "Send")
    await expect(person.turns).to_have_count(2)
    await person.press_cell("0-0")
    await expect(person.complaint).to_contain_text("0-0")
    await check(page)
    await page.locator(".cell.open").first.click(force=True)
    await expect(person.pending).to_have_count(1)
    await page.locator(".cell.open").first.click(force=True)
    await expect(page.get_by_role("button", name="Send")).to_be_visible()
    await bot.tell("game.action", {"game_id": game_id, "action": "offer_draw"})
    await expect(page.locator(".banner")).to_contain_text("offers a draw")
    await check(page)
    await press(page, "Resign")
    await check(page, "dialog")
    await page.get_by_role("dialog").get_by_role("button", name="Resign").click()
    await expect(person.result).to_have_text("You lost")
    await check(page)


@pytest.mark.parametrize("game", GAMES)
async def test_axe_finds_nothing_in_a_finished_game(
    open_page: OpenPage, add_bot: AddBot, game: str
) -> None:
    first, second = await add_bot("Basalt"), await add_bot("Marble")
    game_id = await begin(first, second, game=game, board=GAMES[game])
    await first.wait_until(game_id, lambda new: new.state == "finished")
    reader = await open_page(f"/game/{game_id}")
    await expect(reader.page.locator(".evaluation")).to_be_visible()
    await check(reader.page)
    await reader.page.keyboard.press("ArrowLeft")
    await expect(reader.page.locator(".replay-note")).not_to_be_empty()
    await check(reader.page)


async def test_axe_finds_nothing_in_an_offer_that_arrives_during_a_game(
    open_page: OpenPage, add_bot: AddBot
) -> None:
    first, second = await add_bot("Basalt", wait), await add_bot("Marble", wait)
    game_id = await begin(first, second)
    person = await open_page(f"/game/{game_id}")
    offer = {"setup": {"clock": {"kind": "none"}}, "seats": [first.name, await person.name()]}
    await first.do("challenge.create", offer)
    await expect(person.page.locator(".notice.offer")).to_be_visible()
    await check(person.page)


async def test_axe_finds_nothing_in_pages_without_content(
    open_page: OpenPage, arena: LocalArena
) -> None:
    person = await open_page("/game/there-is-none")
    await expect(person.page.get_by_role("link", name="To the lobby")).to_be_visible()
    await check(person.page)
    await person.visit("/")
    await expect(person.status).to_have_text("Connected")
    await arena.stop()
    await expect(person.page.locator("#lost")).to_be_visible()
    await check(person.page)


async def test_axe_finds_nothing_in_tournaments(
    open_page: OpenPage, add_bot: AddBot, arena: LocalArena
) -> None:
    bots = [await add_bot("Basalt", wait), await add_bot("Marble", wait), await add_bot("Slate")]
    host = await sign_in(open_page, arena)
    page = host.page
    await check(page)
    await page.goto("/tournaments/new")
    await expect(page.locator(".board-card").first).to_be_visible()
    await check(page)
    tournament_id = await make_by_text(host)
    await check(page)
    await enter(tournament_id, *bots)
    await press(page, "Start now")
    await expect(page.locator(".live-board .board").first).to_be_visible()
    await check(page)
    await press(page, "Withdraw a player")
    await check(page, "dialog")
    await page.keyboard.press("Escape")
    await press(page, "End the tournament")
    dialog = page.get_by_role("dialog")
    await dialog.get_by_label("Reason").fill("Enough.")
    await check(page, "dialog")
    await dialog.get_by_role("button", name="End the tournament").click()
    await expect(page.locator(".phase")).to_contain_text("Ends with its last game")
    await check(page)
    for bot in bots:
        for game_id, state in bot.states.items():
            if state.players[0].name == bot.name:
                await bot.tell("game.action", {"game_id": game_id, "action": "resign"})
    await expect(page.locator(".phase")).to_contain_text("Finished")
    await check(page)
    await page.get_by_role("link", name="Tournaments").first.click()
    await expect(page.get_by_role("link", name="Spring cup")).to_be_visible()
    await check(page)


async def test_the_tab_key_reaches_the_board_in_a_few_steps(
    open_page: OpenPage, add_bot: AddBot
) -> None:
    first, second = await add_bot("Basalt", wait), await add_bot("Marble", wait)
    game_id = await begin(first, second)
    for ply, turn in enumerate(["3-0", "3-2,3-6", "3-4,3-9"]):
        mover = (first, second)[ply % 2]
        await mover.tell("game.turn", {"game_id": game_id, "ply": ply, "turn": turn})
    reader = await open_page(f"/game/{game_id}")
    scores = reader.page.locator(".player.opponent .score")
    await expect(scores).to_have_count(3)
    for _ in [
        *("Skip to content", "Bluestone", "Games", "More", "Rules", "Settings", "the name"),
        *("the opponent", "the scores"),
    ]:
        await reader.page.keyboard.press("Tab")
        await expect(reader.page.locator(".cell:focus")).to_have_count(0)
    await reader.page.keyboard.press("Tab")
    await expect(reader.page.locator(".cell:focus")).to_have_count(1)

    await scores.first.focus()
    await expect(scores.first).to_have_accessible_name(re.compile(r"^\d+ blue stones?"))
    await reader.page.keyboard.press("ArrowRight")
    await expect(scores.nth(1)).to_be_focused()
    await expect(reader.page.locator(".groups circle").first).to_be_attached()
    await expect(reader.page.locator(".replay-note")).to_be_empty()
