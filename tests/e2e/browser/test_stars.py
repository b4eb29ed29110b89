"""A person plays Stargazers: what stones see, and what they do not."""

import re
from collections.abc import Sequence
from functools import partial

from playwright.async_api import Locator, Page, expect

from tests.e2e.browser.conftest import AddBot, OpenPage
from tests.e2e.browser.looks import box_in_view, shows, until
from tests.e2e.browser.opponent import Opponent, at_least
from tests.e2e.browser.scripts import wait
from tests.e2e.browser.test_watching import begin
from tests.e2e.browser.visitor import Visitor
from tests.fakes.early_end import DECIDED
from tests.fakes.early_end import TURNS as DECIDED_TURNS

CONTRAST = """() => {
    const channels = (colour) => colour.match(/[\\d.]+/g).map(Number);
    const light = (colour) => channels(colour).slice(0, 3)
        .map((value) => value / 255)
        .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4))
        .reduce((sum, value, index) => sum + value * [0.2126, 0.7152, 0.0722][index], 0);
    const stone = document.querySelector(".stone.faded");
    const opacity = Number(getComputedStyle(stone).opacity);
    const plate = getComputedStyle(document.querySelector(".board .surface")).fill;
    const edge = getComputedStyle(stone.querySelector(".body")).stroke;
    const mixed = channels(edge).map((value, i) =>
        opacity * value + (1 - opacity) * channels(plate)[i]);
    const [low, high] = [light(`rgb(${mixed})`), light(plate)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
}"""

SHOWN = """() => [...new Set(
    [...document.querySelectorAll(".board-place *, .player *, .tip *")]
        .filter((each) => !each.closest("defs"))
        .flatMap((each) => [...each.classList])
)]"""
"""What is shown on and beside the board: the classes of all elements there."""

OVER_THE_BOARD = {
    # the players, without their scores
    *("player-words", "player-name", "player-link", "player-about", "badge", "you", "clock"),
    *("swatches", "swatch", "seat-1", "seat-2", "kind-1", "scores"),
    # the board, and what is on it
    *("board", "surface", "lines", "stars", "star", "stones", "stone", "shadow", "body"),
    *("cells", "cell", "preview", "marks", "last", "ghosts", "pending", "aim", "pointed"),
    # layers without anything in them
    *("prospects", "groups", "rows"),
}
"""What players see over the board too. Whatever else is on the page is help, and may be hidden."""

TURNS = ["h3", "d7,j5", "f7,l5", "e6,k6"]
"""After these the first player's stone on l5 is uninspired, and so would be one on i6."""

WHITE_IS_BLOCKED = ["n7", "l9,i2", "i4,k8"]
"""After these one stone is uninspired, the second player's."""


async def begun(person: Visitor, bot: Opponent, turns: Sequence[str] = TURNS) -> str:
    """Play `turns`, the person first; the game's id."""
    await person.choose(game="stargazers", board="stars-39")
    game_id = await person.challenge(bot.name)
    for ply, turn in enumerate(turns):
        if ply % 2 == 0:
            await person.play(turn)
        else:
            await bot.wait_until(game_id, at_least(ply))
            await bot.tell("game.turn", {"game_id": game_id, "ply": ply, "turn": turn})
            await person.see_turn(ply, turn)
    return game_id


async def middle(element: Locator) -> tuple[float, float]:
    box = await box_in_view(element)
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


async def test_a_star_and_a_cell_without_a_view_cannot_be_chosen(
    open_page: OpenPage, add_bot: AddBot
) -> None:
    bot = await add_bot("Basalt", wait)
    person = await open_page()
    game_id = await begun(person, bot)
    await expect(person.prompt).to_have_text("Your turn: place two stones, one after the other.")
    await expect(person.page.locator(".aim")).to_contain_text("fewer uninspired stones")
    await expect(person.page.locator(".board .star")).to_have_count(12)
    await expect(person.page.locator(".stone.faded")).to_have_count(1)
    await expect(person.page.locator(".marks .word")).to_have_attribute("data-word", "uninspired")
    await expect(person.cell("l5")).to_have_attribute(
        "aria-label", "l5, black stone, uninspired, 1 stone, gazing at no star"
    )
    await expect(person.page.locator(".player.seat-1 .scores")).to_contain_text(
        "1 uninspired stone"
    )
    await expect(person.page.locator(".player.seat-2 .scores")).to_contain_text(
        "0 uninspired stones"
    )

    await expect(person.page.locator(".cell.open").first).to_be_attached()
    for index in range(12):
        await person.page.mouse.click(*await middle(person.page.locator(".board .star").nth(index)))
        await expect(person.complaint).to_contain_text("Stars stay free")
    await expect(person.cell("i6")).to_have_attribute("aria-disabled", "true")
    await person.press_cell("i6")
    await expect(person.complaint).to_contain_text("i6 would not be inspired")
    await expect(person.cell("i6")).to_have_class(re.compile("accused"))
    await expect(person.pending).to_have_count(0)
    assert len(bot.states[game_id].turns) == len(TURNS)


async def test_an_uninspired_white_stone_is_visible_in_light_and_dark(
    open_page: OpenPage, add_bot: AddBot
) -> None:
    first, second = await add_bot("Basalt", wait), await add_bot("Marble", wait)
    game_id = await begin(first, second, game="stargazers", board="stars-39")
    for ply, turn in enumerate(WHITE_IS_BLOCKED):
        await (first, second)[ply % 2].tell(
            "game.turn", {"game_id": game_id, "ply": ply, "turn": turn}
        )
    for scheme in ("light", "dark"):
        page = (await open_page(f"/game/{game_id}", color_scheme=scheme)).page
        await expect(page.locator(".stone.faded.seat-2")).to_have_count(1)
        # WCAG's minimum for parts of a picture.
        await until(partial(page.evaluate, CONTRAST), lambda contrast: contrast >= 3)


async def test_pointing_at_a_stone_shows_what_it_sees(open_page: OpenPage, add_bot: AddBot) -> None:
    bot = await add_bot("Basalt", wait)
    person = await open_page()
    await begun(person, bot)
    await person.cell("d7").hover()
    await expect(person.page.locator(".tip")).to_contain_text("in sight of one another")
    await expect(person.page.locator(".groups .sights")).to_have_count(1)
    await person.page.keyboard.press("Home")
    await expect(person.stones).to_have_count(0)
    await person.page.keyboard.press("End")
    await expect(person.page.locator(".stone.faded")).to_have_count(1)


async def test_the_aim_is_whole_on_a_phone_in_german(open_page: OpenPage, add_bot: AddBot) -> None:
    bot = await add_bot("Basalt", wait)
    phone = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
    person = await open_page(locale="de-DE", **phone)
    await person.choose(game="stargazers", board="stars-39", clock="Ohne Zeitlimit", begins="Ich")
    await person.page.get_by_role("button", name=bot.name).first.click()
    await person.arrive_at_game()
    aim, row = (person.page.locator(each) for each in (".aim", ".replay"))

    async def is_whole() -> bool:
        inner, outer = await box_in_view(aim), await box_in_view(row)
        return inner["y"] + inner["height"] <= outer["y"] + outer["height"] + 1

    await until(is_whole, bool)


async def test_the_game_ends_when_two_numbers_decide_it_and_marks_what_is_lost(
    open_page: OpenPage, add_bot: AddBot
) -> None:
    bot = await add_bot("Basalt", wait)
    person = await open_page()
    await begun(person, bot, DECIDED_TURNS[: DECIDED - 2])
    numbers = [person.page.locator(f".player.seat-{seat} .bounds") for seat in (1, 2)]
    await expect(numbers[0]).to_have_text("in the end 0 to 19")
    await expect(numbers[1]).to_have_text("in the end 0 to 18")
    await expect(person.page.locator(".prospects > *, .marks [data-word=dead]")).to_have_count(0)

    await person.play(DECIDED_TURNS[DECIDED - 2])
    game_id = next(iter(bot.states))
    ply = DECIDED - 1
    await bot.wait_until(game_id, at_least(ply))
    await bot.tell("game.turn", {"game_id": game_id, "ply": ply, "turn": DECIDED_TURNS[ply]})
    await expect(person.page.locator(".result-title")).to_have_text("You lost")
    reason = person.page.locator(".result-reason")
    await expect(reason).to_contain_text("The winner is certain: ")
    await expect(reason).to_contain_text("you keep at least 3, and Basalt gets at most 2.")
    for number in numbers:
        await expect(number).to_have_count(0)
    await expect(person.page.locator(".marks [data-word=dead]")).to_have_count(3)
    await expect(person.page.locator(".prospects .closed").first).to_be_attached()
    # White on a pale board: without an edge it nearly disappears.
    pale = person.page.locator(".prospects .closed.seat-2").first
    await expect(pale).to_have_css("stroke", re.compile("^rgb"))
    await expect(person.page.locator(".prospects .secured")).to_have_count(0)
    dead = re.compile("uninspired for good")
    await expect(person.cell("d5")).to_have_attribute("aria-label", dead)


async def test_over_the_board_a_running_game_shows_no_help_at_all(
    open_page: OpenPage, add_bot: AddBot
) -> None:
    bot = await add_bot("Basalt", wait)
    person = await open_page()
    page = person.page
    await begun(person, bot, DECIDED_TURNS[: DECIDED - 2])
    await page.get_by_label("Decided stones and cells").check()
    await expect(page.locator(".prospects .closed").first).to_be_attached()
    await until(partial(help_on, page), {"faded", "word", "figure", "bounds", "open"}.issubset)

    await page.get_by_role("button", name="Settings").click()
    await page.get_by_label("Over the board").check()
    await page.get_by_role("button", name="Close").click()
    await expect(page.locator(".figure")).to_have_count(0)
    await person.cell("d7").hover()
    await shows(partial(help_on, page), set())
    await person.press_cell(DECIDED_TURNS[DECIDED - 2].split(",")[0])
    await expect(person.pending).to_have_count(1)
    await page.keyboard.press("Home")
    await page.keyboard.press("End")
    await shows(partial(help_on, page), set())
    for layer in ("prospects", "groups", "rows"):
        await expect(page.locator(f".board .{layer} > *")).to_have_count(0)
    for scores in await page.locator(".scores").all():
        await expect(scores).to_be_empty()
    await expect(page.locator(".pointed")).to_be_empty()
    for name in ("Hint", "Decided stones and cells"):
        await expect(page.get_by_text(name, exact=True)).to_be_hidden()
    stone = "(your )?(black|white) stone(, not sent yet)?"
    words = re.compile(f"^\\w+, (empty|{stone})(, last turn)?$")
    for cell in await page.locator(".cell").all():
        await expect(cell).to_have_attribute("aria-label", words)
        await expect(cell).not_to_have_attribute("aria-disabled", "true")

    await page.get_by_role("button", name="Resign").click()
    await page.get_by_role("dialog").get_by_role("button", name="Resign").click()
    await expect(page.locator(".marks [data-word]").first).to_be_attached()
    await expect(page.locator(".figure")).to_have_count(2)


async def help_on(page: Page) -> set[str]:
    """What the page shows that no player sees over the board."""
    return set(await page.evaluate(SHOWN)) - OVER_THE_BOARD
