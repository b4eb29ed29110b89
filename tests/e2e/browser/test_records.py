"""Finished games: searched, shared, shown in a page of another site, and counted as openings."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from aiohttp import web
from playwright.async_api import expect

from tests.e2e.browser.accessibility import check
from tests.e2e.browser.conftest import AddBot, OpenPage
from tests.e2e.browser.test_watching import begin


@asynccontextmanager
async def other_site(body: str) -> AsyncIterator[str]:
    """A page of another origin; yields its address."""

    async def page(_request: web.Request) -> web.Response:
        return web.Response(
            text=f"<!doctype html><title>Blog</title>{body}", content_type="text/html"
        )

    app = web.Application()
    app.router.add_get("/", page)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    port = runner.addresses[0][1]
    try:
        yield f"http://localhost:{port}/"
    finally:
        await runner.cleanup()


async def test_a_game_is_found_shared_and_shown_in_a_page_of_another_site(
    open_page: OpenPage, add_bot: AddBot
) -> None:
    first, second = await add_bot("Basalt"), await add_bot("Marble")
    earlier = await begin(first, second)
    await first.wait_until(earlier, lambda new: new.state == "finished")
    game_id = await begin(second, first)
    ended = await first.wait_until(game_id, lambda new: new.state == "finished")
    plies = len(ended.turns)

    page = (await open_page("/games")).page
    rows = page.locator(".record")
    await expect(rows).to_have_count(2)
    await expect(page.locator(".record img").first).to_have_js_property("complete", value=True)
    await check(page)
    await page.get_by_label("Player", exact=True).fill("marble")
    await page.get_by_role("button", name="Search", exact=True).click()
    await expect(page.locator(".mark")).to_have_count(2)
    assert page.url.endswith("/games?player=marble")
    await page.locator("select[name=result]").select_option("won")
    await expect(page).to_have_url(re.compile(r"\?player=marble&result=won$"))
    await expect(page.locator(".mark.lost")).to_have_count(0)
    await page.locator("select[name=result]").select_option("")
    await page.locator("select[name=game]").select_option("blooms")
    await expect(page.get_by_text("No games found.")).to_be_visible()
    await page.goto("/games?player=Marble&opponent=Basalt")
    await expect(rows).to_have_count(2)
    async with page.expect_download() as loading:
        await page.get_by_role("link", name="Download all (SGF)").click()
    download = await loading.value
    assert download.suggested_filename == "games.sgf"

    await rows.first.get_by_role("link", name=re.compile("Basalt")).first.click()
    await page.get_by_role("button", name="First position").click()
    await page.get_by_role("button", name="Next turn").click()
    await page.get_by_role("button", name="Share").click()
    await check(page, "dialog")
    link = await page.get_by_label(
        re.compile(r"^Link to the position shown \(1 / \d+\)$")
    ).input_value()
    code = await page.get_by_label("Embed in a web page", exact=True).input_value()
    gif = page.get_by_role("link", name="Animation (GIF)")
    await expect(gif).to_have_attribute("href", re.compile(r"^/api/records/\w+\.gif$"))
    for name in ("PNG", "SVG"):
        path = await page.get_by_role("link", name=name).get_attribute("href")
        assert path is not None
        answer = await page.request.get(path)
        assert answer.ok, path
        assert answer.headers["content-type"].startswith("image/")

    await page.goto(link)
    await expect(page.locator('.turns [data-ply="1"]')).to_have_attribute("aria-current", "true")

    async with other_site(code) as address:
        await page.goto(address)
        frame = page.frame_locator("iframe")
        await expect(frame.locator(".stones .stone")).to_have_count(1)
        await expect(frame.locator(".embed-head")).to_contain_text("Basalt")
        await expect(frame.locator(".replay-note")).to_have_text(f"1 / {plies}")
        await frame.get_by_role("button", name="Next turn").click()
        await expect(frame.locator(".replay-note")).to_have_text(f"2 / {plies}")
        await expect(frame.locator(".stones .stone")).not_to_have_count(1)
        await expect(frame.locator("header.site")).to_be_hidden()


async def test_the_openings_of_a_game_are_played_through(
    open_page: OpenPage, add_bot: AddBot
) -> None:
    first, second = await add_bot("Basalt"), await add_bot("Marble")
    game_id = await begin(first, second)
    await first.wait_until(game_id, lambda new: new.state == "finished")
    page = (await open_page("/openings/bluestone?board=pent-4")).page
    await expect(page.locator(".opening-board .board")).to_be_visible()
    turn = page.locator(".opening-turn")
    await expect(turn).to_have_count(1)
    await check(page)
    stones = page.locator(".opening-board .stone")
    await turn.hover()
    await expect(stones).to_have_count(1)
    await turn.click()
    await expect(page).to_have_url(re.compile(r"/openings/bluestone\?board=pent-4&turns=\d-\d+$"))
    await expect(page.get_by_role("button", name="Previous turn")).to_be_enabled()
    await page.get_by_role("button", name="Previous turn").click()
    await expect(stones).to_have_count(0)


@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "Etc/GMT+12"])
async def test_days_of_a_search_are_those_of_the_persons_clock(
    open_page: OpenPage, add_bot: AddBot, zone: str
) -> None:
    """At each moment one of the two zones has another day than UTC."""
    first, second = await add_bot("Basalt"), await add_bot("Marble")
    game_id = await begin(first, second)
    await first.wait_until(game_id, lambda new: new.state == "finished")
    page = (await open_page("/games", timezone_id=zone)).page
    found = await (await page.request.get("/api/records")).json()
    ended = datetime.fromisoformat(found["records"][0]["ended_at"]).astimezone(ZoneInfo(zone))
    today, day = ended.date(), timedelta(days=1)
    for since, until, games in (
        (today, today, 1),
        (today - day, today - day, 0),
        (today + day, today + day, 0),
    ):
        await page.get_by_label("From", exact=True).fill(since.isoformat())
        await page.get_by_label("To", exact=True).fill(until.isoformat())
        await page.get_by_role("button", name="Search", exact=True).click()
        await expect(page).to_have_url(re.compile(f"since={since}&until={until}$"))
        await expect(page.locator(".record")).to_have_count(games)
