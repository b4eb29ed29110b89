"""What axe-core finds on a page: in light and dark, on a phone, at 200 % zoom."""

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal

from playwright.async_api import Page, ViewportSize

RULES = [
    *("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"),
    *("best-practice", "experimental"),
]
"""The tags of the rules: all of axe-core except the stricter level AAA."""

FIND = """async ([scope, tags]) => {
    const { violations } = await axe.run(scope, {
        runOnly: tags,
        resultTypes: ["violations"],
        iframes: false,
    });
    return violations.flatMap(({ id, nodes }) =>
        nodes.map((node) => `${id}: ${node.target.join(" ")}: ${node.failureSummary}`));
}"""


LAID_OUT = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
"""Until the page has drawn itself in a new size: what observes sizes answers in the next frame."""


@dataclass(frozen=True)
class View:
    """A way to look at a page; zooming in leaves a page fewer of its own pixels."""

    name: str
    width: int
    height: int
    scheme: Literal["light", "dark"] = "light"

    async def take(self, page: Page) -> None:
        await page.emulate_media(color_scheme=self.scheme, reduced_motion="reduce")
        await page.set_viewport_size(ViewportSize(width=self.width, height=self.height))
        await page.evaluate(LAID_OUT)


DESKTOP = View("desktop", 1280, 800)
DARK = View("dark", 1280, 800, "dark")
PHONE = View("phone", 390, 844)
ZOOMED = View("zoomed to 200 %", 640, 400)
VIEWS = (DESKTOP, DARK, PHONE, ZOOMED)


@cache
def _axe() -> str:
    return (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")


async def violations(page: Page, scope: str = "html") -> list[str]:
    """Every violation inside the element of a selector, as the page is now."""
    if not await page.evaluate("'axe' in window"):
        await page.evaluate(_axe())
    found: list[str] = await page.evaluate(FIND, [scope, RULES])
    return found


async def check(page: Page, scope: str = "html") -> None:
    """Fail with every violation inside the element of a selector, in any of `VIEWS`."""
    found: list[str] = []
    for view in VIEWS:
        await view.take(page)
        found += [f"{view.name}: {problem}" for problem in await violations(page, scope)]
    await DESKTOP.take(page)
    if found:
        raise AssertionError("\n".join(found))
