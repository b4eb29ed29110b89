"""Controls that send a request wait for the connection; nothing that a person writes is lost."""

from collections.abc import Callable
from functools import partial
from typing import Any, Final

import pytest
from playwright.async_api import Page, WebSocketRoute, expect

from tests.e2e.browser.conftest import AddBot, OpenPage
from tests.e2e.browser.looks import shows
from tests.e2e.browser.test_two_people import meet
from tests.e2e.browser.visitor import Visitor

GATED: Final = "[data-needs-connection]"
OFFLINE: Final = "There is no connection to the server at the moment."
PRESS_ALL: Final = """async () => {
    const shown = (each) => each.checkVisibility() && !each.closest("[aria-disabled=true]");
    const pressed = [];
    for (const each of document.querySelectorAll("#page button, #offers button")) {
        if (each.isConnected && shown(each) && !each.disabled) {
            pressed.push(each.textContent);
            each.click();
            await new Promise((done) => setTimeout(done));
            document.querySelectorAll("dialog").forEach((window) => window.close());
        }
    }
    return pressed;
}"""
"""Press each button that looks as if it worked; the words on them."""


async def test_controls_wait_until_the_page_hears(open_page: OpenPage, add_bot: AddBot) -> None:
    await add_bot("Basalt")
    person = await open_page("/icon.svg", online=False)
    held: list[Callable[[], None]] | None = []

    async def hold(route: WebSocketRoute) -> None:
        def to_page(message: Any) -> None:
            if held is None:
                route.send(message)
            else:
                held.append(partial(route.send, message))

        route.connect_to_server().on_message(to_page)

    await person.page.route_web_socket("**/socket.io/**", hold)
    await person.page.goto("/learn/bluestone")
    name, settings = person.page.locator("#name"), person.page.locator("#settings")
    await expect(settings).to_be_enabled()
    await expect(name).to_be_disabled()
    arrived, held = held or [], None
    for send in arrived:
        send()
    await expect(name).to_be_enabled()
    await expect(person.page.locator(f"{GATED}[aria-disabled]")).to_have_count(0)


async def test_a_lost_connection_takes_neither_words_nor_focus(open_page: OpenPage) -> None:
    anna, ben = await open_page(), await open_page()
    await meet(anna, ben)
    await anna.page.get_by_role("button", name="Chat").click()
    hello = anna.page.get_by_role("button", name="Hello!", exact=True)
    await hello.focus()
    await anna.page.context.set_offline(True)
    await expect(hello).to_be_disabled()
    await expect(hello).to_be_focused()
    await anna.page.keyboard.press("Enter")
    await anna.page.context.set_offline(False)
    await expect(hello).to_be_enabled()
    await expect(hello).to_be_focused()

    await anna.page.locator("#name").click()
    field = anna.page.get_by_role("dialog").get_by_role("textbox")
    await field.fill("Ada Sto")
    save = anna.page.get_by_role("button", name="Save")
    await anna.page.context.set_offline(True)
    await expect(save).to_be_disabled()
    await anna.page.keyboard.type("ne")
    await anna.page.keyboard.press("Enter")
    await expect(field).to_have_value("Ada Stone")
    await expect(field).to_be_focused()
    await anna.page.context.set_offline(False)
    await expect(save).to_be_enabled()
    await expect(field).to_have_value("Ada Stone")
    await expect(anna.page.locator(".chat-mine")).to_have_count(0)


async def lobby(person: Visitor, other: Visitor) -> None:
    await other.page.get_by_role("button", name="Create an open challenge").click()
    await expect(person.page.get_by_role("button", name="Accept")).to_be_visible()


async def game(person: Visitor, other: Visitor) -> None:
    await meet(person, other, clock="Unlimited time")
    await person.page.get_by_role("button", name="Chat").click()
    await person.play("0-0")
    await other.play("1-0,3-0")
    await person.sees(2)


async def finished_game(person: Visitor, other: Visitor) -> None:
    await game(person, other)
    await other.page.get_by_role("button", name="Resign").click()
    await other.page.get_by_role("dialog").get_by_role("button", name="Resign").click()
    await expect(person.page.get_by_role("button", name="Rematch")).to_be_visible()


async def puzzle(person: Visitor, _: Visitor) -> None:
    await person.visit("/puzzles/bluestone")
    await expect(person.page.get_by_role("button", name="Give up")).to_be_visible()


async def invitation(person: Visitor, _: Visitor) -> None:
    await person.page.get_by_role("button", name="Invite a friend").click()
    await person.page.wait_for_url("**/invite/*")
    await expect(person.page.locator(".qr-code")).to_be_visible()
    await expect(person.page.get_by_role("button", name="Cancel")).to_be_visible()


@pytest.mark.parametrize("scene", [lobby, game, finished_game, puzzle, invitation])
async def test_no_button_of_a_page_without_a_connection_says_that_there_is_none(
    open_page: OpenPage, add_bot: AddBot, scene: Any
) -> None:
    """A button that sends a request and does not wait for the connection says so when pressed."""
    await add_bot("Basalt", level=1)
    person, other = await open_page(), await open_page()
    await scene(person, other)
    await person.page.context.set_offline(True)
    await expect(person.page.locator("html")).to_have_attribute("data-status", "reconnecting")
    await press_all(person.page)
    await expect(person.page.locator("body")).not_to_contain_text(OFFLINE)
    await person.page.context.set_offline(False)
    await person.be_online()
    await shows(person.page.locator(f"{GATED}[aria-disabled]").count, 0)


async def press_all(page: Page) -> None:
    await expect(page.locator(f"{GATED}:not([aria-disabled])")).to_have_count(0)
    await page.evaluate(PRESS_ALL)
