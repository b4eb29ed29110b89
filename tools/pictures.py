"""`python -m tools.pictures`: retake the pictures of the page in README, docs and gallery.

A real arena, the bots of `bluestone up` and a Chromium. Two of them play a game that the built-in
engine plays against itself, always the same one; one game of theirs stops after twenty turns, one
ends.
"""

import argparse
import asyncio
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Final

from playwright.async_api import Browser, Page, ViewportSize, expect

import engine
from bot import wire
from bot.runtime.logs import configure_logging
from bot.up.bundled_bots import BUNDLED_BOTS, ENGINE, BundledBot
from tests.e2e.browser.arena_process import ArenaProcess
from tests.e2e.browser.arena_process import running as running_arena
from tests.e2e.browser.chromium import NONE_HERE, PATIENCE_MS, installed, launched
from tests.e2e.browser.opponent import Opponent, at_least
from tests.e2e.browser.scripted_game import ScriptedGame, scripted_game
from tools import ROOT, gallery

FOLDER: Final = ROOT / "docs" / "images"
DESKTOP: Final[ViewportSize] = {"width": 1280, "height": 800}
PHONE: Final[ViewportSize] = {"width": 390, "height": 844}
TURNS: Final = 20
NODES: Final = 20_000
CLOCK: Final = {"kind": "fischer", "initial_s": 300, "increment_s": 5}
PLAYERS: Final = ("Granite", "Pebble")


async def make_pictures(script: ScriptedGame, chromium: str, folder: Path) -> list[Path]:
    """Write `lobby.png`, `game.png`, `finished.png` and `phone.png`; their paths."""
    async with AsyncExitStack() as stack:
        data = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        arena = await stack.enter_async_context(running_arena(data))
        running, finished = await _played(arena, script, stack)
        browser = await stack.enter_async_context(launched(chromium))
        count = min(TURNS, len(script.turns))
        return [
            await _lobby(browser, arena, folder / "lobby.png"),
            await _game(browser, arena, running, count, DESKTOP, folder / "game.png"),
            await _game(
                *(browser, arena, finished, len(script.turns), DESKTOP, folder / "finished.png")
            ),
            await _game(browser, arena, running, count, PHONE, folder / "phone.png"),
        ]


async def _played(
    arena: ArenaProcess, script: ScriptedGame, stack: AsyncExitStack
) -> tuple[str, str]:
    """The ids of the game that stops after twenty turns, and of the finished one."""
    stop = len(script.turns)

    def choose(state: wire.GameState) -> wire.PlayTurn | None:
        return script.play(state, stop)

    everybody = {bot.name: await _bot(arena, bot, choose, stack) for bot in BUNDLED_BOTS}
    bots = [everybody[name] for name in PLAYERS]
    finished = await _begin(bots, script.game)
    await bots[0].wait_until(finished, lambda state: state.state == "finished")
    stop = min(TURNS, stop)
    running = await _begin(bots, script.game)
    await bots[0].wait_until(running, at_least(stop))
    return running, finished


async def _bot(
    arena: ArenaProcess,
    house: BundledBot,
    choose: Callable[[wire.GameState], wire.PlayTurn | None],
    stack: AsyncExitStack,
) -> Opponent:
    token = await arena.token(house.name)
    engine_name = f"{ENGINE}, level {house.level}"
    bot = await stack.enter_async_context(
        Opponent(house.name, token, choose, engine=engine_name, level=house.level)
    )
    await bot.connect(arena.address)
    return bot


async def _begin(bots: Sequence[Opponent], game: engine.Game) -> str:
    setup = {"game": game.name, "board": game.board.name, "rules": game.rule_set, "clock": CLOCK}
    for bot in bots:
        bot.states.clear()
    seats = [bot.name for bot in bots]
    answer = await bots[0].tell("challenge.create", {"setup": setup, "seats": seats})
    if not answer["ok"]:
        raise RuntimeError(f"no game begins: {answer}")
    return (await bots[0].wait_for_game()).game_id


async def _lobby(browser: Browser, arena: ArenaProcess, path: Path) -> Path:
    async with _page(browser, arena, "/", DESKTOP) as page:
        await expect(page.locator('a[href^="/game/"]')).to_have_count(2)
        return await _shot(page, path)


async def _game(
    browser: Browser,
    arena: ArenaProcess,
    game_id: str,
    turns: int,
    viewport: ViewportSize,
    path: Path,
) -> Path:
    async with _page(browser, arena, f"/game/{game_id}", viewport) as page:
        await expect(page.locator("svg.board")).to_be_visible()
        await expect(page.locator(".turns .turn")).to_have_count(turns)
        return await _shot(page, path)


@asynccontextmanager
async def _page(
    browser: Browser, arena: ArenaProcess, path: str, viewport: ViewportSize
) -> AsyncIterator[Page]:
    """The page as a new guest sees it, without animations."""
    context = await browser.new_context(
        base_url=arena.address, viewport=viewport, reduced_motion="reduce", color_scheme="light"
    )
    try:
        context.set_default_timeout(PATIENCE_MS)
        page = await context.new_page()
        await page.goto(path)
        await expect(page.locator("#status")).to_contain_text("Connected")
        yield page
    finally:
        await context.close()


async def _shot(page: Page, path: Path) -> Path:
    await page.evaluate("document.fonts.ready")
    await page.screenshot(path=path)
    return path


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tools.pictures", description=__doc__)
    parser.add_argument("--output", type=Path, default=FOLDER, help="the folder to write to")
    parser.add_argument("--game", default="bluestone", help="which game is shown")
    parser.add_argument("--nodes", type=int, default=NODES, help="playouts per turn")
    parser.add_argument("--only", choices=("readme", "gallery"), help="take only these pictures")
    arguments = parser.parse_args()
    configure_logging("error")
    chromium = installed()
    if chromium is None:
        sys.exit(NONE_HERE)
    arguments.output.mkdir(parents=True, exist_ok=True)
    if arguments.only != "gallery":
        script = scripted_game(engine.game(arguments.game), arguments.nodes)
        for path in asyncio.run(make_pictures(script, chromium, arguments.output)):
            print(path)
    if arguments.only != "readme":
        played = gallery.scripts(min(arguments.nodes, gallery.NODES))
        folder = arguments.output / "gallery"
        folder.mkdir(exist_ok=True)
        for path in asyncio.run(gallery.make_gallery(played, chromium, folder)):
            print(path)
        text = gallery.document()
        (arguments.output.parent / "gallery.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
