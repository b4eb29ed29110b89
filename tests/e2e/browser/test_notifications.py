"""Notifications of turns in a browser in which another player signs in."""

import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest_asyncio
from playwright.async_api import Browser, Locator, Page, expect

from bot.arena.server import running_arena
from tests.bot.arena.table import settings
from tests.e2e.browser.conftest import OpenPage, pages_of
from tests.e2e.browser.visitor import Visitor
from tests.fakes.arena_client import ArenaClient, connected
from tests.fakes.push_service import PushService, push_service

SUBSCRIBABLE = """(given) => {
    const made = {
        endpoint: given.endpoint,
        toJSON: () => ({ endpoint: given.endpoint, keys: given }),
        unsubscribe: async () => { localStorage.removeItem("stub"); return true; },
    };
    PushManager.prototype.subscribe = async () => (localStorage.setItem("stub", "1"), made);
    PushManager.prototype.getSubscription = async () => localStorage.getItem("stub") ? made : null;
}"""
"""A browser's own subscription needs a push service on the Internet."""


@dataclass
class Scene:
    url: str
    service: PushService
    opponent: ArenaClient
    open_page: OpenPage

    async def person(self, name: str, **options: Any) -> Visitor:
        person = await self.open_page(**options)
        await person.take_name(name)
        await expect(person.page.locator("#name")).to_have_text(name)
        return person

    async def offer(self, page: Page, name: str) -> str:
        """A game that the opponent offers and begins; its id."""
        setup = {"board": "pent-3", "clock": {"kind": "none"}}
        await self.opponent.do("challenge.create", setup=setup, seats=["Opponent", name])
        await page.locator(".offers").get_by_role("button", name="Accept").click()
        await page.wait_for_url("**/game/*")
        return page.url.rsplit("/", 1)[-1]

    async def turn_while_away(self, page: Page, game_id: str) -> None:
        """The opponent's turn in a game whose other player has just closed the page."""
        await page.goto("about:blank")
        await self.opponent.game(game_id, lambda state: state.connected == (True, False))
        await self.opponent.do("game.turn", game_id=game_id, ply=0, turn="0-0")


@pytest_asyncio.fixture(loop_scope="session")
async def scene(tmp_path: Path, whole_browser: Browser) -> AsyncIterator[Scene]:
    async with AsyncExitStack() as stack:
        service = await stack.enter_async_context(push_service())
        push = {"private_services": True, "delay_s": 0.1}
        url = await stack.enter_async_context(running_arena(settings(tmp_path, push=push)))
        opponent = await stack.enter_async_context(connected(url, name="Opponent"))
        open_page = await stack.enter_async_context(pages_of(url, whole_browser))
        yield Scene(url, service, opponent, open_page)


async def recovery_link(person: Visitor) -> str:
    """Make a link, and close the page."""
    await person.visit("/account")
    await person.page.get_by_role("button", name="Create a recovery link").click()
    window = person.page.get_by_role("dialog")
    link = await window.get_by_label("Recovery link", exact=True).input_value()
    await person.page.close()
    return link


@asynccontextmanager
async def notification_switch(page: Page) -> AsyncIterator[Locator]:
    """The switch in the settings, which are closed afterwards."""
    await Visitor(page).be_online()  # until then, the switch cannot be used
    await page.locator("#settings").click()
    switch = page.locator('input[name="notifications"]')
    await expect(switch).to_be_visible()
    yield switch
    await page.get_by_role("dialog").get_by_role("button", name="Close").click()


async def test_a_browser_gets_the_notifications_of_the_player_who_signed_in_there(
    scene: Scene,
) -> None:
    link = await recovery_link(await scene.person("Bob"))
    page = (await scene.person("Ann", permissions=["notifications"])).page
    await page.context.add_init_script(
        f"({SUBSCRIBABLE})({json.dumps(scene.service.subscription())})"
    )
    await page.reload()
    await page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    async with notification_switch(page) as switch:
        await switch.check()
        await expect(switch).to_be_enabled()
        await expect(switch).to_be_checked()
    of_ann = await scene.offer(page, "Ann")

    await page.goto("about:blank")
    await page.goto(link)
    await page.get_by_role("dialog").get_by_role("button").last.click()
    await expect(page.locator("#name")).to_have_text("Bob")
    async with notification_switch(page) as switch:
        await expect(switch).to_be_checked()
    of_bob = await scene.offer(page, "Bob")

    await scene.turn_while_away(page, of_ann)
    await scene.turn_while_away(page, of_bob)
    told = json.dumps(await scene.service.next())
    assert of_bob in told
    assert scene.service.received.empty(), "Ann is told of nothing there any more"
