"""A page whose address has too many connections says so, and connects when there is room."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Response, expect

from bot.arena.edge.open_sockets import TOO_MANY_OF_ADDRESS
from bot.arena.operator.desk import open_desk
from bot.arena.server import running_arena
from bot.arena.settings import ArenaSettings, ConnectionLimits
from bot.arena.store.orders import By
from tests.e2e.browser.accessibility import check
from tests.e2e.browser.conftest import OpenPage, pages_of
from tests.e2e.browser.looks import fits, shows
from tests.e2e.browser.visitor import Visitor
from tests.fakes.raw_socket import raw_socket
from tests.fakes.waiting import eventually

DESKTOP: Final = {"viewport": {"width": 1280, "height": 800}}
PHONE: Final = {
    "viewport": {"width": 320, "height": 568},
    "has_touch": True,
    "is_mobile": True,
    "color_scheme": "dark",
}
SOCKETS: Final = 20
"""The limit of one address. TCP connections have twice the limit, so the browser can load pages."""
FOREVER_S: Final = 3600
"""Raw sockets answer no ping and do not log in."""
WORDS: Final = f"{TOO_MANY_OF_ADDRESS} Retrying…"

RECORD: Final = """
window.statuses = [];
window.tops = [];
const note = (list, value) => list.at(-1) === value || list.push(value);
new MutationObserver(() => {
    const main = document.querySelector("#page");
    if (main?.childElementCount) {
        note(statuses, document.documentElement.dataset.status);
        note(tops, main.getBoundingClientRect().top);
    }
}).observe(document, { attributes: true, childList: true, characterData: true, subtree: true });
"""
"""Records each status, and each distance of the content from the top, as they change."""


@dataclass
class FullAddress:
    """An arena, pages on it, and sockets that fill up the limit of their address."""

    url: str
    open_page: OpenPage
    sockets: AsyncExitStack
    held: list[AsyncExitStack]

    async def fill(self, pages: int) -> None:
        """Take all sockets but those of the open pages."""
        for _ in range(SOCKETS - pages):
            one = await self.sockets.enter_async_context(AsyncExitStack())
            await one.enter_async_context(raw_socket(self.url))
            self.held.append(one)

    async def free_one(self) -> None:
        """Close a socket."""
        await self.held.pop().aclose()

    async def open_recorded_page(self, **device: Any) -> tuple[Visitor, list[int]]:
        """A page with the script `RECORD`, and the statuses of the refusals that it asked for."""
        person = await self.open_page("/icon.svg", online=False, **device)
        refusals: list[int] = []

        def note(response: Response) -> None:
            if "/socket.io/" in response.url and response.status == 429:
                refusals.append(response.status)

        person.page.on("response", note)
        await person.page.add_init_script(RECORD)
        await person.page.goto("/")
        return person, refusals


@pytest_asyncio.fixture(loop_scope="session")
async def address(browser: Browser, tmp_path: Path) -> AsyncIterator[FullAddress]:
    limits = ConnectionLimits(
        sockets_per_address=SOCKETS, login_s=FOREVER_S, ping_interval_s=FOREVER_S
    )
    settings = ArenaSettings(port=0, data=tmp_path, connections=limits)
    async with (
        running_arena(settings) as url,
        pages_of(url, browser) as open_page,
        AsyncExitStack() as sockets,
    ):
        yield FullAddress(url, open_page, sockets, [])


@pytest.mark.parametrize("device", [DESKTOP, PHONE], ids=["desktop", "phone"])
async def test_a_refused_page_says_why_and_connects_by_itself_when_there_is_room(
    address: FullAddress, device: dict[str, Any]
) -> None:
    first = await address.open_page(**device)
    await expect(first.status).to_have_text("Connected")
    await address.fill(pages=1)
    second, refusals = await address.open_recorded_page(**device)
    banner = second.page.locator("#lost")
    await expect(second.status).to_have_text("Refused")
    await expect(banner).to_have_text(WORDS)
    await expect(banner).to_be_in_viewport(ratio=1)
    await fits(second.page, device["viewport"]["width"])

    # Each further attempt asks for the reason again.
    await eventually(lambda: len(refusals) >= 3)
    await expect(banner).to_have_text(WORDS)
    await shows(lambda: second.page.evaluate("statuses"), ["connecting", "refused"])

    await address.free_one()
    await expect(second.status).to_have_text("Connected")
    await expect(banner).to_be_hidden()
    await shows(lambda: second.page.evaluate("tops.length"), 1)
    await expect(first.status).to_have_text("Connected")


async def test_axe_finds_nothing_in_a_refused_page(address: FullAddress) -> None:
    await address.fill(pages=0)
    person = await address.open_page(online=False)
    await expect(person.page.locator("#lost")).to_have_text(WORDS)
    await check(person.page)


async def test_a_blocked_person_reads_why_on_the_page(browser: Browser, tmp_path: Path) -> None:
    async with (
        running_arena(ArenaSettings(port=0, data=tmp_path)) as url,
        pages_of(url, browser) as open_page,
    ):
        person = await open_page(**DESKTOP)
        await expect(person.status).to_have_text("Connected")
        async with open_desk(tmp_path, By("anna", "insults")) as desk:
            await desk.block_network("127.0.0.1", None)
        why = "Your address is blocked by the operator: insults Retrying…"
        await expect(person.page.locator("#lost")).to_have_text(why)
        await expect(person.status).to_have_text("Refused")
