"""Look at a page until it shows what a test waits for.

A page that moves may not have arrived when a test looks at it once. Where Playwright's `expect`
has no assertion for a value, such as a place on the screen, these look again.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from playwright.async_api import FloatRect, Locator, Page

from tests.e2e.browser.chromium import PATIENCE_MS

PAUSE_S = 0.05
T = TypeVar("T")


async def until(look: Callable[[], Awaitable[T]], holds: Callable[[T], bool]) -> T:
    """Look again until the condition holds; what was seen then. Raises AssertionError if late."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + PATIENCE_MS / 1000
    while not holds(seen := await look()):
        assert loop.time() < deadline, f"at last: {seen!r}"
        await asyncio.sleep(PAUSE_S)
    return seen


async def shows(look: Callable[[], Awaitable[object]], wanted: object) -> None:
    """Look again until the value is that one."""
    try:
        await until(look, lambda seen: seen == wanted)
    except AssertionError as error:
        raise AssertionError(f"wanted: {wanted!r}, {error}") from None


async def fits(page: Page, width: int) -> None:
    """Wait until the page is at most that wide, in CSS pixels: nobody must scroll sideways."""
    look = "document.documentElement.scrollWidth"
    await until(lambda: page.evaluate(look), lambda seen: bool(seen <= width))


async def box_in_view(element: Locator) -> FloatRect:
    """Where an element is in the window, in CSS pixels, once it is there."""
    box = await until(element.bounding_box, lambda seen: seen is not None)
    assert box is not None
    return box
