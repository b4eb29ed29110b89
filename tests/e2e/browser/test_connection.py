"""Connections that break during a game."""

import re
import sqlite3
from contextlib import closing
from typing import Any

import pytest
from playwright.async_api import WebSocketRoute, expect

from bot.arena.store.sqlite_database import FILE_NAME
from tests.e2e.browser.conftest import AddBot, OpenPage
from tests.e2e.browser.local_arena import LocalArena
from tests.e2e.browser.looks import fits, shows
from tests.e2e.browser.scripts import fixed_turn, position_of, wait
from tests.e2e.browser.test_two_people import meet

STATUSES = """() => {
    const seen = [];
    const root = document.documentElement;
    new MutationObserver(() => seen.push(root.dataset.status)).observe(
        root, { attributeFilter: ["data-status"] });
    return seen;
}"""


async def test_the_page_reconnects_after_the_server_restarts(
    open_page: OpenPage, add_bot: AddBot, arena: LocalArena
) -> None:
    bot = await add_bot("Basalt")
    person = await open_page()
    await person.choose()
    game_id = await person.challenge("Basalt")
    name = await person.name()
    await person.play("0-0")
    await expect(person.turns).to_have_count(2)

    await arena.stop()
    await expect(person.status).to_have_text("Reconnecting")
    await expect(person.page.locator("#lost")).to_be_visible()
    await arena.start()
    await expect(person.status).to_have_text("Connected")
    await expect(person.page.locator("#lost")).to_be_hidden()
    await expect(person.turns).to_have_count(2)
    await expect(person.page.locator("#name")).to_have_text(name)
    await bot.connect(arena.address)
    await person.play(fixed_turn(position_of(bot.states[game_id])))
    await expect(person.turns).to_have_count(4)


async def test_a_page_that_cannot_be_loaded_comes_with_the_connection(open_page: OpenPage) -> None:
    page = (await open_page()).page
    lobby = page.get_by_role("button", name="Create an open challenge")
    await page.context.set_offline(True)
    await expect(page.locator("html")).to_have_attribute("data-status", "reconnecting")
    await page.get_by_role("link", name="Games", exact=True).first.click()
    await page.wait_for_url("**/games")
    await expect(lobby).to_be_visible()
    await page.context.set_offline(False)
    await expect(page.get_by_role("heading", level=1)).to_have_text("Games")


async def test_a_turn_that_was_lost_with_its_connection_is_sent_again(
    open_page: OpenPage, add_bot: AddBot
) -> None:
    await add_bot("Basalt")
    person = await open_page()
    lost: list[str] = []

    async def lose_the_first_turn(route: WebSocketRoute) -> None:
        server = route.connect_to_server()

        async def pass_on(message: Any) -> None:
            if "game.turn" in str(message) and not lost:
                lost.append(str(message))
                await route.close()
                await server.close()
            else:
                server.send(message)

        route.on_message(pass_on)

    await person.page.route_web_socket("**/socket.io/**", lose_the_first_turn)
    await person.reload()
    await person.choose()
    await person.challenge("Basalt")
    await person.press_cell("0-0")
    await person.see_turn(0, "0-0")
    assert len(lost) == 1


async def test_the_page_asks_for_the_whole_game_when_an_event_is_lost(
    open_page: OpenPage, add_bot: AddBot
) -> None:
    await add_bot("Basalt")
    person = await open_page()
    lost: list[str] = []
    asked: list[str] = []

    async def lose_the_first_change(route: WebSocketRoute) -> None:
        server = route.connect_to_server()

        def to_page(message: Any) -> None:
            if str(message).startswith('42["change"') and not lost:
                lost.append(str(message))
            else:
                route.send(message)

        def to_server(message: Any) -> None:
            if "game.state" in str(message):
                asked.append(str(message))
            server.send(message)

        server.on_message(to_page)
        route.on_message(to_server)

    await person.page.route_web_socket("**/socket.io/**", lose_the_first_change)
    await person.reload()
    await person.choose()
    await person.challenge("Basalt")
    await person.play("0-0")
    await expect(person.turns).to_have_count(2)
    await person.see_turn(0, "0-0")
    assert (len(lost), len(asked)) == (1, 1)


async def test_a_turn_is_sent_again_until_the_server_can_write_it(
    open_page: OpenPage, add_bot: AddBot, arena: LocalArena
) -> None:
    await add_bot("Basalt")
    person = await open_page()
    await person.choose()
    await person.challenge("Basalt")
    with closing(sqlite3.connect(arena.data / FILE_NAME, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        await person.press_cell("0-0")
        await expect(person.page.locator("#notices")).to_contain_text("cannot write")
    await person.see_turn(0, "0-0")


async def test_the_page_shows_the_servers_sentence_about_an_unknown_game(
    open_page: OpenPage,
) -> None:
    person = await open_page("/game/there-is-none")
    await expect(person.page.locator("h1")).to_contain_text("no game with that id")
    await person.page.get_by_role("link", name="To the lobby").click()
    await expect(person.page.get_by_role("heading", name="Live games")).to_be_visible()


async def test_a_guest_takes_a_name_and_one_that_is_taken_is_refused(open_page: OpenPage) -> None:
    first, second = await open_page(), await open_page()
    await first.take_name("Ada Stone")
    await expect(first.page.locator("#name")).to_have_text("Ada Stone")
    old = await second.name()
    statuses = await second.page.evaluate_handle(STATUSES)
    await second.take_name("Ada Stone")
    window = second.page.get_by_role("dialog")
    await expect(window).to_contain_text("belongs to another player")
    await expect(window.get_by_role("textbox")).to_have_attribute("aria-invalid", "true")
    await window.get_by_role("textbox").fill("Bea Stone")
    await expect(window).not_to_contain_text("belongs to another player")
    await window.get_by_role("button", name="Cancel").click()
    await expect(window).to_have_count(0)
    await shows(lambda: statuses.json_value(), [])
    await expect(second.page.locator("#name")).to_have_text(old)
    await second.reload()
    await expect(second.page.locator("#name")).to_have_text(old)


async def test_a_name_cannot_change_during_a_game(open_page: OpenPage, add_bot: AddBot) -> None:
    await add_bot("Basalt", wait)
    person = await open_page()
    old = await person.name()
    await person.choose()
    await person.challenge("Basalt")
    await person.take_name("Ada Stone")
    window = person.page.get_by_role("dialog")
    await expect(window).to_contain_text("during a game")
    await expect(person.page.locator("#name")).to_have_text(old)


async def test_no_clock_on_the_page_runs_while_the_server_is_down(
    open_page: OpenPage, add_bot: AddBot, arena: LocalArena
) -> None:
    bot = await add_bot("Basalt", wait)
    person = await open_page()
    await person.page.clock.install()
    await person.reload()
    await person.choose(clock="5 min \\+ 5 s")
    await person.challenge("Basalt")
    await person.play("0-0")
    await expect(person.prompt).to_have_text("Basalt (White) is thinking.")
    clock = person.page.locator(".player.seat-2 .clock")
    await expect(clock).to_contain_text("first turn")
    await arena.stop()
    await expect(person.status).to_have_text("Reconnecting")
    await expect(person.prompt).to_have_text(
        "You're offline. Reconnecting… Your clock starts when it is your turn."
    )
    stands = await clock.text_content() or ""
    await person.page.clock.fast_forward(10_000)
    await expect(clock).to_have_text(stands)
    await arena.start()
    await bot.connect(arena.address)
    await expect(person.prompt).to_have_text("Basalt (White) is thinking.")
    went_on = await clock.text_content() or ""
    await person.page.clock.fast_forward(10_000)
    await expect(clock).not_to_have_text(went_on)


async def test_both_players_see_how_long_an_offline_player_has_left(
    open_page: OpenPage,
) -> None:
    anna, ben = await open_page(), await open_page(color_scheme="dark")
    await meet(anna, ben, clock=r"5 min \+ 5 s")
    await anna.play("0-0")
    await ben.play("1-0,3-0")
    await expect(anna.prompt).to_have_text("Your turn: place two stones.")
    board = await anna.board.bounding_box()

    await anna.page.context.set_offline(True)
    mine = re.compile(
        r"^You're offline\. Your clock is running; reconnect within \d\d s or you forfeit\.$"
    )
    await expect(anna.prompt).to_have_text(mine)
    clock = anna.page.locator(".player.seat-1 .clock")
    seen = await clock.inner_text(), await anna.prompt.inner_text()
    await expect(clock).not_to_have_text(seen[0])
    await expect(anna.prompt).not_to_have_text(seen[1])
    await shows(lambda: anna.board.bounding_box(), board)
    theirs = re.compile(r" \(Black\) is disconnected\. They forfeit in \d\d s\.$")
    await expect(ben.prompt).to_have_text(theirs)
    words = await ben.prompt.inner_text()
    await expect(ben.prompt).not_to_have_text(words)
    await anna.page.set_viewport_size({"width": 320, "height": 640})
    await fits(anna.page, 320)
    await expect(anna.page.locator("#name span")).to_be_in_viewport(ratio=1)

    await anna.press_cell("2-0")
    await anna.press_cell("2-2")
    await expect(anna.complaint).to_contain_text("The server has not sent the legal cells yet.")
    await anna.page.context.set_offline(False)
    await expect(ben.prompt).to_have_text(re.compile(r" \(Black\) is thinking\.$"))
    await expect(anna.complaint).to_be_empty()
    await anna.press_cell("2-2")
    await expect(anna.turns).to_have_count(3)


NO_CONNECTION = "There is no connection to the server at the moment."


@pytest.mark.parametrize("path", ["/tournaments", "/openings/bluestone", "/games"])
async def test_without_a_connection_the_reason_is_in_the_persons_language(
    open_page: OpenPage, path: str
) -> None:
    person = await open_page()
    await person.page.route("**/api/**", lambda route: route.abort())
    await person.page.goto(path)
    await expect(person.page.locator("main")).to_contain_text(
        f"could not be loaded: {NO_CONNECTION}"
    )


async def test_a_puzzle_that_cannot_be_asked_for_says_why(open_page: OpenPage) -> None:
    person = await open_page(online=False)
    page = person.page
    await page.route_web_socket("**", lambda socket: socket.close())
    await page.goto("/puzzles/daily")
    await expect(page.locator("main h1")).to_have_text(NO_CONNECTION)
