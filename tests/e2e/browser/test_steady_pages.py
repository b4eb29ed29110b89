"""Nothing on a page moves while it is loaded, whatever arrives late."""

from contextlib import AsyncExitStack

import pytest
from playwright.async_api import Page

import engine
from tests.e2e.browser.accessibility import LAID_OUT
from tests.e2e.browser.conftest import OpenPage
from tests.e2e.browser.local_arena import LocalArena
from tests.e2e.browser.places import PLACES
from tests.e2e.browser.scenery import build
from tests.e2e.browser.scripted_game import scripted_game
from tests.matrix import nightly_after

MOST = 0.05
"""Cumulative layout shift; 0.1 is commonly called good."""
WATCH = """(() => {
    window.shifts = [];
    const note = ({ sources }) => sources.map(({ node, previousRect: { y: was }, currentRect }) => {
        const element = node instanceof Element ? node : node?.parentElement;
        return `${element?.tagName}.${element?.className} ${was} to ${currentRect.y}`;
    });
    new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) {
            if (!entry.hadRecentInput) window.shifts.push([entry.value, note(entry)]);
        }
    }).observe({ type: "layout-shift", buffered: true });
})()"""


async def shifts(page: Page) -> tuple[float, list[str]]:
    """How far what is seen has moved since the page was loaded, and what has."""
    await page.wait_for_load_state("networkidle")
    await page.evaluate(LAID_OUT)
    seen: list[tuple[float, list[str]]] = await page.evaluate("window.shifts")
    return sum(value for value, _ in seen), [f"{value:.3f}: {what}" for value, what in seen]


@pytest.mark.timeout(400)
@pytest.mark.parametrize(
    "size",
    nightly_after(2, [(360, 740), (1280, 800), (768, 1024), (1920, 1080)]),
    ids=lambda size: f"{size[0]} px",
)
async def test_no_page_moves_what_a_person_reads(
    open_page: OpenPage,
    arena: LocalArena,
    kernels: None,  # noqa: ARG001
    size: tuple[int, int],
) -> None:
    script = scripted_game(engine.game("bluestone", board="pent-4"), nodes=50)
    found: list[str] = []
    async with AsyncExitStack() as stack:
        scenery = await build(arena, [script], len(script.turns) // 2, past=60, stack=stack)
        viewport = {"width": size[0], "height": size[1]}
        page = (await open_page("/icon.svg", online=False, viewport=viewport)).page
        await page.context.add_init_script(WATCH)
        for place in (each for each in PLACES if each.act is None):
            await place.open(page, scenery)
            moved, what = await shifts(page)
            if moved > MOST:
                found.append(f"{place.name}: {moved:.3f}: {what}")
    assert not found, "\n".join(found)
