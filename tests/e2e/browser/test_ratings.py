"""Rated games on the page: the choice, what a result does, the pages of players, leaderboards."""

import random
import re
from datetime import UTC, datetime, timedelta

from playwright.async_api import expect

from bot import wire
from bot.arena.games.game_store import GameStore
from bot.arena.players.accounts import Accounts
from bot.arena.ratings.rating_store import RatingStore
from bot.arena.store.connection import Hold
from bot.arena.store.database import OPEN_S
from bot.arena.store.opening import open_database
from bot.time_source import SystemTime
from tests.bot.arena.ratings.rated import BLUESTONE, bots, finished, fold_all, put
from tests.bot.arena.ratings.test_rated_games import register
from tests.e2e.browser.accessibility import check
from tests.e2e.browser.conftest import OpenPage
from tests.e2e.browser.local_arena import LocalArena
from tests.e2e.browser.test_two_people import together
from tests.e2e.browser.visitor import Visitor


async def member(open_page: OpenPage, arena: LocalArena, name: str) -> Visitor:
    """A person with an account, signed in by a key."""
    async with open_database(arena.data, OPEN_S, Hold.NONE) as database:
        login = await Accounts(database, SystemTime()).log_in(wire.Credentials(v=1, name=name))
    register(arena.data, name)
    visitor = await open_page(f"/#guest_key={login.guest_key}", online=False)
    await visitor.page.get_by_role("dialog").get_by_role("button").last.click()
    await expect(visitor.page.locator("#name")).to_have_text(name)
    return visitor


async def test_a_rated_game_of_two_members_shows_what_it_did_to_their_ratings(
    open_page: OpenPage, arena: LocalArena
) -> None:
    anna, ben = [await member(open_page, arena, name) for name in ("Anna", "Ben")]
    rated = anna.page.get_by_role("checkbox", name="Rated game")
    await anna.choose(clock="Unlimited time")
    await expect(rated).to_be_disabled()
    await expect(anna.page.locator(".rated-field")).to_contain_text("needs a clock")
    await anna.choose(clock=re.escape("5 min + 5 s"))
    await rated.check()
    await anna.page.get_by_role("button", name="Create an open challenge").click()
    await expect(ben.page.locator(".offers-list")).to_contain_text("rated")
    await ben.page.get_by_role("button", name="Accept").click()
    await together(anna, ben)
    await anna.play("0-0")
    await ben.play("1-0,3-0")
    await ben.page.get_by_role("button", name="Resign").click()
    await ben.page.get_by_role("dialog").get_by_role("button", name="Resign").click()
    for person in (anna, ben):
        changes = person.page.locator(".rating-change")
        await expect(changes.filter(has_text="1662? (+162)")).to_be_visible()
        await expect(changes.filter(has_text="1338? (\N{MINUS SIGN}162)")).to_be_visible()
    await anna.page.get_by_role("link", name="Ben").click()
    await expect(anna.page.get_by_role("heading", name="Ben")).to_be_visible()
    await expect(anna.page.locator(".curve svg")).to_be_visible()
    await expect(anna.page.get_by_role("table").first).to_contain_text("Anna")


async def test_a_guest_is_told_what_rated_games_need(open_page: OpenPage) -> None:
    guest = await open_page()
    field = guest.page.locator(".rated-field")
    await expect(field.get_by_role("checkbox", name="Rated game")).to_be_disabled()
    await expect(field.get_by_role("link", name="Your account")).to_be_visible()


async def test_a_guest_who_is_invited_to_a_rated_game_gets_a_link_to_an_account(
    open_page: OpenPage, arena: LocalArena
) -> None:
    anna = await member(open_page, arena, "Anna")
    await anna.choose(clock=re.escape("5 min + 5 s"))
    await anna.page.get_by_role("checkbox", name="Rated game").check()
    await anna.page.get_by_role("button", name="Invite a friend").click()
    await expect(anna.page.locator(".invite")).to_contain_text("your friend needs an account")
    guest = await open_page(anna.page.url.removeprefix(arena.address))
    await expect(guest.page.locator(".invite")).to_contain_text("only players with an account")
    await expect(guest.page.get_by_role("button", name="Play", exact=True)).to_have_count(0)
    await guest.page.get_by_role("link", name="Make an account").click()
    await expect(guest.page.get_by_role("heading", name="Your account")).to_be_visible()


async def test_pages_of_players_and_leaderboards_are_accessible(
    open_page: OpenPage, arena: LocalArena
) -> None:
    await play_many(arena)
    page = (await open_page()).page
    for path, seen in (("/player/bot-1", ".curve svg"), ("/leaderboards", ".leaders tbody tr")):
        await page.goto(path)
        await expect(page.locator(seen).first).to_be_visible()
        await check(page)
    await page.get_by_role("link", name="bot-2").click()
    await expect(page.get_by_role("heading", name="bot-2")).to_be_visible()


async def play_many(arena: LocalArena) -> None:
    """Rated games of bots over a month, as if they had been played."""
    rng, begin = random.Random(4), datetime.now(UTC) - timedelta(days=30)
    async with open_database(arena.data, OPEN_S, Hold.NONE) as database:
        store, players = GameStore(database), await bots(database)
        for number in range(60):
            one, two = rng.sample(players, 2)
            game = finished(
                f"g{number}", (one, two), rng.choice([1, 2]), number * 3600, BLUESTONE, epoch=begin
            )
            await put(store, game)
        await fold_all(RatingStore(database))
