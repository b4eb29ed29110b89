"""The gallery: a picture of every page, small enough to be stored, and the document with them."""

import io
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, Literal

from PIL import Image
from playwright.async_api import Browser, BrowserContext

import engine
from tests.e2e.browser.accessibility import DESKTOP, PHONE, View
from tests.e2e.browser.chromium import PATIENCE_MS, launched
from tests.e2e.browser.local_arena import LocalArena
from tests.e2e.browser.places import PLACES, Place
from tests.e2e.browser.scenery import OTHERS, Scenery, build
from tests.e2e.browser.scripted_game import ScriptedGame, scripted_game

IMAGES: Final = "images/gallery"
"""Where the pictures are, from the folder of the document."""
NODES: Final = 300
IN_DARK: Final = ("lobby", "game", "tournament", "analysis", "puzzle")
PAST: Final = 120
RUNNING_AT: Final = 20
COLOURS: Final = (256, 128, 64, 32)
MOST_BYTES: Final = 60_000
HEAD: Final = """\
# Gallery

For everyone who wants to see the page before using it. Here is every page of the site as on a
desktop and as on a phone, and some in the dark theme. [Playing in the browser](playing.md) explains
them.

`make pictures` takes these pictures again: of a real arena, with scripted players and made-up
ratings.
"""


@dataclass(frozen=True)
class Style:
    """A way to look at the pages."""

    name: str
    title: str
    view: View
    scheme: Literal["light", "dark"] = "light"

    def shows(self, place: Place) -> bool:
        return self.scheme == "light" or place.name in IN_DARK


STYLES: Final = (
    Style("desktop", "desktop", DESKTOP),
    Style("phone", "phone", PHONE),
    Style("dark", "dark theme", DESKTOP, "dark"),
)


def scripts(nodes: int) -> list[ScriptedGame]:
    """The games that are shown, the main one first."""
    games = [engine.game("bluestone"), *(engine.game(name, board) for name, board in OTHERS)]
    return [scripted_game(game, nodes) for game in games]


async def make_gallery(
    played: Sequence[ScriptedGame], chromium: str, folder: Path, places: Sequence[Place] = PLACES
) -> list[Path]:
    """Write the pictures into a folder that exists; their paths."""
    async with AsyncExitStack() as stack:
        arena = LocalArena(Path(stack.enter_context(TemporaryDirectory())))
        await stack.enter_async_context(arena)
        stop = min(RUNNING_AT, len(played[0].turns) // 2)
        scenery = await build(arena, played, stop, PAST, stack)
        browser = await stack.enter_async_context(launched(chromium))
        taken = {
            f"{place.name}-{style.name}.png": png
            for style in STYLES
            for place, png in await _taken(browser, arena, scenery, style, places)
        }
    # Not earlier: the arena shares this process, and would lose its bots meanwhile.
    return [_stored(folder / name, png) for name, png in taken.items()]


def _stored(path: Path, png: bytes) -> Path:
    path.write_bytes(compressed(png))
    return path


async def _taken(
    browser: Browser, arena: LocalArena, scenery: Scenery, style: Style, places: Sequence[Place]
) -> list[tuple[Place, bytes]]:
    context = await _context(browser, arena, style)
    try:
        page = await context.new_page()
        taken = []
        for place in filter(style.shows, places):
            await place.open(page, scenery)
            await page.wait_for_load_state("networkidle")
            taken.append((place, await page.screenshot()))
        return taken
    finally:
        await context.close()


async def _context(browser: Browser, arena: LocalArena, style: Style) -> BrowserContext:
    context = await browser.new_context(
        base_url=arena.address,
        viewport={"width": style.view.width, "height": style.view.height},
        color_scheme=style.scheme,
        has_touch=style.view is PHONE,
        is_mobile=style.view is PHONE,
        reduced_motion="reduce",
    )
    context.set_default_timeout(PATIENCE_MS)
    return context


def compressed(png: bytes) -> bytes:
    """The picture with a palette, which has fewer colours if the file would be too large."""
    picture = Image.open(io.BytesIO(png)).convert("RGB")
    smallest = b""
    for colours in COLOURS:
        file = io.BytesIO()
        reduced = picture.quantize(colours, dither=Image.Dither.NONE)
        reduced.save(file, "PNG", optimize=True)
        smallest = file.getvalue()
        if len(smallest) <= MOST_BYTES:
            break
    return smallest


def document(places: Sequence[Place] = PLACES) -> str:
    """The text of the page with all pictures in order."""
    return HEAD + "".join(map(_section, places))


def _section(place: Place) -> str:
    title = place.name.capitalize()
    shown = [
        f"![{title}: {style.title}]({IMAGES}/{place.name}-{style.name}.png)"
        for style in STYLES
        if style.shows(place)
    ]
    return "\n".join(["", f"## {title}", "", place.words, "", *shown, ""])
