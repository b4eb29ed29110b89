"""The page without a server: a folder below a path of a plain file server."""

import json
import re
from collections.abc import AsyncIterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import pytest_asyncio
from playwright.async_api import Browser, BrowserContext, Response, expect

import engine
from tests.ahead import PATIENCE_S
from tests.e2e.browser.accessibility import check
from tests.e2e.browser.chromium import PATIENCE_MS
from tests.e2e.browser.static_site import served, write_static_site
from tests.e2e.browser.visitor import Visitor

TURNS = ["3-9", "2-0,2-1", "2-2,2-3"]
RECORD = {
    "format": "bluestone-record-1",
    "game": "bluestone",
    "board": "pent-4",
    "rules": "official",
    "turns": [{"turn": turn} for turn in TURNS],
}
SGF = (
    "(;FF[4]GM[1]CA[UTF-8]GAME[bluestone]BOARD[pent-4]RU[official]PB[A \\] b]\n"
    ";B[3-9]C[a;W[b\\]]\n;W[2-0,2-1]\n;B[2-2,2-3])\n(;FF[4]GAME[blooms];B[a1])"
)
HEADER = ("", "analysis/", "learn/", "puzzles/", "rules/")
"""Where its links lead."""
SHEET = "sheets/bluestone/pent-6-Letter-coordinates.pdf"
KEPT = """async () => {
    const { build } = document.documentElement.dataset;
    const { files, texts } = await (await fetch("assets/offline.json")).json();
    const paths = [...files, ...texts.map((area) => `/messages/en/${area}.json`)]
        .map((path) => /^.(assets|api.games)/.test(path) ? path : `${path}?v=${build}`);
    const isMissing = async (path) => !(await caches.match(new URL(`.${path}`, document.baseURI)));
    while ((await Promise.all(paths.map(isMissing))).includes(true)) {
        await new Promise((resolve) => setTimeout(resolve, 50));
    }
}"""
"""Returns when the service worker has kept all files of the site."""

pytestmark = [pytest.mark.xdist_group("engine as WebAssembly"), pytest.mark.timeout(PATIENCE_S)]


@dataclass
class Site:
    """A site that is served, and all that went wrong in browsers."""

    address: str
    browser: Browser
    serving: ExitStack
    problems: list[str] = field(default_factory=list)
    contexts: list[BrowserContext] = field(default_factory=list)

    async def open(self, path: str = "", **options: object) -> Visitor:
        """Open the site as a new visitor."""
        context = await self.browser.new_context(
            base_url=self.address,
            reduced_motion="reduce",
            **options,  # type: ignore[arg-type]
        )
        self.contexts.append(context)
        context.set_default_timeout(PATIENCE_MS)
        context.on("response", self._answered)
        context.on("weberror", lambda error: self.problems.append(str(error.error)))
        context.on("console", lambda line: self._said(line.type, line.text))
        visitor = Visitor(await context.new_page())
        await visitor.visit(path or "./")
        return visitor

    def _said(self, kind: str, text: str) -> None:
        if kind == "error":
            self.problems.append(text)

    def _answered(self, response: Response) -> None:
        if response.status >= 400 or not response.url.startswith(self.address):
            self.problems.append(f"{response.status} {response.url}")


@pytest_asyncio.fixture(loop_scope="session")
async def site(browser: Browser, tmp_path: Path) -> AsyncIterator[Site]:
    with ExitStack() as serving:
        address = serving.enter_context(served(write_static_site(tmp_path)))
        site = Site(address, browser, serving)
        yield site
        for context in site.contexts:
            await context.close()
    assert site.problems == []


async def start_game(visitor: Visitor) -> None:
    page = visitor.page
    await page.locator('.board-card:has(input[value="pent-4"])').click()
    await page.get_by_text("Me", exact=True).click()
    await page.locator(".level").first.click()
    await expect(visitor.prompt).to_contain_text("Your turn")


async def test_a_visitor_plays_and_analyses_the_game(site: Site) -> None:
    visitor = await site.open()
    page = visitor.page
    await expect(page.locator(".level")).to_have_count(10)
    await expect(page.locator("#name")).to_be_hidden()
    await expect(page.get_by_role("button", name="Invite a friend")).to_have_count(0)
    await check(page)
    await start_game(visitor)
    await visitor.cell("0-0").click()
    await expect(visitor.turns).to_have_count(2)
    await page.reload()  # the address has a document, and the browser has the game
    await expect(visitor.turns).to_have_count(2)
    await page.get_by_role("button", name="Resign").click()
    await page.locator("dialog").get_by_role("button", name="Resign").click()
    await expect(visitor.result).to_be_visible()
    await page.get_by_role("link", name="Analy").first.click()
    await expect(page.locator(".tree .turn")).to_have_count(2)
    await expect(page.locator(".engine-lines li").first).to_be_visible()
    await page.locator("a.brand").click()
    await expect(page.locator(".rows .level-row, .rows li")).to_have_count(1)


async def test_two_people_play_each_game_on_a_phone(site: Site) -> None:
    visitor = await site.open(viewport={"width": 390, "height": 844})
    page = visitor.page
    for info in engine.games():
        await visitor.visit("./")
        await page.locator(f'.game-card:has(input[value="{info.name}"])').click()
        await page.get_by_role("button", name="Two people, this device").click()
        await page.get_by_role("dialog").get_by_role("button", name="Start").click()
        for side in ("Black", "White", "Black"):
            await expect(visitor.prompt).to_contain_text(re.compile(f"^{side}.* · Your turn"))
            await visitor.play_somewhere()
        await check(page)
        await page.reload()
        await expect(visitor.turns).to_have_count(3)
    await visitor.visit("./")
    await expect(page.locator(".rows li")).to_have_count(len(engine.games()))


async def test_the_header_leads_to_the_same_pages_from_everywhere(site: Site) -> None:
    """The address changes and the document stays, to which its links are relative."""
    visitor = await site.open()
    page = visitor.page
    links = page.locator("header.site a[data-link]")
    await expect(links).to_have_count(len(HEADER))
    for link in HEADER:
        await visitor.visit("./")
        await start_game(visitor)
        href = urlsplit(f"{site.address}{link}").path
        await page.locator(f"header.site a[href='{href}']").evaluate("link => link.click()")
        await expect(page).to_have_url(f"{site.address}{link}")
        await expect(page.get_by_role("heading").first).to_be_visible()
        await expect(page.locator("#page")).not_to_contain_text(re.compile("No such|no server"))


async def test_a_visitor_learns_and_solves_puzzles(site: Site) -> None:
    visitor = await site.open("learn/")
    page = visitor.page
    await page.locator("main").get_by_role("link", name="Bluestone").first.click()
    await expect(page.locator(".lesson svg.board").first).to_be_visible()
    assert page.url == f"{site.address}learn/?bluestone"
    await page.reload()
    await expect(page.locator("svg.board")).to_be_visible()
    await visitor.visit("rules/?bluestone")
    await expect(page.get_by_role("heading", level=1)).to_be_visible()
    await page.locator(".print-board summary").click()
    await page.get_by_role("checkbox", name="Coordinates").check()
    link = page.get_by_role("link", name="Open the PDF")
    await expect(link).to_have_attribute("href", urlsplit(f"{site.address}{SHEET}").path)
    answer = await page.request.get(f"{site.address}{SHEET}")
    sheet = await answer.body()
    assert sheet.startswith(b"%PDF")
    await visitor.visit("puzzles/?daily")
    await page.get_by_role("button", name="Give up").click()
    await expect(page.locator(".puzzle-verdict")).to_contain_text("The best turn is")
    await page.get_by_role("link", name="Link to this puzzle").click()
    await expect(page.locator(".puzzle-task")).to_be_visible()
    await visitor.visit("puzzles/")
    await expect(page.locator(".puzzle-card", has_text="0 of 1")).to_have_count(1)


async def test_a_visitor_replays_a_record_or_a_link(site: Site) -> None:
    visitor = await site.open("analysis/")
    page = visitor.page
    link = f"{site.address}analysis/#game=bluestone&board=pent-4&t={'_'.join(TURNS)}"
    for text in (f"\n{json.dumps(RECORD)}\n{json.dumps(RECORD)}\n", SGF, f"Look: {link}"):
        await page.get_by_role("button", name="Open a record").click()
        await page.locator("dialog textarea").fill("no game")
        await page.get_by_role("button", name="Open", exact=True).click()
        await expect(page.get_by_role("alert").filter(has_text="no game in it")).to_be_visible()
        await page.locator("dialog textarea").fill(text)
        await page.get_by_role("button", name="Open", exact=True).click()
        await expect(page.locator("dialog")).to_have_count(0)
        await expect(page.locator(".tree .turn")).to_have_count(len(TURNS))
        await page.get_by_role("button", name="New board").click()
        await page.locator("dialog").get_by_role("button", name="Open").click()
        await expect(page.locator(".tree .turn")).to_have_count(0)


async def test_the_language_is_the_visitors(site: Site) -> None:
    visitor = await site.open(locale="fr-CH")
    page = visitor.page
    await expect(page.locator("html")).to_have_attribute("lang", "fr")
    await expect(page.locator("#settings")).to_have_text("Préférences")
    await page.locator("#settings").click()
    await page.get_by_role("button", name="Deutsch").click()
    await expect(page.locator("html")).to_have_attribute("lang", "de")
    await expect(page.locator("#settings")).to_have_text("Einstellungen")
    await visitor.visit("learn/")
    await expect(page.locator("html")).to_have_attribute("lang", "de")


async def test_after_the_first_visit_the_site_needs_no_network(site: Site) -> None:
    visitor = await site.open()
    page = visitor.page
    await page.evaluate(KEPT)
    site.serving.close()
    site.problems.clear()
    await visitor.reload()
    await start_game(visitor)
    await visitor.cell("0-0").click()
    await expect(visitor.turns).to_have_count(2)
    for path in ("learn/?bluestone", "puzzles/?daily"):
        await visitor.visit(path)
        await expect(page.locator("svg.board").first).to_be_visible()
    await visitor.visit("analysis/")
    await expect(page.locator(".engine-lines li").first).to_be_visible()
    site.problems.clear()  # a browser reports what it could not fetch
