"""Two people who play each other, and play again."""

import asyncio
import random
import re

from playwright.async_api import Locator, expect

import engine
from bot.arena.games.game import DRAW_PAUSE_TURNS
from tests.e2e.browser.conftest import OpenPage
from tests.e2e.browser.visitor import Visitor


def rematch(person: Visitor) -> Locator:
    """The button that asks for a rematch, or accepts the one that the opponent asks for."""
    words = re.compile("^(Rematch|Accept)$")
    return person.page.locator(".rematch").get_by_role("button", name=words)


def offer(person: Visitor) -> Locator:
    """The offer of a game to this person, on any page."""
    return person.page.locator(".offers .notice")


async def meet(host: Visitor, guest: Visitor, clock: str = "Unlimited time") -> str:
    """A game between the two, in which the host plays first; its id."""
    await host.choose(clock=clock)
    await host.page.get_by_role("button", name="Create an open challenge").click()
    await guest.page.get_by_role("button", name="Accept").click()
    return await together(host, guest)


async def together(one: Visitor, two: Visitor, former: str = "") -> str:
    """Wait until both see the same game, and not the former one; its id."""
    for person in (one, two):
        await person.page.wait_for_url(
            lambda url: "/game/" in url and (not former or former not in url)
        )
        await expect(person.turns).to_have_count(0)
    ids = {await person.arrive_at_game() for person in (one, two)}
    assert len(ids) == 1
    return ids.pop()


async def play(first: Visitor, second: Visitor) -> None:
    """A game to its end: one turn each, and the second player resigns."""
    await first.play("0-0")
    await second.play("1-0,3-0")
    await second.page.get_by_role("button", name="Resign").click()
    await second.page.get_by_role("dialog").get_by_role("button", name="Resign").click()
    for person in (first, second):
        await expect(rematch(person)).to_be_visible()


async def test_an_opponent_who_took_another_name_gets_the_rematch(open_page: OpenPage) -> None:
    anna, ben = await open_page(), await open_page()
    first = await meet(anna, ben)
    await play(anna, ben)
    await ben.take_name("Ben Stone")
    await expect(ben.page.locator("#name")).to_have_text("Ben Stone")
    await anna.reload()
    await rematch(anna).click()
    await expect(anna.page.locator(".banner")).to_contain_text("Waiting for Ben Stone")
    await offer(ben).get_by_role("button", name="Accept").click()
    await together(anna, ben, first)


async def test_either_player_or_both_at_once_may_ask_for_a_rematch(
    open_page: OpenPage,
) -> None:
    anna, ben = await open_page(), await open_page()
    first = await meet(anna, ben)
    await play(anna, ben)

    await rematch(anna).click()
    await expect(anna.page.locator(".banner")).to_contain_text(f"Waiting for {await ben.name()}")
    await expect(offer(ben)).to_contain_text(f"{await anna.name()} offers a rematch")
    await offer(ben).get_by_role("button", name="Accept").click()
    second = await together(anna, ben, first)
    await play(ben, anna)

    # The other player asks, and the first one answers with the same button.
    await rematch(ben).click()
    await expect(anna.page.locator(".banner")).to_contain_text(
        f"{await ben.name()} offers a rematch"
    )
    await rematch(anna).click()
    third = await together(anna, ben, second)
    await play(anna, ben)

    await asyncio.gather(rematch(anna).click(), rematch(ben).click())
    await together(anna, ben, third)
    for person in (anna, ben):
        await expect(offer(person)).to_have_count(0)
    await ben.play("0-0")
    await anna.see_turn(0, "0-0")


async def test_a_player_with_a_new_name_keeps_their_games(open_page: OpenPage) -> None:
    anna, ben = await open_page(), await open_page()
    await meet(anna, ben)
    await play(anna, ben)
    await ben.take_name("Ben Stone")
    await expect(ben.page.locator("#name")).to_have_text("Ben Stone")
    await ben.reload()
    await expect(ben.page.locator(".badge.you")).to_be_visible()
    await rematch(ben).click()
    await expect(offer(anna)).to_contain_text("Ben Stone offers a rematch")


async def test_an_offer_to_a_person_is_shown_on_every_page_until_it_ends(
    open_page: OpenPage,
) -> None:
    anna, ben = await open_page(), await open_page()
    game_id = await meet(anna, ben)
    await play(anna, ben)
    await rematch(anna).click()
    await expect(offer(ben)).to_be_visible()
    await ben.page.get_by_role("link", name="New game").click()
    await expect(ben.page.get_by_role("heading", name="Live games")).to_be_visible()
    await expect(offer(ben)).to_have_count(1)
    # All players get a new lobby, which does not list offers to one person.
    carl = await open_page()
    name = await carl.name()
    await carl.page.get_by_role("button", name="Create an open challenge").click()
    await expect(ben.page.locator(".row", has_text=name)).to_be_visible()
    await expect(offer(ben)).to_have_count(1)
    await ben.reload()
    await expect(offer(ben)).to_contain_text("offers a game")
    await expect(offer(carl)).to_have_count(0)

    # The player who waits may visit other pages, and reload.
    await anna.reload()
    await expect(anna.page.locator(".banner")).to_contain_text("Waiting for")
    await anna.page.get_by_role("button", name="Cancel").click()
    await expect(offer(ben)).to_have_count(0)
    await rematch(anna).click()
    await offer(ben).get_by_role("button", name="Decline").click()
    await expect(anna.page.locator(".notices .error")).to_contain_text("declined")
    await rematch(anna).click()
    await expect(anna.page.locator(".banner")).to_contain_text("Waiting for")
    await anna.reload()
    await expect(anna.page.locator(".banner")).to_contain_text("Waiting for")
    await offer(ben).get_by_role("button", name="Accept").click()
    await together(anna, ben, game_id)


async def test_the_page_says_how_a_draw_offer_ended(open_page: OpenPage) -> None:
    anna, ben = await open_page(), await open_page()
    await meet(anna, ben)
    name = await ben.name()
    await anna.play("0-0")
    await ben.play("1-0,3-0")

    async def offer_draw() -> None:
        await anna.page.get_by_role("button", name="Offer a draw").click()
        await anna.page.get_by_role("dialog").get_by_role("button", name="Offer a draw").click()
        await expect(ben.page.locator(".banner")).to_contain_text("offers a draw")
        await expect(ben.page.get_by_role("button", name="Offer a draw")).to_have_count(0)

    notice = anna.page.locator("#notices")
    await offer_draw()
    await ben.page.get_by_role("button", name="Decline").click()
    await expect(notice).to_contain_text(f"{name} has declined the draw.")
    about = anna.page.locator(".about")
    await expect(about).to_contain_text("Draw declined.")
    await expect(about.get_by_role("button", name="Offer a draw")).to_be_disabled()

    # The same player may offer again after some turns. The offer ends with a turn of the opponent.
    position = engine.game("bluestone", board="pent-4").replay(["0-0", "1-0,3-0"])
    for ply in range(DRAW_PAUSE_TURNS + 1):
        turn = position.random_turn(random.Random(ply))
        await (ben if ply % 2 else anna).play(turn)
        position = position.play(turn)
    await offer_draw()
    await ben.play(position.random_turn(random.Random(1)))
    await expect(notice).to_contain_text(f"{name} has played a turn, which declines the draw.")


async def test_the_page_counts_down_the_limit_for_a_first_turn(open_page: OpenPage) -> None:
    anna, ben = await open_page(), await open_page()
    await anna.choose(clock="5 min \\+ 5 s")
    await anna.page.get_by_role("button", name="Create an open challenge").click()
    await ben.page.get_by_role("button", name="Accept").click()
    await together(anna, ben)
    for person in (anna, ben):
        clock = person.page.locator(".player.seat-1 .clock")
        await expect(clock).to_have_text(re.compile(r"^first turn: (1:00|0:\d\d)$"))
        seen = await clock.inner_text()
        await expect(clock).not_to_have_text(seen)
        await expect(person.page.locator(".player.seat-2 .clock")).to_have_text("5:00")


async def test_in_a_rematch_points_ahead_stay_with_the_player(open_page: OpenPage) -> None:
    anna, ben = await open_page(), await open_page()
    await anna.choose(game="blooms", board="hexhex-4")
    await anna.page.get_by_label("Points ahead for White").fill("3")
    await anna.page.get_by_role("button", name="Create an open challenge").click()
    await ben.page.get_by_role("button", name="Accept").click()
    first = await together(anna, ben)
    await anna.press_cell("a1")
    await ben.sees(1)
    await ben.press_cell("a2")
    await ben.page.get_by_role("button", name="Play one stone").click()
    await ben.page.get_by_role("button", name="Resign").click()
    await ben.page.get_by_role("dialog").get_by_role("button", name="Resign").click()
    for person in (anna, ben):
        await expect(rematch(person)).to_be_visible()
    await asyncio.gather(*(rematch(person).click() for person in (anna, ben)))
    await together(anna, ben, first)
    for person in (anna, ben):
        await expect(person.page.locator(".facts")).to_contain_text("Points ahead for Black: 3")
    await expect(ben.page.locator(".player.seat-1")).to_contain_text("you")
