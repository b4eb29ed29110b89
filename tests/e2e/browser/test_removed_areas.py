"""A capability is removed from the page with its folder, and nothing else is."""

import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, ConsoleMessage, expect

from bot.arena.web import page_bundle
from bot.arena.web.areas import areas_of
from bot.arena.web.page_bundle import FOLDER
from tests.e2e.browser.conftest import pages_of
from tests.e2e.browser.local_arena import LocalArena
from tests.e2e.browser.opponent import Opponent
from tests.e2e.browser.scripts import play_fixed
from tests.page_removal import remove_from_page


@pytest_asyncio.fixture(loop_scope="session")
async def bare(
    chromium: str,  # noqa: ARG001
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> AsyncIterator[LocalArena]:
    """An arena whose page has no capability."""
    web = tmp_path / "web"
    shutil.copytree(FOLDER, web, ignore=shutil.ignore_patterns("bundle"))
    for area in areas_of(web):
        remove_from_page(web, area.name)
    monkeypatch.setattr(page_bundle, "FOLDER", web)
    async with LocalArena(tmp_path) as arena:
        yield arena


async def test_a_page_without_capabilities_plays_a_game(
    bare: LocalArena,
    browser: Browser,
    kernels: None,  # noqa: ARG001
) -> None:
    said: list[str] = []

    def note(message: ConsoleMessage) -> None:
        if message.type == "error":
            said.append(f"{message.text} {message.location}")

    token = await bare.token("Basalt")
    async with (
        Opponent("Basalt", token, play_fixed) as bot,
        pages_of(bare.address, browser) as open_page,
    ):
        await bot.connect(bare.address)
        person = await open_page("about:blank", online=False)
        person.page.on("console", note)
        await person.visit("/")
        menus = [area.menu.address for area in areas_of(FOLDER) if area.menu is not None]
        for address in menus:
            await expect(person.page.locator(f'a[href="{address}"]')).to_have_count(0)
        await person.choose()
        await person.challenge("Basalt")
        await person.play("0-0")
        await person.sees(2)
        await person.page.get_by_role("button", name="Resign").click()
        await person.page.get_by_role("dialog").get_by_role("button", name="Resign").click()
        await expect(person.result).to_have_text("You lost")
        assert said == []
        for address in menus:
            await person.page.goto(address)
            await expect(person.page.locator("h1")).to_have_text("No such page")
