"""Scripts in the texts of bots and hosts: the page shows them as texts, and runs none."""

from playwright.async_api import expect

from tests.e2e.browser.conftest import OpenPage
from tests.e2e.browser.local_arena import LocalArena
from tests.e2e.browser.opponent import Opponent
from tests.e2e.browser.scripts import wait
from tests.e2e.browser.test_tournaments import SETTINGS, make_by_text, sign_in
from tests.e2e.browser.visitor import Visitor

EVIL = '"><img src=x onerror="window.owned=1">'
MADE = """() => document.querySelectorAll('[src=x], [onerror]').length + (window.owned ?? 0)"""


async def expect_unharmed(visitor: Visitor) -> None:
    """The page, which shows the text, has made neither an element of it nor run its script."""
    made = await visitor.page.evaluate(MADE)
    assert made == 0


async def test_a_script_in_the_text_of_a_bot_or_a_host_is_a_text(
    open_page: OpenPage, arena: LocalArena
) -> None:
    token = await arena.token("Basalt")
    async with Opponent("Basalt", token, wait, engine=EVIL) as bot:
        await bot.connect(arena.address)
        host = await sign_in(open_page, arena)
        await expect(host.page.locator(".play-engine")).to_have_text(EVIL)
        await expect_unharmed(host)
        bot.refusal = EVIL
        await host.choose()
        await host.page.get_by_role("button", name="Play against Basalt").click()
        await expect(host.page.locator(".notice")).to_contain_text(EVIL)
        await expect_unharmed(host)
        bot.refusal = None
        await host.visit("/")
        await host.choose()
        await host.challenge("Basalt")
        await expect(host.page.get_by_text(EVIL).first).to_be_visible()
        await expect_unharmed(host)
    title = SETTINGS.replace('"Spring cup"', f"'{EVIL}'")
    assert title != SETTINGS
    await make_by_text(host, title)
    await expect(host.page.get_by_role("heading", level=1)).to_have_text(EVIL)
    await expect_unharmed(host)
    await host.visit("/tournaments")
    await expect(host.page.get_by_text(EVIL)).to_be_visible()
    await expect_unharmed(host)
