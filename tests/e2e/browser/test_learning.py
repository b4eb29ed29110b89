"""The lessons: the ways to them, whole lessons by mouse, keyboard and touch, and wrong answers."""

import json
from typing import Any

import pytest
from playwright.async_api import FloatRect, Locator, Page, expect

from bot.arena.web.page_bundle import FOLDER
from tests.e2e.browser.accessibility import check
from tests.e2e.browser.conftest import AddBot, OpenPage
from tests.e2e.browser.looks import box_in_view, shows
from tests.e2e.browser.scripts import wait
from tests.e2e.browser.test_newcomer import COUNT_CLICKS
from tests.e2e.browser.visitor import Visitor
from tools.lessons.source import GAMES

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
PLAY_FIRST = """localStorage["bluestone.setup"] = '{"order": "first", "choices": {}}'"""
ANSWERED = {"place", "mark", "choose"}
MEETING = """() => [...document.querySelectorAll(".game-choice")].flatMap((choice) => {
  const title = choice.querySelector(".game-card > span:last-child");
  const [one, two] = [title, choice.querySelector(".learn-link")]
    .map((each) => { const range = document.createRange(); range.selectNodeContents(each);
                     return range.getBoundingClientRect(); });
  const meets = one.left < two.right && two.left < one.right
    && one.top < two.bottom && two.top < one.bottom;
  return meets ? [title.textContent] : [];
})"""


def lesson_of(game: str) -> dict[str, Any]:
    file = FOLDER / "lessons" / f"{game}.json"
    lesson: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return lesson


class Pupil:
    """A person in a lesson, who presses cells with `press` and buttons with `go`."""

    def __init__(self, visitor: Visitor, game: str) -> None:
        self.visitor = visitor
        self.page = visitor.page
        self.lesson = lesson_of(game)
        self.said = self.page.locator(".lesson-feedback")
        self.next = self.page.locator(".lesson-buttons .next")

    async def open(self) -> None:
        await expect(self.page.locator(".lesson svg.board")).to_be_visible()

    async def press(self, target: Locator) -> None:
        await target.click(force=True)

    async def place(self, step: str, kinds: int) -> None:
        if kinds > 1:
            colours = self.page.locator(".lesson .colours")
            if await colours.is_visible():
                await self.press(colours.locator(".colour").nth(int(step[0]) - 1))
        await self.press(self.visitor.cell(step[kinds - 1 :]))

    async def solve(self, step: dict[str, Any]) -> None:
        match step["kind"]:
            case "place":
                kinds = 2 if self.lesson["game"] == "blooms" else 1
                for each in step["solution"]:
                    await self.place(each, kinds)
            case "mark":
                for cell in step["cells"][:1] if step["one"] else step["cells"]:
                    await self.press(self.visitor.cell(cell))
            case "choose":
                answers = self.page.locator(".lesson-task button")
                await self.press(answers.nth(step["right"]))
            case _:
                pass  # a step that is only read
        if step["kind"] in ANSWERED:
            await expect(self.said).to_have_attribute("data-kind", "right")

    async def go(self) -> None:
        await self.press(self.next)

    async def solve_all(self) -> None:
        """Solve all steps up to the first game."""
        *steps, _ = self.lesson["steps"]
        for number, step in enumerate(steps):
            mark = self.page.locator(".step-mark").nth(number)
            await expect(mark).to_have_attribute("aria-current", "step")
            await self.solve(step)
            await self.go()
        await expect(self.page.get_by_role("button", name="Play a first game")).to_be_enabled()
        await expect(self.page.locator(".step-mark.done")).to_have_count(len(steps) + 1)


class TouchingPupil(Pupil):
    async def press(self, target: Locator) -> None:
        await target.tap(force=True)


class TypingPupil(Pupil):
    """Uses only the keyboard: the arrow keys on the board, and Enter."""

    async def press(self, target: Locator) -> None:
        cell = await target.get_attribute("data-cell")
        if cell is None:
            await target.focus()
        else:
            await self._walk(cell)
        await self.page.keyboard.press("Enter")

    async def _walk(self, cell: str) -> None:
        cursor = self.page.locator('.cell[tabindex="0"]')
        await cursor.focus()
        target = await centre(self.visitor.cell(cell))
        tried: set[tuple[str, str]] = set()
        for _ in range(80):
            at = str(await self.page.locator(".cell:focus").get_attribute("data-cell"))
            if at == cell:
                return
            here = await centre(self.visitor.cell(at))
            dx, dy = target[0] - here[0], target[1] - here[1]
            ways = {"ArrowRight": dx, "ArrowLeft": -dx, "ArrowDown": dy, "ArrowUp": -dy}
            # A key that has led nowhere from here is not pressed again.
            keys = [key for key in ways if (at, key) not in tried]
            key = max(keys, key=lambda each: ways[each])
            tried.add((at, key))
            await self.page.keyboard.press(key)
        raise AssertionError(f"the arrow keys do not lead to {cell}")


async def centre(cell: Locator) -> tuple[float, float]:
    box = await box_in_view(cell)
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


async def clicks(page: Page) -> int:
    return int(await page.evaluate("sessionStorage.clicks"))


@pytest.mark.parametrize("game", GAMES)
async def test_a_lesson_is_one_click_away_and_its_first_stone_two(
    open_page: OpenPage, game: str
) -> None:
    newcomer = await open_page("/icon.svg", online=False)
    page = newcomer.page
    await page.add_init_script(COUNT_CLICKS)
    await page.goto("/")
    await page.locator(f'.game-choice a[href="/learn/{game}"]').click()
    await Pupil(newcomer, game).open()
    await shows(lambda: clicks(page), 1)
    first = lesson_of(game)["steps"][0]["solution"][0]
    await newcomer.cell(first[1:] if game == "blooms" else first).click(force=True)
    await expect(newcomer.stones).to_have_count(1)
    await shows(lambda: clicks(page), 2)


async def test_a_first_real_stone_takes_two_clicks(open_page: OpenPage, add_bot: AddBot) -> None:
    await add_bot("Pebble", wait, level=1)
    newcomer = await open_page("/icon.svg", online=False)
    page = newcomer.page
    await page.add_init_script(COUNT_CLICKS)
    await page.add_init_script(PLAY_FIRST)
    await page.goto("/")
    await page.locator(".level").first.click()
    await newcomer.arrive_at_game()
    await newcomer.press_cell("0-0")
    await newcomer.see_turn(0, "0-0")
    await shows(lambda: clicks(page), 2)
    await expect(page.locator(".aim")).to_contain_text("Aim")
    await expect(page.locator(".aim a")).to_have_attribute("href", "/rules/bluestone")


async def test_a_newcomer_is_offered_the_lessons_once(open_page: OpenPage) -> None:
    newcomer = await open_page()
    offer = newcomer.page.get_by_role("region", name="New here?")
    await expect(offer.get_by_role("link")).to_have_count(len(GAMES))
    await offer.get_by_role("button", name="No, thanks").click()
    await expect(offer).to_have_count(0)
    await newcomer.reload()
    await expect(newcomer.page.locator(".learn-link")).to_have_count(len(GAMES))
    await expect(offer).to_have_count(0)

    other = await open_page()
    await other.page.get_by_role("region", name="New here?").wait_for()
    await other.reload()  # ignored once, and not offered again
    await expect(other.page.locator(".learn-link")).to_have_count(len(GAMES))
    await expect(other.page.get_by_role("region", name="New here?")).to_have_count(0)


@pytest.mark.parametrize("width", [320, 390, 800, 1000, 1280, 1600])
async def test_no_link_to_a_lesson_meets_the_title_of_its_game(
    open_page: OpenPage, width: int
) -> None:
    person = await open_page(viewport={"width": width, "height": 800}, locale="de")
    await expect(person.page.locator(".learn-link")).to_have_count(len(GAMES))
    await shows(lambda: person.page.evaluate(MEETING), [])


async def test_the_lesson_of_bluestone_by_mouse_ends_with_a_first_game(
    open_page: OpenPage, add_bot: AddBot
) -> None:
    await add_bot("Pebble", wait, level=1)
    await add_bot("Basalt", wait, level=5)
    pupil = Pupil(await open_page("/learn/bluestone"), "bluestone")
    await pupil.open()
    await pupil.solve_all()
    await pupil.page.get_by_role("button", name="Play a first game").click()
    await pupil.visitor.arrive_at_game()
    await expect(pupil.page.locator(".player.opponent")).to_contain_text("Pebble")
    await expect(pupil.page.locator(".cell")).to_have_count(31)
    await pupil.visitor.visit("/learn")
    await expect(pupil.page.locator(".learned")).to_have_count(1)


async def test_the_lesson_of_blooms_by_touch(open_page: OpenPage, add_bot: AddBot) -> None:
    await add_bot("Pebble", wait, level=1)
    pupil = TouchingPupil(await open_page("/learn/blooms", **PHONE), "blooms")
    await pupil.open()
    await pupil.solve_all()


async def test_the_lesson_of_stargazers_by_keyboard(open_page: OpenPage, add_bot: AddBot) -> None:
    await add_bot("Pebble", wait, level=1)
    pupil = TypingPupil(await open_page("/learn/stargazers"), "stargazers")
    await pupil.open()
    await pupil.solve_all()


async def test_the_lesson_of_hexo_can_be_shown(open_page: OpenPage, add_bot: AddBot) -> None:
    await add_bot("Pebble", wait, level=1)
    pupil = Pupil(await open_page("/learn/hexo"), "hexo")
    await pupil.open()
    for step in pupil.lesson["steps"][:-1]:
        if step["kind"] in ANSWERED:
            await pupil.page.get_by_role("button", name="Show me").click()
            await expect(pupil.said).to_have_attribute("data-kind", "right")
        await pupil.go()
    await expect(pupil.page.get_by_role("button", name="Play a first game")).to_be_enabled()


async def test_the_lesson_of_free_go_by_mouse(open_page: OpenPage, add_bot: AddBot) -> None:
    await add_bot("Pebble", wait, level=1)
    pupil = Pupil(await open_page("/learn/freego"), "freego")
    await pupil.open()
    await pupil.solve_all()


async def test_ko_is_refused_and_a_lost_stone_is_crossed_out(open_page: OpenPage) -> None:
    pupil = Pupil(await open_page("/learn/freego"), "freego")
    await pupil.open()
    await pupil.page.get_by_role("button", name="Step 6").click()
    await pupil.visitor.press_cell("d3")
    await expect(pupil.said).to_contain_text("the stone that has just captured yours")

    await pupil.page.get_by_role("button", name="Step 7").click()
    await pupil.visitor.press_cell("a7")
    await expect(pupil.said).to_contain_text("it counts for White")
    await expect(pupil.page.locator(".ghost.seat-1")).to_have_count(1)


async def test_wrong_answers_are_explained_on_the_board(open_page: OpenPage) -> None:
    pupil = Pupil(await open_page("/learn/bluestone"), "bluestone")
    visitor, page = pupil.visitor, pupil.page
    await pupil.open()
    await page.get_by_role("button", name="Step 2").click()
    await visitor.press_cell("3-0")
    await expect(visitor.pending).to_have_count(1)
    await visitor.press_cell("3-1")
    await expect(pupil.said).to_have_attribute("data-kind", "wrong")
    await expect(pupil.said).to_contain_text("would join the group")
    await expect(page.locator(".notes .ring.bad")).to_have_count(2)
    await visitor.press_cell("1-2")
    await expect(pupil.said).to_contain_text("There is a stone on this cell already")
    await expect(visitor.pending).to_have_count(1)  # the first stone is kept
    await page.locator(".blue .gem").first.click(force=True)
    await expect(pupil.said).to_contain_text("Blue stones belong to nobody.")
    await expect(visitor.pending).to_have_count(1)

    await page.get_by_role("button", name="Step 8").click()
    await expect(page.locator(".lesson h1")).to_have_text("Save your stones")
    before = await visitor.stones.count()
    await visitor.press_cell("2-4")
    await expect(visitor.ghosts).to_have_count(2)
    await expect(pupil.said).to_contain_text("your two stones are captured")
    await page.get_by_role("button", name="Try again").click()
    await expect(visitor.ghosts).to_have_count(0)
    await expect(visitor.stones).to_have_count(before)
    await visitor.press_cell("3-3")
    await expect(pupil.said).to_have_attribute("data-kind", "right")


async def test_a_stone_that_the_next_step_has_elsewhere_is_explained(open_page: OpenPage) -> None:
    pupil = Pupil(await open_page("/learn/bluestone"), "bluestone")
    await pupil.open()
    own = pupil.lesson["steps"][1]["position"]["stones"]
    [kept] = [cell for cell, (seat, _) in own.items() if seat == 1]
    for cell, words in (("3-0", 1), (kept, 0)):
        await pupil.visitor.press_cell(cell)
        await expect(pupil.said).to_have_attribute("data-kind", "right")
        await pupil.go()
        explained = pupil.page.get_by_text("Each step has a position of its own.")
        await expect(explained).to_have_count(words)
        await pupil.page.get_by_role("button", name="Back", exact=True).click()


async def test_show_me_marks_the_right_answer_of_a_question(open_page: OpenPage) -> None:
    pupil = Pupil(await open_page("/learn/stargazers"), "stargazers")
    await pupil.open()
    steps = pupil.lesson["steps"]
    at, step = next((at, step) for at, step in enumerate(steps, 1) if step["kind"] == "choose")
    await pupil.page.get_by_role("button", name=f"Step {at}:").click()
    await pupil.page.get_by_role("button", name="Show me").click()
    marked = pupil.page.locator('.lesson-task button[aria-pressed="true"]')
    await expect(marked).to_have_count(1)
    right = pupil.page.locator(".lesson-task button").nth(step["right"])
    await expect(right).to_have_attribute("aria-pressed", "true")


async def test_a_lesson_goes_on_where_it_was_left(open_page: OpenPage) -> None:
    pupil = Pupil(await open_page("/learn/blooms"), "blooms")
    await pupil.open()
    first, second, *_ = pupil.lesson["steps"]
    for step in (first, second):
        await pupil.solve(step)
        await pupil.go()
    await pupil.visitor.reload()
    await pupil.open()
    await expect(pupil.page.locator(".lesson h1")).to_have_text("Blooms")
    await expect(pupil.page.locator(".step-mark.done")).to_have_count(2)
    await pupil.visitor.visit("/learn")
    await expect(pupil.page.get_by_role("link", name="Continue: Blooms")).to_be_visible()


async def test_nothing_moves_from_step_to_step(open_page: OpenPage) -> None:
    visitor = await open_page("/learn/bluestone", **PHONE)
    pupil = Pupil(visitor, "bluestone")
    await pupil.open()
    parts = (visitor.board, *map(pupil.page.locator, (".step-bar", ".lesson-buttons")))

    async def places() -> list[FloatRect]:
        return [await box_in_view(part) for part in parts]

    first = await places()
    for number in range(len(pupil.lesson["steps"])):
        mark = pupil.page.locator(".step-mark").nth(number)
        await mark.click()
        await expect(mark).to_have_attribute("aria-current", "step")
        await shows(places, first)


async def test_axe_finds_nothing_in_lessons(open_page: OpenPage) -> None:
    reader = await open_page("/learn/blooms")
    page = reader.page
    await expect(page.locator(".lesson svg.board")).to_be_visible()
    await check(page)
    await page.locator(".step-mark").last.click()
    await check(page)
    await page.goto("/learn/bluestone")
    await expect(page.locator(".lesson svg.board")).to_be_visible()
    await page.locator(".step-mark").nth(5).click()
    await reader.press_cell("3-12")
    await expect(page.locator(".lesson-feedback[data-kind=wrong]")).to_be_visible()
    await check(page)
    await page.locator(".step-mark").nth(10).click()
    await page.get_by_role("button", name="Show me").click()
    await expect(page.locator(".lesson-feedback[data-kind=right]")).to_be_visible()
    await check(page)


@pytest.mark.parametrize("path", ["/learn", "/rules/stargazers", "/rules/hexo"])
async def test_axe_finds_nothing_in_the_choice_of_a_lesson_and_in_rules(
    open_page: OpenPage, path: str
) -> None:
    reader = await open_page(path)
    await expect(reader.page.locator(".learn-game .thumbnail, .rules-board").first).to_be_visible()
    await check(reader.page)
