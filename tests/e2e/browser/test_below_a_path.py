"""The page of an arena below a path of its site, through a proxy that knows only this path."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import pytest_asyncio
from playwright.async_api import Browser, BrowserContext, Response, WebSocket, expect

from bot.arena.server import running_arena
from tests.bot.arena.table import settings
from tests.e2e.browser.chromium import PATIENCE_MS
from tests.e2e.browser.looks import shows
from tests.e2e.browser.test_together import invite, press
from tests.e2e.browser.test_two_people import meet, play, together
from tests.e2e.browser.visitor import Visitor
from tests.fakes.proxy import Below, proxy
from tests.matrix import nightly_after

BASE = "/games/blue-stone"
PAGES = (
    *("", "account", "analysis", "games", "leaderboards", "leaderboards/bluestone", "learn"),
    *("learn/bluestone", "openings/bluestone", "puzzles", "puzzles/daily", "rules/hexo"),
    *("tournaments", "tournaments/new", "embed/position?game=bluestone&board=pent-4"),
)
ADDRESSES = """() => [...document.querySelectorAll('[href], [src], [action]')]
    .flatMap((each) => ['href', 'src', 'action'].map((name) => each.getAttribute(name)))
    .filter((address) => address?.startsWith('/'))"""
WORKER = "async () => (await navigator.serviceWorker.ready).scope"
CACHED = """async () => {
    const names = await caches.keys();
    const keys = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()));
    return [names, keys.flat().map(({ url }) => new URL(url).pathname)];
}"""

NOTIFIED = """async () => {
    const registration = await navigator.serviceWorker.ready;
    let shown = [];
    for (let times = 0; times < 5 && shown.length === 0; times += 1) {
        await new Promise((resolve) => setTimeout(resolve, 1000));
        shown = await registration.getNotifications();
    }
    return shown.map(({icon, badge, data}) => [icon, badge, data.path]);
}"""
"""Asks rarely, and must be asked again after another push: Chromium forgets a notification for good
if it is asked for all of them between storing and showing it (a fifth of them, without a pause).
"""


@dataclass
class Site:
    """The proxy, and all that went wrong in browsers."""

    address: str
    below: Below
    browser: Browser
    problems: list[str] = field(default_factory=list)
    contexts: list[BrowserContext] = field(default_factory=list)

    async def open(self, path: str = "", **options: object) -> Visitor:
        """Open the page at a path of the arena as a new guest."""
        context = await self.browser.new_context(
            base_url=f"{self.address}{BASE}/",
            reduced_motion="reduce",
            **options,  # type: ignore[arg-type]
        )
        self.contexts.append(context)
        context.set_default_timeout(PATIENCE_MS)
        context.on("response", self._answered)
        context.on("weberror", lambda error: self.problems.append(str(error.error)))
        context.on("console", lambda line: self._said(line.type, line.text))
        page = await context.new_page()
        page.on("websocket", self._connected)
        person = Visitor(page)
        await person.visit(path or "./")
        return person

    def _said(self, kind: str, text: str) -> None:
        if kind == "error":
            self.problems.append(text)

    def _answered(self, response: Response) -> None:
        if response.status >= 400 or not urlsplit(response.url).path.startswith(f"{BASE}/"):
            self.problems.append(f"{response.status} {response.url}")

    def _connected(self, socket: WebSocket) -> None:
        if urlsplit(socket.url).path != f"{BASE}/socket.io/":
            self.problems.append(socket.url)


@asynccontextmanager
async def site_of(browser: Browser, folder: Path, below: Below) -> AsyncIterator[Site]:
    chosen = settings(folder, base_path=BASE, trusted_proxies=["127.0.0.1"])
    async with running_arena(chosen) as upstream, proxy(upstream, below, "http") as address:
        site = Site(address, below, browser)
        try:
            yield site
        finally:
            for context in site.contexts:
                await context.close()
    assert site.problems == []
    assert below.outside == []


@pytest_asyncio.fixture(loop_scope="session", params=nightly_after(1, ["removed", "kept"]))
async def site(
    request: pytest.FixtureRequest, browser: Browser, tmp_path: Path
) -> AsyncIterator[Site]:
    async with site_of(browser, tmp_path, Below(BASE, request.param == "removed")) as found:
        yield found


async def test_two_people_meet_and_play_a_game(site: Site) -> None:
    anna, ben = await site.open(), await site.open()
    game_id = await meet(anna, ben)
    assert urlsplit(anna.page.url).path == f"{BASE}/game/{game_id}"
    await play(anna, ben)
    await ben.reload()
    await expect(ben.turns).to_have_count(2)
    await ben.page.get_by_role("link", name="Analyse").first.click()
    await ben.page.wait_for_url(f"**{BASE}/analysis/{game_id}*")
    await ben.page.go_back()
    await ben.page.wait_for_url(f"**{BASE}/game/{game_id}")
    await expect(ben.turns).to_have_count(2)
    await ben.page.locator("a.brand").click()
    await ben.page.wait_for_url(f"{site.address}{BASE}/")
    await expect(ben.page.locator(f'a[href="{BASE}/game/{game_id}"]').first).to_be_visible()


async def test_every_page_comes_and_leads_to_no_address_outside(site: Site) -> None:
    person = await site.open()
    for path in PAGES:
        await person.page.goto(path or "./")
        await expect(person.page.locator("#page, .embed, svg.board").first).to_be_visible()
        await person.page.wait_for_load_state("networkidle")
        addresses = await person.page.evaluate(ADDRESSES)
        assert addresses, path
        assert [each for each in addresses if not each.startswith(f"{BASE}/")] == [], path


async def test_links_of_the_frame_show_their_pages_without_loading(site: Site) -> None:
    person = await site.open()
    await person.name()
    await person.page.evaluate("window.isSame = true")
    for name in ("Puzzles", "Leaderboards", "Tournaments"):
        await person.page.locator("#menu summary").click()
        await person.page.locator("#menu").get_by_role("link", name=name).click()
        await person.page.wait_for_url(f"**{BASE}/{name.lower()}*")
        heading = person.page.get_by_role("heading", level=1, name=name)
        await expect(heading).to_be_visible()  # a page that arrives closes the menu
    await shows(lambda: person.page.evaluate("window.isSame"), wanted=True)


async def test_the_worker_and_its_caches_are_of_this_path_alone(site: Site) -> None:
    person = await site.open()
    await person.name()
    await shows(lambda: person.page.evaluate(WORKER), f"{site.address}{BASE}/")
    await person.reload()
    await person.name()
    await person.page.wait_for_load_state("networkidle")
    names, paths = await person.page.evaluate(CACHED)
    assert names == [f"page{BASE}"]
    assert f"{BASE}/" in paths
    assert [path for path in paths if not path.startswith(f"{BASE}/")] == []
    keys = await person.page.evaluate("Object.keys(localStorage)")
    assert keys
    assert [key for key in keys if not key.startswith(f"bluestone{BASE}.")] == []


async def test_the_page_comes_without_a_connection(site: Site) -> None:
    person = await site.open()
    await person.name()
    await person.page.evaluate(WORKER)
    await person.reload()
    await person.name()
    await person.page.wait_for_load_state("networkidle")
    await person.page.context.set_offline(True)
    await person.page.reload()
    await expect(person.page.locator("a.brand")).to_be_visible()
    await person.page.context.set_offline(False)
    await person.be_online()  # until then the page reports more failed requests
    # After a failed handshake the page asks with a plain request why. It may be sent when the
    # connection is back: the answer 400 means that nothing was refused.
    usual = ("ERR_INTERNET_DISCONNECTED", f"400 {site.address}{BASE}/socket.io/", "(Bad Request)")
    site.problems = [each for each in site.problems if not any(part in each for part in usual)]


async def test_a_chosen_language_is_of_this_path_alone(site: Site) -> None:
    person = await site.open()
    await person.name()
    await person.page.locator("#settings").click()
    await person.page.get_by_role("button", name="Deutsch").click()
    await expect(person.page.locator("html")).to_have_attribute("lang", "de")
    [cookie] = await person.page.context.cookies(person.page.url)
    assert cookie["path"] == f"{BASE}/"


async def test_a_link_for_a_friend_leads_here(site: Site) -> None:
    anna = await site.open()
    path = await invite(anna)
    assert anna.page.url == f"{site.address}{BASE}{path}"
    friend = await site.open(anna.page.url)
    await press(friend, "Play")
    await together(anna, friend)


async def test_a_notification_leads_to_its_game_here(
    whole_browser: Browser, tmp_path: Path
) -> None:
    async with site_of(whole_browser, tmp_path, Below(BASE)) as site:
        await check_notification(site)


async def check_notification(site: Site) -> None:
    person = await site.open(permissions=["notifications"])
    await person.page.evaluate(WORKER)
    session = await person.page.context.new_cdp_session(person.page)
    found: asyncio.Queue[str] = asyncio.Queue()

    def note(event: dict[str, Any]) -> None:
        for each in event["registrations"]:
            found.put_nowait(each["registrationId"])

    session.on("ServiceWorker.workerRegistrationUpdated", note)
    await session.send("ServiceWorker.enable")
    await expect(person.status).to_have_text("Connected")
    registration = await asyncio.wait_for(found.get(), PATIENCE_MS / 1000)
    notice = {"language": "de", "opponent": "Anna", "game_id": "abc", "turn": 12}
    data = {"origin": site.address, "registrationId": registration, "data": json.dumps(notice)}
    shown: list[list[str]] = []
    while not shown:  # a second one takes the place of the first
        await session.send("ServiceWorker.deliverPushMessage", data)
        shown = await person.page.evaluate(NOTIFIED)
    [[icon, badge, path]] = shown
    assert icon == f"{site.address}{BASE}/icons/icon-192.png"
    assert badge == f"{site.address}{BASE}/icons/badge-96.png"
    assert path == f"{BASE}/game/abc"
