"""People play HeXO: a board without an edge, by mouse, keyboard and finger."""

import re
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from playwright.async_api import CDPSession, Locator, expect

from tests.e2e.browser.accessibility import check
from tests.e2e.browser.conftest import AddBot, OpenPage
from tests.e2e.browser.local_arena import LocalArena
from tests.e2e.browser.looks import box_in_view, fits, shows, until
from tests.e2e.browser.opponent import Opponent, at_least
from tests.e2e.browser.scripts import wait
from tests.e2e.browser.test_tournaments import SETTINGS, enter, make_by_text, sign_in
from tests.e2e.browser.test_watching import begin
from tests.e2e.browser.visitor import Visitor

PLACE = """(svg, name) => {
    const [q, r] = name.split(":").map(Number);
    const point = new DOMPoint(q + r / 2, -r * Math.sqrt(0.75));
    const { x, y } = point.matrixTransform(svg.getScreenCTM());
    return [x, y];
}"""
PHONE: dict[str, Any] = {
    "viewport": {"width": 390, "height": 844},
    "has_touch": True,
    "is_mobile": True,
}
Spot = tuple[float, float]
Box = tuple[float, float, float, float]


async def part_in_view(board: Locator) -> Box:
    """The part of a board that is in view: x, y, width and height in board units."""
    text = await board.get_attribute("viewBox") or ""
    x, y, width, height = map(float, text.split())
    return x, y, width, height


async def seen(person: Visitor) -> Box:
    return await part_in_view(person.board)


def covers(*across: float) -> Callable[[Box], bool]:
    """Whether these places from left to right are in view."""
    return lambda box: all(box[0] < x < box[0] + box[2] for x in across)


async def spot(person: Visitor, cell: str) -> Spot:
    """Where a cell is on the screen, whether it is drawn or not."""
    x, y = await person.board.evaluate(PLACE, cell)
    return x, y


async def drag(person: Visitor, by: Spot) -> None:
    box = await box_in_view(person.board)
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    mouse = person.page.mouse
    await mouse.move(x, y)
    await mouse.down()
    await mouse.move(x + by[0], y + by[1], steps=4)
    await mouse.up()


async def answer(bot: Opponent, game_id: str, ply: int, turn: str) -> None:
    """The bot's turn, once it is its turn."""
    await bot.wait_until(game_id, at_least(ply))
    told = await bot.tell("game.turn", {"game_id": game_id, "ply": ply, "turn": turn})
    assert told["ok"], told


async def begun(person: Visitor, bot: Opponent, turns: Sequence[str] = ()) -> str:
    """A game in which the person goes first, after these turns; its id."""
    await person.choose(game="hexo", board=None)
    game_id = await person.challenge(bot.name)
    for ply, turn in enumerate(turns):
        if ply % 2:
            await answer(bot, game_id, ply, turn)
            await person.see_turn(ply, turn)
        else:
            await person.play(turn)
    return game_id


async def test_two_people_play_a_game_to_a_row_of_six(open_page: OpenPage) -> None:
    one, two = await open_page(), await open_page()
    await one.choose(game="hexo", board=None)
    await one.page.get_by_role("button", name="Create an open challenge").click()
    await two.page.get_by_role("button", name="Accept").click()
    await one.arrive_at_game()
    await two.arrive_at_game()
    await expect(one.prompt).to_have_text("Your turn: place the first stone, on 0:0.")
    ring = one.page.locator(".marks .only")  # nobody sees otherwise where 0:0 is
    await expect(ring).to_have_attribute("cx", "0")
    await expect(ring).to_have_attribute("cy", re.compile("^-?0$"))
    await expect(two.page.locator(".marks .only")).to_have_count(0)
    turns = ["0:0", "0:1,1:1", "1:0,2:0", "2:1,-1:1", "3:0,4:0", "-2:2,-3:3"]
    for ply, turn in enumerate(turns):
        await (one, two)[ply % 2].play(turn)
        await (two, one)[ply % 2].see_turn(ply, turn)
        await expect(ring).to_have_count(0)
    await expect(one.page.locator(".player.seat-1 .scores")).to_contain_text("5 of 6 in a row")
    await one.press_cell("5:0")  # wins at once: there is no second stone
    await one.see_turn(6, "5:0")
    await expect(one.result).to_have_text("You won")
    await expect(one.page.locator(".result-message")).to_have_text(
        "You win: 6 stones in a row against 4."
    )
    await expect(two.result).to_have_text("You lost")
    for person in (one, two):
        await expect(person.page.locator(".rows .won")).to_have_count(1)
    await two.page.get_by_role("button", name="Previous turn").click()
    await expect(two.stones).to_have_count(11)
    await expect(two.page.locator(".rows .won")).to_have_count(0)
    await check(two.page)


async def test_the_server_explains_cells_that_no_list_can_name(
    open_page: OpenPage, add_bot: AddBot
) -> None:
    bot = await add_bot("Basalt", wait)
    person = await open_page()
    await begun(person, bot)
    await person.press_cell("1:0")
    await expect(person.complaint).to_have_text("1:0: The first stone of the game is on 0:0.")
    await person.play("0:0")
    game_id = person.page.url.rsplit("/", 1)[-1]
    await answer(bot, game_id, 1, "1:0,0:1")
    await person.see_turn(1, "1:0,0:1")
    await person.press_cell("0:1")
    await expect(person.complaint).to_have_text("0:1 is not empty.")
    for _ in range(3):
        await person.page.keyboard.press("-")
    await person.page.mouse.click(*await spot(person, "-9:0"))
    await expect(person.complaint).to_have_text("-9:0 is more than 8 cells away from every stone.")
    await expect(person.cell("-9:0")).to_have_class(re.compile("accused"))
    await expect(person.pending).to_have_count(0)
    # In reach of the first stone of the turn only.
    await person.page.mouse.click(*await spot(person, "-8:0"))
    await expect(person.pending).to_have_count(1)
    await expect(person.complaint).to_be_empty()
    await person.page.mouse.click(*await spot(person, "-9:0"))
    await person.see_turn(2, "-8:0,-9:0")


async def test_the_board_moves_and_zooms_by_mouse_keys_and_buttons(
    open_page: OpenPage, add_bot: AddBot
) -> None:
    bot = await add_bot("Basalt", wait)
    person = await open_page()
    await begun(person, bot, ["0:0", "1:0,0:1"])
    await expect(person.page.locator(".cell.open").first).to_be_attached()
    await person.page.keyboard.press("0")
    whole = await seen(person)
    await drag(person, (120, -60))
    moved = await until(
        lambda: seen(person),
        lambda box: box[0] < whole[0] and box[1] > whole[1] and box[2:] == whole[2:],
    )
    await expect(person.pending).to_have_count(0)  # a drag places nothing

    under = await spot(person, "2:0")
    await person.page.mouse.move(*under)
    await person.page.mouse.wheel(0, -200)
    await expect(person.board).not_to_have_attribute("viewBox", " ".join(map(str, moved)))
    await until(lambda: seen(person), lambda box: box[2] < moved[2])
    await shows(lambda: spot(person, "2:0"), pytest.approx(under, abs=0.5))

    near = (await seen(person))[2]
    await person.page.keyboard.press("-")
    await until(lambda: seen(person), lambda box: box[2] > near)
    await person.page.keyboard.press("+")
    await until(lambda: seen(person), lambda box: box[2] == pytest.approx(near))
    await person.page.keyboard.press("0")
    await shows(lambda: seen(person), pytest.approx(whole))
    await person.page.get_by_role("button", name="Zoom in").click()
    await until(lambda: seen(person), lambda box: box[2] < whole[2])
    await person.page.keyboard.press("c")
    last = pytest.approx((0.75, -(0.75**0.5) / 2), abs=0.001)
    await until(
        lambda: seen(person), lambda box: (box[0] + box[2] / 2, box[1] + box[3] / 2) == last
    )
    await person.page.get_by_role("button", name="Whole game").click()
    await shows(lambda: seen(person), pytest.approx(whole))
    # Nobody gets lost: the stones' surroundings stay in view.
    for _ in range(12):
        await drag(person, (400, 0))
    await until(lambda: seen(person), lambda box: box[0] + box[2] / 2 > -9)


async def test_a_turn_far_away_moves_the_view_only_if_nobody_has_moved_it(
    open_page: OpenPage, add_bot: AddBot
) -> None:
    bot = await add_bot("Basalt", wait)
    person = await open_page()
    game_id = await begun(person, bot, ["0:0"])
    arrow = person.page.get_by_role("button", name="New stone")
    before = await seen(person)
    await answer(bot, game_id, 1, "1:0,2:0")
    await person.see_turn(1, "1:0,2:0")
    await shows(lambda: seen(person), before)  # both stones are in view
    await person.play("0:1,1:1")
    await answer(bot, game_id, 3, "10:0,18:0")
    await person.see_turn(3, "10:0,18:0")
    await expect(person.board).not_to_have_attribute("viewBox", " ".join(map(str, before)))
    await until(lambda: seen(person), covers(0, 18))
    await expect(arrow).to_be_hidden()

    await drag(person, (250, 0))
    await person.page.keyboard.press("+")
    before = await seen(person)
    await person.play("0:-1,1:-1")
    await answer(bot, game_id, 5, "26:0,27:0")
    await person.see_turn(5, "26:0,27:0")
    await expect(arrow).to_be_visible()
    await shows(lambda: seen(person), before)
    await check(person.page)
    await arrow.click()
    await expect(arrow).to_be_hidden()
    await until(lambda: seen(person), covers(26, 27))
    await person.page.keyboard.press("Home")  # replay follows the stones as well
    await expect(person.stones).to_have_count(0)


async def test_a_turn_is_played_by_keyboard_and_the_view_follows_the_cursor(
    open_page: OpenPage, add_bot: AddBot
) -> None:
    bot = await add_bot("Basalt", wait)
    person = await open_page()
    page = person.page
    game_id = await begun(person, bot)
    await page.locator(".skip").focus()
    await person.tab_to_board()
    await expect(person.cell("0:0")).to_be_focused()
    await page.keyboard.press("ArrowUp")  # no cell there may be played
    await expect(person.cell("0:0")).to_be_focused()
    await page.keyboard.press("Enter")
    await person.see_turn(0, "0:0")
    await answer(bot, game_id, 1, "1:0,2:0")
    await person.see_turn(1, "1:0,2:0")
    for _ in range(3):
        await page.keyboard.press("+")
    for _ in range(10):
        await page.keyboard.press("ArrowRight")
    await expect(person.cell("10:0")).to_be_focused()
    await expect(person.cell("10:0")).to_have_accessible_name("10:0, empty")
    await until(lambda: seen(person), covers(10))
    await page.keyboard.press("ArrowRight")  # the end of the reach
    await expect(person.cell("10:0")).to_be_focused()
    await page.keyboard.press("Enter")
    await expect(person.pending).to_have_count(1)
    await page.keyboard.press("ArrowRight")
    await page.keyboard.press("Space")
    await person.see_turn(2, "10:0,11:0")
    await page.keyboard.press("c")
    await expect(person.cell("11:0")).to_be_focused()
    await expect(person.cell("11:0")).to_have_accessible_name(
        "11:0, black stone, row of 2, last turn"
    )
    await shows(lambda: page.evaluate("scrollY"), 0)


async def touch(session: CDPSession, kind: str, *points: Spot) -> None:
    """A touch event with fingers on these points."""
    touches = [{"x": x, "y": y, "id": number} for number, (x, y) in enumerate(points)]
    await session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": touches})


async def test_fingers_move_and_pinch_the_board_and_a_phone_asks_before_it_sends(
    open_page: OpenPage, add_bot: AddBot
) -> None:
    bot = await add_bot("Basalt", wait)
    person = await open_page(**PHONE)
    page = person.page
    await person.choose(game="hexo", board=None)
    game_id = await person.challenge("Basalt")
    await person.cell("0:0").tap()
    await expect(person.prompt).to_have_text("Play 0:0?")
    await page.get_by_role("button", name="Send").tap()
    await answer(bot, game_id, 1, "1:0,0:1")
    await person.see_turn(1, "1:0,0:1")
    await expect(page.locator(".cell.open").first).to_be_attached()
    session = await page.context.new_cdp_session(page)

    whole = await seen(person)
    x, y = await spot(person, "0:0")
    await touch(session, "touchStart", (x, y))
    for step in range(1, 5):
        await touch(session, "touchMove", (x - 20 * step, y))
    await touch(session, "touchEnd")
    await until(lambda: seen(person), lambda box: box[0] > whole[0])
    await shows(lambda: page.evaluate("[scrollX, scrollY]"), [0, 0])
    await expect(person.pending).to_have_count(0)

    width = (await seen(person))[2]
    x, y = await spot(person, "2:0")
    await touch(session, "touchStart", (x - 20, y), (x + 20, y))
    for step in range(1, 5):
        await touch(session, "touchMove", (x - 20 - 5 * step, y), (x + 20 + 5 * step, y))
    await touch(session, "touchEnd")
    await until(lambda: seen(person), lambda box: box[2] == pytest.approx(width / 2, rel=0.05))
    await shows(lambda: spot(person, "2:0"), pytest.approx((x, y), abs=2))
    await expect(person.pending).to_have_count(0)

    await page.get_by_role("button", name="Whole game").tap()
    await person.cell("2:0").tap()
    await person.cell("-1:0").tap()
    await expect(person.prompt).to_have_text("Play 2:0 and -1:0?")
    await fits(page, 390)
    await page.get_by_role("button", name="Send").tap()
    await person.see_turn(2, "2:0,-1:0")
    await check(page)


async def test_threats_are_shown_to_those_who_want_them(
    open_page: OpenPage, add_bot: AddBot
) -> None:
    first, second = await add_bot("Basalt", wait), await add_bot("Marble", wait)
    game_id = await begin(first, second, game="hexo", board="plane")
    for ply, turn in enumerate(["0:0", "0:2,1:2", "1:0,2:0", "-3:4,-4:6", "3:0,-1:4"]):
        await answer((first, second)[ply % 2], game_id, ply, turn)
    spectator = await open_page(f"/game/{game_id}")
    await expect(spectator.stones).to_have_count(9)
    await expect(spectator.page.locator(".rows .threat")).to_have_count(0)
    await spectator.page.locator("#settings").click()
    await spectator.page.get_by_label("Threats").check()
    await spectator.page.get_by_role("button", name="Close", exact=True).click()
    await expect(spectator.page.locator(".rows .threat")).to_have_count(1)
    await expect(spectator.page.locator(".rows .need.seat-1")).to_have_count(4)
    await spectator.cell("2:0").hover()
    await expect(spectator.page.locator(".tip")).to_contain_text("Black: row of 4")


async def test_a_huge_game_draws_only_the_cells_in_view(
    open_page: OpenPage, add_bot: AddBot
) -> None:
    first, second = await add_bot("Basalt", wait), await add_bot("Marble", wait)
    game_id = await begin(first, second, game="hexo", board="plane")
    walk = ["0:0", *(f"{16 * n - 8}:0,{16 * n}:0" for n in range(1, 40))]
    for ply, turn in enumerate(walk):
        await answer((first, second)[ply % 2], game_id, ply, turn)
    spectator = await open_page(f"/game/{game_id}")
    page = spectator.page
    await expect(spectator.stones).to_have_count(79)
    await expect(spectator.cell("624:0")).to_be_attached()
    await until(page.locator(".cell").count, lambda count: 50 < count < 500)
    await page.keyboard.press("0")
    await until(lambda: seen(spectator), covers(0, 624))
    await expect(page.locator(".cell")).to_have_count(1)  # of the cursor
    await expect(page.locator(".discs")).to_have_attribute("d", re.compile("^(M[-.0-9 ]+h0){79}$"))
    await page.keyboard.press("c")
    await expect(spectator.cell("621:0")).to_be_attached()
    await expect(page.locator(".discs")).to_have_attribute("d", "")
    await drag(spectator, (300, 0))
    await drag(spectator, (300, 0))
    await expect(spectator.cell("592:0")).to_be_attached()


async def test_live_boards_of_a_tournament_show_all_stones(
    open_page: OpenPage, add_bot: AddBot, arena: LocalArena
) -> None:
    bots = {bot.name: bot for bot in [await add_bot("Basalt", wait), await add_bot("Marble", wait)]}
    host = await sign_in(open_page, arena)
    made = await make_by_text(host, SETTINGS.replace('board = "pent-4"', 'game = "hexo"'))
    await enter(made, *bots.values())
    await host.page.get_by_role("button", name="Start now").click()
    state = await bots["Basalt"].wait_for_game()
    movers = [bots[player.name] for player in state.players]
    for ply, turn in enumerate(["0:0", "8:0,9:0", "1:0,-7:0"]):
        await answer(movers[ply % 2], state.game_id, ply, turn)
    board = host.page.locator(".live-board .board")
    await expect(board.locator(".stone")).to_have_count(5)
    await until(lambda: part_in_view(board), covers(-7, 9))


async def test_the_view_glides_unless_the_system_asks_for_less_motion(
    open_page: OpenPage, add_bot: AddBot
) -> None:
    bot = await add_bot("Basalt", wait)
    person = await open_page()
    await begun(person, bot, ["0:0"])
    whole = await seen(person)
    await person.page.emulate_media(reduced_motion="no-preference")
    await person.page.keyboard.press("+")
    smaller = re.compile(rf" {re.escape(str(whole[2] / 1.35)[:6])}")
    await expect(person.board).to_have_attribute("viewBox", smaller)


async def test_the_rules_name_the_keys_that_only_this_game_has(open_page: OpenPage) -> None:
    person = await open_page()
    await expect(person.page.locator(".board-card").first).to_be_visible()
    await person.page.locator("#help").click()
    window = person.page.get_by_role("dialog")
    await expect(window).not_to_contain_text("centres on the last turn")
    await window.locator(".chip", has_text="HeXO").click()
    await expect(window).to_contain_text("within 8 cells of another stone")
    await expect(window).to_contain_text("centres on the last turn")
    await check(person.page, "dialog")


async def test_a_game_with_one_board_offers_no_choice_of_boards(open_page: OpenPage) -> None:
    person = await open_page()
    await person.choose(game="hexo", board=None)
    await expect(person.page.get_by_label("Turns until a draw")).to_have_attribute(
        "placeholder", "300"
    )
    await expect(person.page.locator(".board-card")).to_be_hidden()
