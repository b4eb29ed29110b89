"""A link for another device: shown with a warning, and used once."""

from playwright.async_api import expect

from tests.e2e.browser.accessibility import check
from tests.e2e.browser.conftest import OpenPage
from tests.e2e.browser.local_arena import LocalArena
from tests.e2e.browser.looks import fits, until

DARK_MODULES = "(path) => path.getAttribute('d').split('z').length - 1"


async def test_a_person_signs_in_another_device_by_a_link_that_works_once(
    open_page: OpenPage, arena: LocalArena
) -> None:
    person = await open_page()
    await person.take_name("Ada Stone")
    await expect(person.page.locator("#name")).to_have_text("Ada Stone")
    asked: list[str] = []
    person.page.on("request", lambda request: asked.append(request.url))
    await person.page.locator("#settings").click()
    window = person.page.get_by_role("dialog")
    await expect(window.locator(".qr-code")).to_have_count(0)
    await window.get_by_text("Play as Ada Stone on another device").click()
    await expect(window).to_contain_text("It works once, within ten minutes")
    link = await window.get_by_label("Link", exact=True).input_value()
    assert link.startswith(f"{arena.address}/#device=")
    secret = link.partition("#device=")[2]
    # The other device gets a key of its own, so that it can be signed out.
    own = await person.page.evaluate("localStorage['bluestone.guest_key']")
    assert own != f'"{secret}"'
    # 25 or more modules a side, about half of them dark.
    code = window.locator(".qr-code path")
    await until(lambda: code.evaluate(DARK_MODULES), lambda dark: dark > 300)
    assert all(url.startswith(arena.address) and secret not in url for url in asked)
    await check(person.page, "dialog")
    await person.page.keyboard.press("Escape")

    phone = await open_page(
        f"/#device={secret}",
        online=False,
        viewport={"width": 320, "height": 568},
        has_touch=True,
        is_mobile=True,
        color_scheme="dark",
    )
    question = phone.page.get_by_role("dialog")
    await expect(question).to_contain_text("If someone else sent you this link, click Cancel.")
    await question.get_by_role("button", name="Sign in").tap()
    await expect(phone.page.locator("#name")).to_have_text("Ada Stone")
    assert secret not in phone.page.url
    own = await phone.page.evaluate("localStorage['bluestone.guest_key']")
    assert own not in {"null", f'"{secret}"'}
    await phone.page.locator("#settings").tap()
    await phone.page.get_by_text("Play as Ada Stone on another device").tap()
    await expect(phone.page.locator(".qr-code")).to_be_in_viewport(ratio=1)
    await fits(phone.page, 320)
    await check(phone.page, "dialog")

    late = await open_page(f"/#device={secret}", online=False)
    await late.page.get_by_role("dialog").get_by_role("button", name="Sign in").click()
    await expect(late.page.locator("#notices")).to_contain_text("was used before")
    await expect(late.page.locator("#name")).to_contain_text("Guest-")
