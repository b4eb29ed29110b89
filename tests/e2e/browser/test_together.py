"""Two people together: invited by a link, with turns taken back."""

from playwright.async_api import expect

from tests.e2e.browser.conftest import AddBot, OpenPage
from tests.e2e.browser.looks import shows, until
from tests.e2e.browser.test_two_people import meet
from tests.e2e.browser.visitor import Visitor


async def press(person: Visitor, name: str) -> None:
    await person.page.get_by_role("button", name=name, exact=True).click()


async def press_in_dialog(person: Visitor, name: str) -> None:
    await person.page.get_by_role("dialog").get_by_role("button", name=name).click()


async def notices(person: Visitor) -> str:
    """What the page says now: a notice leaves by itself, so waiting for none proves nothing."""
    return await person.page.locator("#notices").inner_text()


FORBID_COPYING = """() => {
    navigator.clipboard.writeText = () => Promise.reject(new Error("forbidden"));
}"""


async def invite(person: Visitor) -> str:
    """Make a private invitation; the path of its link."""
    await person.choose(clock=r"5 min \+ 5 s")
    await press(person, "Invite a friend")
    await person.page.wait_for_url("**/invite/*")
    link = await person.page.get_by_role("textbox", name="Link").input_value()
    assert link == person.page.url
    return "/invite/" + link.rsplit("/", 1)[-1]


async def test_a_new_guest_is_in_the_game_after_one_press_on_a_private_link(
    open_page: OpenPage,
) -> None:
    anna, watcher = await open_page(), await open_page()
    path = await invite(anna)
    await expect(anna.page.locator(".qr-code")).to_be_visible()
    friend = await open_page(path)
    await expect(friend.page.get_by_role("heading", level=1)).to_have_text(
        f"{await anna.name()} invites you to a game"
    )
    await expect(friend.page.locator(".terms")).to_contain_text("5 min + 5 s. You go second.")
    await expect(watcher.page.get_by_text("No open challenges.")).to_be_visible()
    await press(friend, "Play")
    ids = {await person.arrive_at_game() for person in (anna, friend)}
    assert len(ids) == 1
    await anna.play("0-0")
    await friend.see_turn(0, "0-0")


async def test_where_a_page_must_not_copy_the_link_is_selected(open_page: OpenPage) -> None:
    anna = await open_page()
    await anna.page.evaluate(FORBID_COPYING)
    await invite(anna)
    await press(anna, "Copy")
    link = anna.page.get_by_role("textbox", name="Link")
    await expect(link).to_be_focused()
    chosen = "(field) => field.selectionEnd - field.selectionStart === field.value.length"
    await until(lambda: link.evaluate(chosen), bool)


async def test_a_cancelled_invitation_says_so(open_page: OpenPage) -> None:
    anna = await open_page()
    path = await invite(anna)
    friend = await open_page(path)
    await expect(friend.page.get_by_role("button", name="Play", exact=True)).to_be_visible()
    await press(anna, "Cancel the invitation")
    await press(friend, "Play")
    for person in (anna, friend):
        await expect(person.page.get_by_role("heading", level=1)).to_have_text(
            "This invitation is no longer open."
        )


async def test_two_people_take_turns_back(open_page: OpenPage) -> None:
    anna, ben = await open_page(), await open_page()
    await meet(anna, ben)
    await anna.play("0-0")
    await ben.play("1-0,3-0")
    await ben.see_turn(0, "0-0")
    await anna.press_cell("3-3")
    await expect(anna.ghosts.or_(anna.pending).first).to_be_visible()
    await press(ben, "Takeback")
    await expect(anna.page.locator(".banner")).to_contain_text("asks for a takeback")
    await press(anna, "Decline")
    await expect(ben.page.locator(".game-actions")).to_contain_text("Takeback declined.")
    await press(anna, "Takeback")
    await press(ben, "Accept")
    for person in (anna, ben):
        await expect(person.turns).to_have_count(0)
        await expect(person.stones).to_have_count(0)
    await anna.play("3-3")
    await ben.see_turn(0, "3-3")
    await ben.play("1-0,3-0")
    await anna.see_turn(1, "1-0 3-0")


async def test_a_takeback_that_ends_a_draw_offer_is_no_answer_to_it(open_page: OpenPage) -> None:
    anna, ben = await open_page(), await open_page()
    await meet(anna, ben)
    await anna.play("0-0")
    await ben.play("1-0,3-0")
    await anna.see_turn(1, "1-0 3-0")
    await press(anna, "Offer a draw")
    await press_in_dialog(anna, "Offer a draw")
    await expect(ben.page.locator(".banner")).to_contain_text("offers a draw")
    await press(ben, "Takeback")
    await press(anna, "Accept")
    await expect(ben.page.locator(".banner")).to_be_hidden()
    await expect(anna.turns).to_have_count(1)
    await shows(lambda: notices(anna), "")


async def test_a_bot_grants_a_takeback_at_once(open_page: OpenPage, add_bot: AddBot) -> None:
    await add_bot("Basalt")
    person = await open_page()
    await person.choose()
    await person.challenge("Basalt")
    await person.play("0-0")
    await expect(person.turns).to_have_count(2)
    heard = person.page.locator(".heard")
    await expect(heard).to_contain_text("Basalt played")
    await press(person, "Takeback")
    await expect(person.turns).to_have_count(0)
    await expect(heard).to_be_empty()
    await person.play("3-3")
    await expect(person.turns).to_have_count(2)


async def offer_to_abort(person: Visitor) -> None:
    await press(person, "Offer to abort")
    window = person.page.get_by_role("dialog")
    await expect(window).to_contain_text("ends without a result and does not count")
    await press_in_dialog(person, "Offer to abort")
    await expect(person.page.locator(".about")).to_contain_text("You have offered to abort")


async def test_two_people_agree_to_abort_a_game(open_page: OpenPage) -> None:
    anna, ben = await open_page(), await open_page()
    game_id = await meet(anna, ben)
    watcher = await open_page(f"/game/{game_id}", locale="de-DE")
    await anna.play("0-0")
    await ben.see_turn(0, "0-0")
    await expect(ben.page.get_by_role("button", name="Abort", exact=True)).to_be_visible()
    await expect(ben.page.get_by_role("button", name="Offer to abort")).to_have_count(0)
    await ben.play("1-0,3-0")
    await anna.see_turn(1, "1-0 3-0")
    await offer_to_abort(anna)
    await ben.reload()
    await expect(ben.page.locator(".banner")).to_contain_text(
        f"{await anna.name()} offers to abort the game, without a result."
    )
    await press(ben, "Accept")
    await press_in_dialog(ben, "Accept")
    for person in (anna, ben):
        await expect(person.result).to_have_text("Aborted, no result")
        message = person.page.locator(".result-message")
        await expect(message).to_have_text("Both players agreed to abort the game.")
        await expect(person.page.get_by_role("button", name="Rematch")).to_be_visible()
        await expect(person.turns).to_have_count(2)
    message = watcher.page.locator(".result-message")
    await expect(message).to_have_text("Beide Spieler haben sich auf den Abbruch geeinigt.")


async def test_the_page_says_how_an_offer_to_abort_ended(open_page: OpenPage) -> None:
    anna, ben = await open_page(), await open_page()
    await meet(anna, ben)
    await anna.play("0-0")
    await ben.play("1-0,3-0")
    await anna.see_turn(1, "1-0 3-0")
    # Anna's own turn ends her offer, and nobody has declined it.
    await offer_to_abort(anna)
    await expect(ben.page.locator(".banner")).to_contain_text("offers to abort the game")
    await anna.play("3-3,3-6")
    await ben.see_turn(2, "3-3 3-6")
    await expect(ben.page.locator(".banner")).to_be_hidden()
    await expect(anna.turns).to_have_count(3)
    await shows(lambda: notices(anna), "")
    await offer_to_abort(ben)
    await press(anna, "Decline")
    await expect(ben.page.locator("#notices")).to_contain_text(
        f"{await anna.name()} has declined to abort the game."
    )
    await expect(ben.page.locator(".about")).to_contain_text("Offer to abort declined.")
    await expect(anna.page.get_by_role("button", name="Offer to abort")).to_have_count(0)


async def test_a_bot_is_not_asked_to_abort_a_game(open_page: OpenPage, add_bot: AddBot) -> None:
    await add_bot("Basalt")
    person = await open_page()
    await person.choose()
    await person.challenge("Basalt")
    await person.play("0-0")
    await expect(person.turns).to_have_count(2)
    await expect(person.page.get_by_role("button", name="Resign")).to_be_visible()
    await expect(person.page.get_by_role("button", name="Offer to abort")).to_have_count(0)


async def test_players_chat_with_presets_and_write_if_both_allow_it(open_page: OpenPage) -> None:
    anna, ben = await open_page(), await open_page()
    await meet(anna, ben)
    for person in (anna, ben):
        await press(person, "Chat")
    lines = ben.page.locator(".chat-lines li")
    await press(anna, "Good luck!")
    await expect(lines).to_have_text([f"{await anna.name()}: Good luck!"])
    await press(anna, "Allow written messages")
    await expect(ben.page.locator(".chat-texts")).to_contain_text("would like to write")
    await press(ben, "Allow written messages")
    await ben.page.get_by_label("Write a message").fill("<b>hello</b>")
    await press(ben, "Send")
    await expect(anna.page.locator(".chat-lines li").last).to_contain_text("<b>hello</b>")
    await anna.page.keyboard.press("Escape")
    await expect(anna.page.locator(".chat")).to_be_hidden()
    await press(ben, "Thank you!")
    await expect(anna.page.locator(".chat-badge")).to_have_text("1")
    await anna.play("0-0")


async def test_a_notice_of_the_chat_has_words_and_leaves_when_the_chat_opens(
    open_page: OpenPage,
) -> None:
    anna, ben = await open_page(), await open_page()
    await meet(anna, ben)
    await press(anna, "Chat")
    await press(anna, "Allow written messages")
    notice = ben.page.locator(".notice")
    await expect(notice).to_contain_text(f"{await anna.name()} allows written messages.")
    await ben.page.locator(".chat-button").click()
    await expect(notice).to_have_count(0)


async def test_the_page_says_how_many_people_watch(open_page: OpenPage) -> None:
    anna, ben = await open_page(), await open_page()
    game_id = await meet(anna, ben)
    for _ in range(2):
        await open_page(f"/game/{game_id}")
    await expect(anna.page.locator(".facts")).to_contain_text("2 people are watching")


async def test_a_premove_is_sent_when_the_turn_comes(open_page: OpenPage) -> None:
    anna, ben = await open_page(), await open_page()
    await meet(anna, ben)
    await ben.press_cell("1-0")
    await expect(ben.prompt).to_have_text(
        "Premove: 1-0. Choose a second stone now, or when your turn comes."
    )
    await ben.press_cell("3-0")
    await expect(ben.prompt).to_have_text("Premove: 1-0 and 3-0. It is sent when your turn comes.")
    await anna.play("0-0")
    await anna.see_turn(1, "1-0 3-0")
    # Cancelled by a button, by Escape, and dropped if it is no longer legal.
    for cancel in ("button", "key"):
        await ben.press_cell("3-3")
        await expect(ben.pending).to_have_count(1)
        if cancel == "button":
            await press(ben, "Cancel premove")
        else:
            await ben.page.keyboard.press("Escape")
        await expect(ben.pending).to_have_count(0)
    for cell in ("3-6", "3-9"):
        await ben.press_cell(cell)
    await anna.play("3-6,3-3")
    await expect(ben.complaint).to_contain_text("Your premove was dropped.")
    await expect(ben.turns).to_have_count(3)


async def test_a_conditional_turn_is_played_at_once(open_page: OpenPage) -> None:
    anna, ben = await open_page(), await open_page()
    await meet(anna, ben)
    await press(ben, "Conditional turns")
    window = ben.page.get_by_role("dialog")
    await window.get_by_label("If my opponent plays").fill("0-0")
    await window.get_by_label("I play").fill("0-0")
    await window.get_by_role("button", name="Add").click()
    await expect(window.get_by_role("alert")).not_to_be_empty()
    await window.get_by_label("I play").fill("1-0 3-0")
    await window.get_by_role("button", name="Add").click()
    await expect(window.get_by_role("listitem")).to_contain_text("0-0 → 1-0 3-0")
    await window.get_by_role("button", name="Close").click()
    await anna.play("0-0")
    await anna.see_turn(1, "1-0 3-0")
