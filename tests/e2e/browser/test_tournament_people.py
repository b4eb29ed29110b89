"""People in a tournament with bots, and a host who plays and corrects a result."""

from typing import Final

from playwright.async_api import expect

from tests.e2e.browser.conftest import AddBot, OpenPage
from tests.e2e.browser.local_arena import LocalArena
from tests.e2e.browser.scripts import wait
from tests.e2e.browser.test_tournaments import enter, finish, make_by_text, sign_in, standings_row
from tests.fakes.waiting import eventually

KNOCKOUT: Final = """
name = "Winter cup"
admits = "both"
review_s = 600
[format]
kind = "knockout"
[[setups]]
game = "blooms"
board = "hexhex-4"
clock = { kind = "fischer", initial_s = 300, increment_s = 5 }
"""


async def test_a_host_who_plays_in_one_tab_corrects_the_last_round_in_another(
    open_page: OpenPage, add_bot: AddBot, arena: LocalArena
) -> None:
    bot = await add_bot("Basalt", wait, level=5)
    host = await sign_in(open_page, arena)
    page = host.page
    tournament_id = await make_by_text(host, KNOCKOUT)
    await enter(tournament_id, bot)
    await page.get_by_role("button", name="Enter the tournament").click()
    await expect(page.locator(".entrants li")).to_have_count(2)
    await expect(page.locator(".entrants .bot-mark")).to_have_text("bot, level 5")
    other = await page.context.new_page()
    await other.goto(page.url)
    await expect(other.locator(".entrants li")).to_have_count(2)
    await page.get_by_role("button", name="Start now").click()
    begins = "Your game in Winter cup begins"
    for tab in (page, other):
        await expect(tab.locator(".notice", has_text=begins)).to_be_visible()
    await eventually(lambda: any("/game/" in tab.url for tab in (page, other)))
    led = [tab for tab in (page, other) if "/game/" in tab.url]
    stayed = [tab for tab in (page, other) if "/game/" not in tab.url]
    assert (len(led), len(stayed)) == (1, 1)
    await expect(stayed[0].locator(".live-board .dot")).to_have_count(4)

    [playing], [hosting] = led, stayed
    await playing.get_by_role("button", name="Resign").click()
    await playing.get_by_role("dialog").get_by_role("button", name="Resign").click()
    await expect(hosting.locator(".phase")).to_have_text("All games are played – Basalt won")
    head = hosting.locator(".tournament-head")
    await expect(head).to_contain_text("The results become final in")
    await expect(head).to_contain_text("You are out of this tournament.")
    await expect(head.get_by_role("button", name="Leave the tournament")).to_have_count(0)
    await expect(hosting.locator(".match-side.won")).to_contain_text("Basalt")
    await hosting.get_by_role("button", name="Replace the result of game 1").click()
    await hosting.get_by_role("combobox", name="Result").select_option("Hanna wins")
    await finish(hosting, "It was a misclick.", "Replace the result")
    await expect(standings_row(hosting, "Hanna").locator(".rank")).to_have_text("1")
    await hosting.get_by_role("button", name="Close the tournament").click()
    await hosting.get_by_role("dialog").get_by_role("button", name="Close it").click()
    await expect(hosting.locator(".phase")).to_have_text("Finished – Hanna won")
    await expect(hosting.get_by_role("button", name="Replace")).to_have_count(0)


async def test_the_page_says_why_a_guest_who_plays_cannot_choose_a_name(
    open_page: OpenPage, add_bot: AddBot, arena: LocalArena
) -> None:
    await add_bot("Basalt", wait)
    host = await sign_in(open_page, arena)
    tournament_id = await make_by_text(host)
    guest = await open_page(viewport={"width": 320, "height": 640})
    await guest.name()
    other = await guest.page.context.new_page()
    await other.goto(f"/tournament/{tournament_id}")
    head = other.locator(".tournament-head")
    await expect(head.get_by_role("button", name="Choose a username")).to_be_visible()
    await guest.choose()
    await guest.challenge("Basalt")
    await expect(head).to_contain_text("when your game or open challenge has ended")
    await expect(head.get_by_role("button", name="Choose a username")).to_have_count(0)
