"""Two people at one screen: their games, clocks and tabs."""

import asyncio
import re

import pytest
from playwright.async_api import Locator, Page, expect

from bot.records.model import GameRecord
from bot.records.writing import verify
from tests.ahead import PATIENCE_S
from tests.e2e.browser.accessibility import check
from tests.e2e.browser.conftest import OpenPage
from tests.e2e.browser.visitor import Visitor

pytestmark = [
    pytest.mark.xdist_group("engine as WebAssembly"),
    pytest.mark.timeout(PATIENCE_S),
    pytest.mark.usefixtures("bluestone_for_browsers"),
]

FIVE_MINUTES = "5 min + 5 s"


async def start(person: Visitor, *names: str, clock: str = "Unlimited time") -> str:
    """Start a game of two people on the smallest board of the page."""
    await person.choose()
    await person.page.get_by_role("button", name="Two people, this device").click()
    window = person.page.get_by_role("dialog")
    for seat, name in enumerate(names):
        await window.get_by_role("textbox").nth(seat).fill(name)
    await window.locator(".chip", has_text=re.compile(rf"^{re.escape(clock)}$")).click()
    await window.get_by_role("button", name="Start").click()
    return await person.arrive_at_game()


def of_seat(page: Page, seat: int) -> Locator:
    return page.locator(f".player.seat-{seat}")


async def agree(person: Visitor, button: str) -> None:
    await person.page.get_by_role("button", name=button, exact=True).click()
    await person.page.get_by_role("dialog").get_by_role("button", name=button).click()


async def test_two_people_play_to_the_end_with_a_reload(open_page: OpenPage) -> None:
    person = await open_page()
    page, asked = person.page, list[str]()
    page.on("request", lambda request: asked.append(request.url))
    game_id = await start(person, "Anna")
    await expect(person.prompt).to_have_text("Anna (Black) · Your turn: place the first stone.")
    await expect(page).to_have_title(re.compile("Anna’s turn"))
    await check(page)
    await person.play("0-0")
    await expect(page.locator(".heard")).to_have_text("Anna (Black) played 0-0.")
    await expect(person.prompt).to_contain_text("White · Your turn")
    for name in ("Hint", "Resign", "Chat"):
        await expect(page.get_by_role("button", name=name, exact=True)).to_have_count(0)
    await person.play("2-0,2-2")
    await page.reload()
    await person.sees(2)
    await person.play_somewhere()
    await page.get_by_role("button", name="Takeback").click()
    await expect(person.turns).to_have_count(2)
    await page.keyboard.press("Home")
    await expect(person.stones).to_have_count(0)
    await page.keyboard.press("End")
    await person.play_to_the_end()
    await expect(person.result).to_have_text(re.compile("^(Anna|White) won$|^Draw"))
    await expect(page.get_by_role("button", name="Add to my games")).to_have_count(0)
    await check(page)
    # The rules need neither a search in a worker nor the weights of a network.
    assert page.workers == []
    assert [url for url in asked if "weights" in url or "worker" in url] == []
    await page.get_by_role("button", name="Share").click()
    async with page.expect_download() as download:
        await page.get_by_role("link", name="JSON").click()
    path = await (await download.value).path()
    record = GameRecord.model_validate_json(await asyncio.to_thread(path.read_bytes))
    assert (record.id, verify(record)) == (game_id, [])
    assert [player.name for player in record.players] == ["Anna", "White"]
    await page.keyboard.press("Escape")
    await page.get_by_role("link", name="Analyse").click()
    await expect(page.locator(".tree .turn")).to_have_count(len(record.turns))


async def test_a_rematch_exchanges_the_sides_and_the_list_has_both_games(
    open_page: OpenPage,
) -> None:
    person = await open_page()
    page = person.page
    first = await start(person, "Anna", "Ben")
    await agree(person, "Abort")
    await expect(person.result).to_have_text("Aborted, no result")
    await page.get_by_role("button", name="Rematch").click()
    await page.wait_for_url(lambda url: "local-" in url and first not in url)
    await expect(of_seat(page, 1)).to_contain_text("Ben")
    await expect(of_seat(page, 2)).to_contain_text("Anna")
    await person.play("0-0")
    await person.play("2-0,2-2")
    await page.get_by_role("button", name="Resign", exact=True).click()
    window = page.get_by_role("dialog")
    await expect(window).to_contain_text("Ben · Resign this game?")
    await window.get_by_role("button", name="Cancel").click()
    await agree(person, "Agree on a draw")
    await expect(person.result).to_have_text("Draw by agreement")
    await person.visit("/")
    games = page.get_by_label("On this device", exact=True)
    await expect(games.get_by_role("link")).to_have_count(2)
    await expect(games.get_by_role("button")).to_have_count(0)  # the server gets none of them
    await page.get_by_role("button", name="Two people, this device").click()
    await expect(page.get_by_role("dialog").get_by_role("textbox").first).to_have_value("Anna")
    await check(page)


async def test_two_tabs_show_and_continue_one_game(open_page: OpenPage) -> None:
    person = await open_page()
    game_id = await start(person)
    other = Visitor(await person.page.context.new_page())
    await other.visit(f"/game/{game_id}")
    await expect(other.prompt).to_contain_text("Black · Your turn")
    await other.play("0-0")
    await expect(person.turns).to_have_count(1)
    await person.play("2-0,2-2")
    await expect(other.turns).to_have_count(2)
    await expect(other.page.locator(".heard")).to_have_text("White played 2-0 and 2-2.")
    await agree(other, "Resign")
    for tab in (person, other):
        await expect(tab.result).to_have_text("White won by resignation")


async def test_a_clock_runs_for_the_player_to_move_and_stops_with_the_page(
    open_page: OpenPage,
) -> None:
    person = await open_page()
    page = person.page
    await page.clock.install()
    await start(person, "Anna", "Ben", clock=FIVE_MINUTES)
    clocks = [of_seat(page, seat).get_by_role("timer") for seat in (1, 2)]
    await page.clock.fast_forward("10:00")
    await expect(clocks[0]).to_have_text("5:00")  # the first turns are free
    await person.play("0-0")
    await person.play("2-0,2-2")
    await expect(clocks[0]).to_have_class(re.compile("running"))
    await page.clock.fast_forward("01:00")
    await expect(clocks[0]).to_have_text(re.compile("^(4:00|3:..)$"))  # real time passes too
    await page.reload()
    await expect(clocks[0]).to_have_class(re.compile("running"))
    await page.clock.fast_forward("02:00")
    await expect(clocks[0]).to_have_text(re.compile("^[12]:..$"))
    await expect(clocks[1]).to_have_text("5:00")
    await page.goto("/")
    await page.clock.fast_forward("10:00")
    await page.go_back()
    await expect(clocks[0]).to_have_text(re.compile("^[12]:..$"))
    await page.clock.fast_forward("02:00")
    await expect(person.result).to_have_text("Ben won on time")
    await expect(page.get_by_text("Anna ran out of time.")).to_be_visible()
    await expect(clocks[0]).to_have_text("0.0")
