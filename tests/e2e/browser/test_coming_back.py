"""What brings a person back: the tab's title, notifications, and the page without a connection."""

import json
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest_asyncio
from playwright.async_api import Browser, Page, expect

from bot.arena.server import running_arena
from tests.bot.arena.table import settings
from tests.e2e.browser.conftest import AddBot, OpenPage, pages_of
from tests.e2e.browser.local_arena import LocalArena
from tests.e2e.browser.looks import shows
from tests.e2e.browser.visitor import Visitor
from tests.fakes.arena_client import connected
from tests.fakes.push_service import PushService, push_service

SUBSCRIBES = """(given) => {
    let current = null;
    const made = {
        endpoint: given.endpoint,
        toJSON: () => ({endpoint: given.endpoint, keys: {p256dh: given.p256dh, auth: given.auth}}),
        unsubscribe: async () => { current = null; return true; },
    };
    PushManager.prototype.subscribe = async () => (current = made);
    PushManager.prototype.getSubscription = async () => current;
}"""
"""A browser whose push service is the test's own."""

NOTIFICATIONS = """async () => {
    const registration = await navigator.serviceWorker.ready;
    let shown = [];
    while (shown.length === 0) {
        // Without a pause, the questions keep the browser from showing anything.
        await new Promise((resolve) => setTimeout(resolve, 50));
        shown = await registration.getNotifications();
    }
    return shown.map(({title, body, tag}) => [title, body, tag]);
}"""


REMEMBERED = """() =>
    JSON.parse(localStorage.getItem('bluestone.last_state'))?.games[0]?.turns.length === 2"""
KEEP_MARK = "caches.open('page').then((cache) => cache.put('/assets/mark', new Response('mark')))"
HAS_MARK = "caches.match('/assets/mark').then((found) => found !== undefined)"
KEEP_OLDER = """caches.open('page').then((cache) => cache.put('/', new Response(
    '<html data-build="older" lang="en">', { headers: { 'Content-Type': 'text/html' } })))"""


@pytest_asyncio.fixture(loop_scope="session")
async def service() -> AsyncIterator[PushService]:
    async with push_service() as found:
        yield found


async def test_the_title_counts_the_games_that_wait(open_page: OpenPage, add_bot: AddBot) -> None:
    await add_bot("Basalt")
    person = await open_page()
    await person.choose()
    await person.challenge("Basalt")
    await expect(person.page).to_have_title(re.compile(r"^\(1\) . Your turn"))
    await person.visit("/")
    await expect(person.page).to_have_title("(1) Lobby – Bluestone")


async def test_a_person_switches_notifications_on_and_off(
    whole_browser: Browser, service: PushService, tmp_path: Path
) -> None:
    push = {"private_services": True, "delay_s": 0.1}
    async with (
        running_arena(settings(tmp_path / "push", push=push)) as url,
        pages_of(url, whole_browser) as open_one,
        connected(url, name="Anna") as anna,
    ):
        person = await open_one(permissions=["notifications"], locale="de-DE")
        await person.page.evaluate(SUBSCRIBES, service.subscription())
        await person.page.evaluate("navigator.serviceWorker.ready.then(() => true)")
        name = await person.name()
        box = await notifications(person.page)
        await box.check()
        await expect(box).to_be_enabled()
        await expect(box).to_be_checked()
        clock = {"kind": "none"}
        done = await anna.do(
            "challenge.create", setup={"board": "pent-3", "clock": clock}, seats=["Anna", name]
        )
        await person.page.get_by_role("dialog").get_by_role("button").last.click()
        await person.page.locator(".offer .primary").click()
        game_id = await person.arrive_at_game()
        assert done.challenge.challenge_id
        await person.page.goto("about:blank")
        await anna.game(game_id, lambda state: state.connected == (True, False))
        await anna.do("game.turn", game_id=game_id, ply=0, turn="0-0")
        told = await service.next()
        assert (told["opponent"], told["language"]) == ("Anna", "de")


async def notifications(page: Page) -> Any:
    await page.locator("#settings").click()
    return page.locator('input[name="notifications"]')


async def test_the_browser_shows_what_the_server_sends(
    arena: LocalArena, whole_browser: Browser
) -> None:
    async with pages_of(arena.address, whole_browser) as open_one:
        await check_shown(await open_one(permissions=["notifications"]))


async def check_shown(person: Visitor) -> None:
    await person.page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    session = await person.page.context.new_cdp_session(person.page)
    found: list[str] = []
    session.on(
        "ServiceWorker.workerRegistrationUpdated",
        lambda event: found.extend(each["registrationId"] for each in event["registrations"]),
    )
    await session.send("ServiceWorker.enable")
    notice = {"language": "en", "opponent": "Anna", "game_id": "abc", "turn": 12}
    origin = await person.page.evaluate("location.origin")
    await expect(person.status).to_have_text("Connected")
    data = {"origin": origin, "registrationId": found[0], "data": json.dumps(notice)}
    await session.send("ServiceWorker.deliverPushMessage", data)
    shown = await person.page.evaluate(NOTIFICATIONS)
    assert shown == [["Your turn against Anna", "Turn 12", "abc"]]


async def test_other_addresses_leave_what_the_browser_keeps_for_times_without_a_connection(
    open_page: OpenPage,
) -> None:
    person = await open_page()
    page = person.page
    await page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    await page.reload()  # a page that the worker controls
    await page.evaluate(KEEP_MARK)
    for address in ("/games", "/puzzles", "/player/Nobody"):
        await page.goto(address)
    other = await page.context.new_page()
    for address in ("/embed/game/x", "/api/position.svg"):
        await other.goto(address)
    await shows(lambda: page.evaluate(HAS_MARK), wanted=True)
    await page.context.set_offline(True)
    await page.goto("/")
    await expect(page.locator("#name")).to_have_count(1)
    await page.context.set_offline(False)
    await page.evaluate(KEEP_OLDER)
    await page.goto("/games")
    await shows(lambda: page.evaluate(HAS_MARK), wanted=False)


async def test_the_page_shows_the_last_state_without_a_connection(
    open_page: OpenPage, add_bot: AddBot
) -> None:
    await add_bot("Basalt")
    person = await open_page()
    await person.page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    await person.reload()  # a page that the worker controls
    await person.choose()
    game_id = await person.challenge("Basalt")
    await person.play("0-0")
    await expect(person.turns).to_have_count(2)
    await expect(person.page).to_have_title(re.compile(r"^\(1\) . Your turn"))
    await person.page.wait_for_function(REMEMBERED)
    await person.page.context.set_offline(True)
    await person.page.goto(f"/game/{game_id}")
    await expect(person.page.locator("#offline")).to_contain_text("You are offline.")
    await expect(person.stones).not_to_have_count(0)
    await person.page.goto("/")
    await expect(person.page.locator(".urgent .row-clock")).to_have_count(1)
    await person.page.context.set_offline(False)
    await expect(person.status).to_have_text("Connected")
    await expect(person.page.locator("#offline")).to_be_empty()
