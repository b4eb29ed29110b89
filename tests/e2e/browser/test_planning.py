"""Conditional turns are stepped on a board, or typed where the page has no rules.

The typed form is tested with two people together (`test_together`).
"""

import re
from collections.abc import Sequence

import pytest
from playwright.async_api import Locator, expect

from tests.ahead import PATIENCE_S
from tests.e2e.browser.accessibility import PHONE, check
from tests.e2e.browser.conftest import OpenPage
from tests.e2e.browser.looks import fits
from tests.e2e.browser.test_two_people import meet
from tests.e2e.browser.visitor import Visitor

pytestmark = [
    pytest.mark.xdist_group("engine as WebAssembly"),
    pytest.mark.timeout(PATIENCE_S),
    pytest.mark.usefixtures("bluestone_for_browsers"),
]


class Planning:
    """The window in which a person plans."""

    def __init__(self, person: Visitor) -> None:
        self.person = person
        self.window = person.page.get_by_role("dialog")
        self.button = person.page.get_by_role("button", name=re.compile("^Conditional turns"))
        self.prompt = self.window.locator(".prompt")
        self.complaint = self.window.locator(".complaint")
        self.stones = self.window.locator(".stones .stone")
        self.lines = self.window.get_by_role("listitem")

    async def open(self) -> None:
        await self.button.click()
        await expect(self.prompt).to_contain_text("your opponent")

    def cell(self, name: str) -> Locator:
        return self.window.locator(f'.cell[data-cell="{name}"]')

    async def step(self, *turns: str) -> None:
        for turn in turns:
            for cell in turn.split(","):
                await self.cell(cell).click(force=True)

    async def press(self, name: str) -> None:
        await self.window.get_by_role("button", name=name, exact=True).click()

    async def shows(self, lines: Sequence[str]) -> None:
        await expect(self.lines).to_have_text([re.compile(f"^{line}×$") for line in lines])

    async def save(self, lines: int) -> None:
        """Save, and see that it worked: a notice, and the number of lines on the button."""
        save = self.window.get_by_role("button", name="Save")
        await expect(save).to_be_in_viewport(ratio=1)
        await save.click()
        await expect(self.window).to_have_count(0)
        await expect(self.person.page.locator("#notices")).to_contain_text(
            "Conditional turns saved."
        )
        await expect(self.button).to_have_text(f"Conditional turns ({lines})")


async def test_lines_are_stepped_on_the_board_and_played(open_page: OpenPage) -> None:
    anna, ben = await open_page(), await open_page()
    await meet(anna, ben)
    plan = Planning(ben)
    await plan.open()
    await expect(plan.prompt).to_have_text("Choose a turn that your opponent (Black) could play.")
    await plan.step("0-0")
    await expect(plan.prompt).to_have_text("Choose your answer (White).")
    await plan.shows(["0-0 → your answer is missing"])
    # The rules in the page say why a cell is closed.
    await plan.step("0-0")
    await expect(plan.complaint).to_have_text("0-0 is not empty.")
    await plan.step("1-0,3-0")
    await expect(plan.stones).to_have_count(3)
    # The opponent may play several turns, and each has one answer.
    await plan.step("3-6,3-3", "3-9,2-5")
    await plan.press("First position")
    await expect(plan.stones).to_have_count(0)
    await plan.step("2-0", "1-0,3-0")
    await plan.shows(["0-0 → 1-0 3-0 → 3-6 3-3 → 3-9 2-5", "2-0 → 1-0 3-0"])
    await plan.press("Previous turn")
    await plan.step("3-3,3-6")
    await plan.shows(["0-0 → 1-0 3-0 → 3-6 3-3 → 3-9 2-5", "2-0 → 3-3 3-6"])
    await check(ben.page)
    await plan.save(2)

    await plan.open()
    await plan.shows(["0-0 → 1-0 3-0 → 3-6 3-3 → 3-9 2-5", "2-0 → 3-3 3-6"])
    await plan.window.get_by_role("button", name="Remove").last.click()
    await plan.shows(["0-0 → 1-0 3-0 → 3-6 3-3 → 3-9 2-5"])
    await plan.save(1)

    await anna.play("0-0")
    await anna.see_turn(1, "1-0 3-0")
    # What is left of the line is shown, and goes on.
    await ben.sees(2)
    await plan.open()
    await plan.shows(["3-6 3-3 → 3-9 2-5"])
    await plan.press("Cancel")
    await anna.play("3-3,3-6")
    await anna.see_turn(3, "3-9 2-5")


async def test_lines_are_planned_by_keyboard_and_on_a_phone(open_page: OpenPage) -> None:
    anna, ben = await open_page(), await open_page()
    await meet(anna, ben)
    await PHONE.take(ben.page)
    plan = Planning(ben)
    await plan.open()
    await fits(ben.page, PHONE.width)
    keyboard = ben.page.keyboard
    await plan.cell("0-0").focus()
    await keyboard.press("Enter")
    await expect(plan.prompt).to_have_text("Choose your answer (White).")
    await plan.cell("1-0").focus()
    await keyboard.press("Enter")
    await expect(plan.window.locator(".stone.pending")).to_have_count(1)
    await keyboard.press("Escape")
    await expect(plan.window.locator(".stone.pending")).to_have_count(0)
    for cell in ("1-0", "3-0"):
        await plan.cell(cell).focus()
        await keyboard.press("Enter")
    await plan.shows(["0-0 → 1-0 3-0"])
    await plan.window.get_by_role("button", name="Remove").focus()
    await keyboard.press("ArrowLeft")
    await expect(plan.stones).to_have_count(1)
    await keyboard.press("End")
    await expect(plan.stones).to_have_count(3)
    await plan.save(1)
    await ben.reload()
    await expect(plan.button).to_have_text("Conditional turns (1)")
    # Escape closes the window where there is nothing to take back.
    await plan.open()
    await plan.cell("0-0").focus()
    await keyboard.press("Escape")
    await expect(plan.window).to_have_count(0)
    await anna.play("0-0")
    await anna.see_turn(1, "1-0 3-0")
