"""The page of the account in a real browser, with Chromium's virtual authenticator."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest_asyncio
from playwright.async_api import Browser, CDPSession, Page, Route, expect

from tests.e2e.browser.accessibility import check
from tests.e2e.browser.conftest import AddBot, OpenPage, pages_of
from tests.e2e.browser.local_arena import LocalArena
from tests.e2e.browser.looks import fits, shows, until
from tests.e2e.browser.visitor import Visitor

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
KEY = "JSON.parse(localStorage['bluestone.guest_key'])"


@pytest_asyncio.fixture(loop_scope="session")
async def open_here(arena: LocalArena, browser: Browser) -> AsyncIterator[OpenPage]:
    """Open the page under `localhost`: passkeys need a name."""
    async with pages_of(arena.address.replace("127.0.0.1", "localhost"), browser) as open_one:
        yield open_one


async def authenticator(page: Page) -> tuple[CDPSession, str]:
    """A passkey holder of this page, which consents to everything."""
    session = await page.context.new_cdp_session(page)
    await session.send("WebAuthn.enable")
    options = {
        "protocol": "ctap2",
        "transport": "internal",
        "hasResidentKey": True,
        "hasUserVerification": True,
        "isUserVerified": True,
        "automaticPresenceSimulation": True,
    }
    added = await session.send("WebAuthn.addVirtualAuthenticator", {"options": options})
    return session, added["authenticatorId"]


async def account_of(person: Visitor) -> None:
    """Open the page of the account by the window of the name."""
    await person.page.locator("#name").click()
    await person.page.get_by_role("dialog").get_by_role("link").click()
    await expect(person.page.get_by_role("heading", name="Your account")).to_be_visible()


async def test_a_person_keeps_the_account_with_a_passkey_and_signs_in_elsewhere(
    open_here: OpenPage,
) -> None:
    person = await open_here()
    page = person.page
    session, holder = await authenticator(page)
    await account_of(person)
    await expect(page.get_by_role("heading", name="Keep this account")).to_be_visible()
    await expect(page.get_by_role("button", name="Create a passkey")).to_have_count(0)
    await check(page)
    await page.get_by_role("button", name="Choose a name").click()
    await page.get_by_role("dialog").get_by_role("textbox").fill("Ada Stone")
    await page.get_by_role("button", name="Save").click()
    await page.get_by_role("button", name="Create a passkey").click()
    await expect(page.locator("#notices")).to_contain_text("The passkey is ready.")
    await expect(page.get_by_role("heading", name="Ways to sign in")).to_be_visible()
    await check(page)

    # Another browser, to which the passkey is synchronised.
    phone = await open_here("/account", color_scheme="dark", **PHONE)
    elsewhere, second = await authenticator(phone.page)
    known = await session.send("WebAuthn.getCredentials", {"authenticatorId": holder})
    [credential] = known["credentials"]
    added = {"authenticatorId": second, "credential": {**credential, "signCount": 20}}
    await elsewhere.send("WebAuthn.addCredential", added)
    await phone.page.get_by_role("button", name="Sign in with a passkey").tap()
    await expect(phone.page.locator("#name")).to_have_text("Ada Stone")
    devices = phone.page.locator("section:has(#devices) li")
    await expect(devices).to_have_count(2)
    await fits(phone.page, 390)
    await check(phone.page)

    # The phone signs the first browser out, which becomes a new guest.
    await devices.filter(has_not_text="this device").get_by_role("button").tap()
    await expect(devices).to_have_count(1)
    await expect(page.locator("#name")).to_contain_text("Guest-")
    # Its storage has no key of Ada any more; the passkey finds the same player again. A passkey
    # with a counter must not fall behind its copy.
    await session.send("WebAuthn.clearCredentials", {"authenticatorId": holder})
    ahead = {"authenticatorId": holder, "credential": {**credential, "signCount": 50}}
    await session.send("WebAuthn.addCredential", ahead)
    await page.get_by_role("button", name="Sign in with a passkey").click()
    await expect(page.locator("#name")).to_have_text("Ada Stone")
    await expect(page.locator("section:has(#devices) li")).to_have_count(2)


async def test_a_recovery_link_brings_a_person_back_once(
    open_page: OpenPage, arena: LocalArena
) -> None:
    person = await open_page()
    page = person.page
    await person.take_name("Ada Stone")
    await account_of(person)
    # By an address there are no passkeys, and the page says why.
    await expect(page.locator(".account-note")).to_contain_text("IP address")
    await page.get_by_role("button", name="Create a recovery link").click()
    window = page.get_by_role("dialog")
    link = await window.get_by_label("Recovery link", exact=True).input_value()
    assert link.startswith(f"{arena.address}/#recover=")
    await expect(window.locator(".qr-code")).to_be_visible()
    async with page.expect_download() as started:
        await window.get_by_role("button", name="Save as a file").click()
    saved = (await (await started.value).path()).read_text()
    assert link in saved
    await check(page, "dialog")
    await window.get_by_role("button", name="I have saved it").click()
    await expect(page.get_by_role("button", name="Replace the recovery link")).to_be_visible()

    asked: list[str] = []
    other = await open_page("/")
    other.page.on("request", lambda request: asked.append(request.url))
    await other.page.goto("about:blank")  # the browser opens the link as a new page
    await other.page.goto(link)
    await other.page.get_by_role("dialog").get_by_role("button", name="Sign in").click()
    await expect(other.page.locator("#name")).to_have_text("Ada Stone")
    await expect(other.page).to_have_url(f"{arena.address}/account")
    await expect(other.page.locator("#notices")).to_contain_text("used up")
    secret = link.partition("#recover=")[2]
    assert all(secret not in url.partition("#")[0] for url in asked)

    late = await open_page("/account")
    await late.page.get_by_label("Recovery link").fill(link)
    await late.page.get_by_role("button", name="Sign in with the link").click()
    await expect(late.page.locator("#notices")).to_contain_text("used before")


async def test_a_device_with_only_a_key_must_prove_who_asks(open_page: OpenPage) -> None:
    """By an address there are no passkeys, so the recovery link is the proof."""
    person = await open_page()
    await person.take_name("Ada Stone")
    await account_of(person)
    key = await person.page.evaluate(KEY)
    await person.page.get_by_role("button", name="Create a recovery link").click()
    window = person.page.get_by_role("dialog")
    link = await window.get_by_label("Recovery link", exact=True).input_value()

    other = await open_page(f"/#guest_key={key}", online=False)
    page = other.page
    await page.get_by_role("dialog").get_by_role("button", name="Sign in").click()
    await expect(page.locator("#name")).to_have_text("Ada Stone")
    # Both browsers share a session here, so its proof must be forgotten first.
    await page.route("**/api/account/recovery/create", refuse_once())
    await account_of(other)
    await page.get_by_role("button", name="Replace the recovery link").click()
    question = page.get_by_role("dialog")
    await expect(question).to_contain_text("Confirm that it is you")
    await check(page, "dialog")
    await question.get_by_label("Recovery link").fill("no link")
    await question.get_by_role("button", name="Confirm with the link").click()
    await expect(question.get_by_role("alert")).not_to_be_empty()
    await question.get_by_label("Recovery link").fill(link)
    await question.get_by_role("button", name="Confirm with the link").click()
    await expect(page.get_by_role("dialog")).to_contain_text("This link is shown only now")


def refuse_once() -> Callable[[Route], Awaitable[None]]:
    """The server's answer to a session without a proof, for the first request."""
    refused: list[str] = []

    async def answer(route: Route) -> None:
        if refused:
            await route.continue_()
            return
        refused.append(route.request.url)
        body = {"code": "proof_needed", "message": "This needs a passkey or the recovery link."}
        await route.fulfill(status=403, json=body)

    return answer


async def test_a_person_downloads_everything_and_deletes_the_account(
    open_page: OpenPage, add_bot: AddBot
) -> None:
    await add_bot("Basalt")
    person = await open_page()
    page = person.page
    await person.take_name("Ada Stone")
    await person.choose()
    await person.challenge("Basalt")
    await person.play("0-0")
    await expect(person.turns).to_have_count(2)
    await page.get_by_role("button", name="Resign").click()
    await page.get_by_role("dialog").get_by_role("button", name="Resign").click()
    offer = page.locator(".keep-offer")
    await expect(offer).to_contain_text("Keep your name and games")
    await offer.get_by_role("link", name="Keep this account").click()
    await expect(page.get_by_role("heading", name="Your account")).to_be_visible()
    await expect(offer).to_have_count(0)
    async with page.expect_download() as started:
        await page.get_by_role("button", name="Download my data").click()
    lines = (await (await started.value).path()).read_text().splitlines()
    account, game = map(json.loads, lines)
    assert account["account"][0]["name"] == "Ada Stone"
    assert "Ada Stone" in json.dumps(game)

    await page.get_by_role("button", name="Delete account").click()
    window = page.get_by_role("dialog")
    await window.get_by_role("textbox").fill("Ada")
    await window.get_by_role("button", name="Delete account").click()
    await expect(window).to_contain_text("Type exactly Ada Stone.")
    await check(page, "dialog")
    await window.get_by_role("textbox").fill("Ada Stone")
    await window.get_by_role("button", name="Delete account").click()
    await expect(page.locator("#notices")).to_contain_text("Your account is deleted.")
    await expect(page.locator("#name")).to_contain_text("Guest-")
    await until(lambda: page.evaluate(KEY), bool)
    await page.goto("/")
    await expect(page.locator("#name")).not_to_be_empty()
    await expect(page.locator("main")).not_to_contain_text("Ada Stone")


async def test_a_running_game_is_named_when_the_account_cannot_be_deleted(
    open_page: OpenPage, add_bot: AddBot
) -> None:
    await add_bot("Basalt")
    person = await open_page()
    await person.choose()
    game = await person.challenge("Basalt")
    await person.visit("/account")
    await person.page.get_by_role("button", name="Delete account").click()
    window = person.page.get_by_role("dialog")
    await expect(window).to_contain_text("Finish or resign it first.")
    await window.get_by_role("link", name="Basalt").click()
    await shows(lambda: person.arrive_at_game(), game)
    await expect(window).to_have_count(0)
