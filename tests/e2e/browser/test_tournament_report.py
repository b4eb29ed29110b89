"""The page of a tournament, opened as a file: read, stepped through, and checked by axe-core."""

import json
import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Locator, Page, expect

from bot.matches.report import read_chronicle, report_page
from bot.matches.report.standings import TIE_BREAKS
from tests.bot.matches.made_up import resealed, tournament, write
from tests.e2e.browser.accessibility import VIEWS, check
from tests.e2e.browser.looks import fits, shows, until

STONES = "path[class^=stones-]:not(.stones-last)"


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("tournament")
    write(folder, tournament())
    path: Path = folder / "report.html"
    path.write_text(report_page(read_chronicle(folder)), encoding="utf-8")
    return path.as_uri()


@pytest_asyncio.fixture(loop_scope="session")
async def page(browser: Browser, address: str) -> AsyncIterator[Page]:
    """The report; an error in it fails the test."""
    problems: list[str] = []
    # axe-core needs `eval`, which the page's policy forbids; another test checks the policy.
    context = await browser.new_context(bypass_csp=True)
    page = await context.new_page()
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("request", lambda request: problems.extend([request.url] * (request.url != address)))
    await page.goto(address)
    yield page
    await context.close()
    assert not problems


async def opened(page: Page, number: int) -> Locator:
    """A game, by its link in the crosstable or the schedule."""
    await page.locator(f'a[href="#game-{number}"]').first.click()
    game = page.locator(f"details.game:has(#game-{number})")
    await expect(game.locator(".steps")).to_be_visible()
    return game


async def drawn(game: Locator) -> set[tuple[str, ...]]:
    """Every stone, with its kind and its place."""
    paths: list[list[str | None]] = await game.locator(STONES).evaluate_all(
        "all => all.map(one => [one.getAttribute('class'), one.getAttribute('d')])"
    )
    found: set[tuple[str, ...]] = set()
    for kind, path in paths:
        numbers = (path or "").removeprefix("M").removesuffix("h0").split()
        found |= {(kind or "", *each) for each in zip(numbers[::2], numbers[1::2], strict=True)}
    return found


async def test_axe_finds_nothing_in_the_report(page: Page) -> None:
    await check(page)
    await opened(page, 3)
    await check(page)


async def test_the_report_is_no_wider_than_any_screen(page: Page) -> None:
    for view in VIEWS:
        await view.take(page)
        await fits(page, view.width)


async def test_standings_of_long_names_fit_a_window_of_1300_px(
    browser: Browser, tmp_path: Path
) -> None:
    ledger = write(tmp_path, tournament())
    text = ledger.read_text().replace("Basalt", "Basalt_".ljust(60, "x"))
    every = json.dumps([*TIE_BREAKS], separators=(",", ":"))
    assert '["buchholz","sonneborn_berger","direct_encounter"]' in text
    changed = text.replace('["buchholz","sonneborn_berger","direct_encounter"]', every)
    ledger.write_bytes(resealed(changed))
    report = tmp_path / "report.html"
    report.write_text(report_page(read_chronicle(tmp_path)), encoding="utf-8")
    page = await browser.new_page(viewport={"width": 1300, "height": 900})
    await page.goto(report.as_uri())
    table = page.locator("#standings .wide")
    await expect(table.locator("thead th")).to_have_count(14)
    fits_in = "box => box.scrollWidth <= box.clientWidth"
    await until(lambda: table.evaluate(fits_in), bool)
    await page.close()


async def test_keys_and_buttons_step_through_a_game(page: Page) -> None:
    shown = page.locator("details.game:has(#game-3)")
    at_end = await drawn(shown)
    assert at_end
    game = await opened(page, 3)
    count = await game.locator(".turns li").count()
    await shows(lambda: drawn(game), at_end)
    current = game.locator("[aria-current=step]")
    await expect(current).to_have_text(await game.locator(".turns button").last.inner_text())
    await game.get_by_role("button", name="To the start").click()
    await shows(lambda: drawn(game), set())
    await expect(game.locator(".now")).to_have_text("The start")
    for _ in range(count):
        await page.keyboard.press("ArrowRight")
    await shows(lambda: drawn(game), at_end)
    await expect(game.get_by_role("img")).to_have_accessible_name(
        re.compile(f"after {count} turns$")
    )
    await game.locator(".turns button").nth(2).click()
    await expect(game.get_by_role("slider")).to_have_value("3")
    await expect(game.get_by_role("button", name="One turn on")).to_be_visible()


async def test_the_content_security_policy_lets_the_report_run(
    browser: Browser, address: str
) -> None:
    page = await browser.new_page()
    refused: list[str] = []
    page.on("console", lambda message: refused.append(message.text))
    await page.goto(f"{address}#game-7")
    await expect(page.locator("details[open] .steps")).to_be_visible()
    assert not refused


async def test_without_scripts_every_game_can_be_read(browser: Browser, address: str) -> None:
    context = await browser.new_context(java_script_enabled=False)
    page = await context.new_page()
    await page.goto(address)
    game = page.locator("details.game").nth(3)
    await game.locator("summary").click()
    await expect(game.get_by_role("img")).to_be_visible()
    await expect(game.locator(".turns li").first).to_be_visible()
    await expect(game.locator(".steps")).to_have_count(0)
    await context.close()
