"""Games on this device: without a connection, in several tabs, and with what the browser keeps."""

import asyncio
import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, expect

from bot.arena.web import page_bundle, pages
from bot.records.model import GameRecord
from bot.records.writing import verify
from tests.ahead import PATIENCE_S, built
from tests.e2e.browser.accessibility import check
from tests.e2e.browser.conftest import OpenPage, pages_of
from tests.e2e.browser.local_arena import LocalArena
from tests.e2e.browser.looks import until
from tests.e2e.browser.visitor import Visitor

pytestmark = [pytest.mark.xdist_group("engine as WebAssembly"), pytest.mark.timeout(PATIENCE_S)]

KEPT = """async () => {
    const { build } = document.documentElement.dataset;
    const found = await Promise.all([
        "/", `/engine/bluestone.wasm?v=${build}`, `/engine/bluestone-pent-4.json?v=${build}`,
        `/messages/en/records.json?v=${build}`, `/api/boards/bluestone?v=${build}`, "/api/games",
    ].map((address) => caches.match(address)));
    return found.every((each) => each);
}"""
ADD = "document.querySelector('button[data-key=add]')?.click()"
PUT = """(games) => new Promise((resolve, reject) => {
    const opening = indexedDB.open("bluestone.games", 1);
    opening.onsuccess = () => {
        const writing = opening.result.transaction("games", "readwrite");
        games.forEach((game) => writing.objectStore("games").put(game));
        writing.oncomplete = () => { opening.result.close(); resolve(null); };
        writing.onabort = () => reject(writing.error);
    };
})"""
IDS = """() => new Promise((resolve) => {
    const opening = indexedDB.open("bluestone.games", 1);
    opening.onsuccess = () => {
        const asked = opening.result.transaction("games").objectStore("games").getAllKeys();
        asked.onsuccess = () => { opening.result.close(); resolve(asked.result); };
    };
})"""
FULL = """(times) => {
    const { put } = IDBObjectStore.prototype;
    IDBObjectStore.prototype.put = function (...given) {
        if (times-- > 0) {
            throw new DOMException("no room", "QuotaExceededError");
        }
        return put.apply(this, given);
    };
}"""
MOST = 200


def finished(number: int) -> dict[str, object]:
    """A stored game that was aborted, a second later than that of the number before."""
    at = f"2026-01-02T03:{number // 60:02}:{number % 60:02}.000Z"
    setup = {"game": "bluestone", "board": "pent-4", "rules": "official", "options": {}}
    game = {"version": 1, "id": f"local-{number}", "revision": 2, "setup": setup, "seat": 1}
    result = {"winner": None, "reason": "aborted"}
    played = {"level": 1, "turns": [], "takebacks": 0, "hints": 0, "result": result}
    return game | played | {"created_at": at, "changed_at": at}


@pytest_asyncio.fixture(loop_scope="session")
async def open_here(
    chromium: str,  # noqa: ARG001
    browser: Browser,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> AsyncIterator[OpenPage]:
    """`open_page` on an arena whose page has the engine of Bluestone."""
    files = {file.name: file for file in sorted(built("bluestone").glob("bluestone*"))}
    for module in (page_bundle, pages):
        monkeypatch.setattr(module, "engine_files", lambda _folder: files)
    page_bundle.page_bundle.cache_clear()
    async with (
        LocalArena(tmp_path) as arena,
        pages_of(arena.address, browser) as open_one,
    ):
        yield open_one
    page_bundle.page_bundle.cache_clear()


async def start(person: Visitor, level: int = 1, *, begins: str = "Me") -> str:
    """Start a game on this device against a level."""
    await person.choose(begins=begins)
    await person.page.get_by_label("On this device, without the server").check()
    return await press_level(person, level)


async def press_level(person: Visitor, level: int) -> str:
    await person.page.get_by_role("button", name=f"Play level {level}", exact=False).first.click()
    return await person.arrive_at_game()


async def test_without_a_connection_a_game_is_played_kept_and_analysed(
    open_here: OpenPage,
) -> None:
    person = await open_here()
    page = person.page
    await until(lambda: page.evaluate(KEPT), bool)
    await page.context.set_offline(True)
    await page.goto("/")
    await expect(page.get_by_text("These levels play on this device")).to_be_visible()
    await check(page)
    # Only the usual boards have an engine here.
    await expect(page.get_by_label("Other sizes").first).to_be_disabled()
    await expect(page.get_by_text("This device plays on the sizes above only.")).to_be_visible()
    await page.locator('.board-card:has(input[value="pent-4"])').click()
    await page.locator(".chip", has_text=re.compile("^Me$")).click()
    game_id = await press_level(person, 1)
    await person.play_to_the_end()
    await page.reload()
    await expect(person.result).to_be_visible()
    await page.get_by_role("button", name="Share").click()
    async with page.expect_download() as download:
        await page.get_by_role("link", name="JSON").click()
    path = await (await download.value).path()
    record = GameRecord.model_validate_json(await asyncio.to_thread(path.read_bytes))
    assert record.id == game_id
    assert verify(record) == []
    await expect(person.turns).to_have_count(len(record.turns))
    await page.keyboard.press("Escape")
    await page.get_by_role("link", name="Analyse").click()
    await expect(page.locator(".tree .turn")).to_have_count(len(record.turns))
    await page.goto("/")
    games = page.get_by_label("On this device", exact=True)
    await games.get_by_role("link").click()
    await person.arrive_at_game()
    await page.keyboard.press("Home")
    await expect(person.stones).to_have_count(0)


async def test_a_reload_and_a_second_tab_show_the_same_game(open_here: OpenPage) -> None:
    person = await open_here()
    game_id = await start(person, 3)
    await person.play("0-0")
    await expect(person.turns).to_have_count(2)
    other = Visitor(await person.page.context.new_page())
    await other.visit(f"/game/{game_id}")
    await expect(other.turns).to_have_count(2)
    await person.page.get_by_role("button", name="Takeback").click()
    await expect(person.turns).to_have_count(0)
    await expect(other.turns).to_have_count(0)
    await other.play("0-0")
    await expect(person.turns).to_have_count(2)
    await person.page.get_by_role("button", name="Hint").click()
    await expect(person.page.get_by_text("1 hint")).to_be_visible()
    await person.page.get_by_role("button", name="Resign").click()
    await person.page.get_by_role("dialog").get_by_role("button", name="Resign").click()
    await expect(person.result).to_have_text("You lost")
    await expect(other.result).to_have_text("You lost")
    await person.page.get_by_role("button", name="Rematch").click()
    await person.page.wait_for_url(lambda url: "local-" in url and game_id not in url)


async def test_a_game_is_added_to_the_games_of_the_person_once(open_here: OpenPage) -> None:
    person = await open_here()
    page = person.page
    local_id = await start(person)
    other = Visitor(await page.context.new_page())
    await other.visit(f"/game/{local_id}")
    await person.play_to_the_end()
    for tab in (person, other):
        await expect(tab.page.get_by_role("button", name="Add to my games")).to_be_visible()
    await check(page)
    # Either tab may be first, and then the button of the other one is gone.
    await asyncio.gather(*(tab.page.evaluate(ADD) for tab in (person, other)))
    for tab in (person, other):
        await expect(tab.page.get_by_role("button", name="Add to my games")).to_have_count(0)
    await other.page.get_by_role("link", name="See it in my games").click()
    await expect(other.page).to_have_url(re.compile("/game/(?!local-)"))
    await expect(other.turns).to_have_count(await person.turns.count())
    await expect(other.page.get_by_text("Level 1 on device").first).to_be_visible()
    await expect(other.page.get_by_text("on the player’s device")).to_be_visible()
    await person.visit("/")
    here = page.get_by_label("On this device", exact=True)
    await here.get_by_role("link", name="My games").click()
    await expect(page.locator(".record")).to_have_count(1)
    await page.locator(".record-link").click()
    await page.get_by_role("button", name="Rematch").click()
    await page.wait_for_url(lambda url: "local-" in url and local_id not in url)


async def test_all_finished_games_are_added_from_the_list(open_here: OpenPage) -> None:
    person = await open_here()
    page = person.page
    await start(person)
    ended = {"winner": 2, "reason": "resignation"}
    turns = [{"turn": "0-0", "time_ms": 9, "info": None}]
    games = [finished(1), *(finished(n) | {"turns": turns, "result": ended} for n in (2, 3))]
    await page.evaluate(PUT, games)
    await person.visit("/")
    await page.locator(".finished").get_by_text("Mine").click()
    await expect(page.locator(".finished .row")).to_have_count(0)
    panel = page.get_by_label("On this device", exact=True)
    await panel.get_by_role("button", name="Add 2 games to my games").focus()
    await page.keyboard.press("Enter")
    await expect(page.locator(".finished .row")).to_have_count(2)
    await expect(panel.get_by_role("button")).to_have_count(0)
    await expect(panel.get_by_role("link", name="My games")).to_be_focused()


async def test_damaged_and_old_games_are_dropped_for_want_of_room(open_here: OpenPage) -> None:
    person = await open_here()
    first = await start(person)
    damaged = {"id": "local-damaged", "version": 1}
    games = [finished(number) for number in range(MOST)]
    await person.page.evaluate(PUT, [damaged, *games])
    await person.visit("/game/local-damaged")
    await expect(person.page.locator("#page")).to_contain_text("could not be read")
    await person.visit("/")
    await expect(person.page.get_by_label("On this device", exact=True)).to_contain_text(
        f"{MOST - 4} earlier games"
    )
    await press_level(person, 1)
    kept = await person.page.evaluate(IDS)
    assert len(kept) == MOST
    assert {first, f"local-{MOST - 1}"} < {*kept}
    assert {"local-damaged", "local-0", "local-1"} & {*kept} == set()


async def test_a_full_disk_costs_old_games_and_then_refuses_turns(open_here: OpenPage) -> None:
    person = await open_here()
    page = person.page
    running = await start(person)
    await page.evaluate(PUT, [finished(number) for number in range(30)])
    await page.evaluate(FULL, 1)
    await person.play("0-0")
    await person.sees(2)
    kept = await page.evaluate(IDS)
    assert {*kept} == {running, *(f"local-{number}" for number in range(20, 30))}
    await page.evaluate(FULL, 2)
    await page.locator(".cell.open").first.click()
    await expect(person.pending).to_have_count(1)
    await page.locator(".cell.open").first.click()
    await expect(person.complaint).to_contain_text("could not store the game: no room")
    await expect(person.turns).to_have_count(2)


async def test_a_game_of_another_device_says_so(open_here: OpenPage) -> None:
    person = await open_here("/game/local-none")
    await expect(person.page.locator("h1")).to_have_text("This game is not on this device.")


async def test_without_the_engine_nothing_is_offered(
    open_page: OpenPage,
) -> None:
    person = await open_page()
    if await person.page.locator("html[data-engine]").count():
        await person.page.evaluate("delete document.documentElement.dataset.engine")
        await person.choose(board="pent-6")
    await expect(person.page.get_by_role("button", name="Invite a friend")).to_be_visible()
    await expect(person.page.get_by_label("On this device, without the server")).to_have_count(0)
