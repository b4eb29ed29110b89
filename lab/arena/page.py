"""How fast the page is: its bytes, the time until it can be used, and until a turn is drawn.

The times are those of the browser's own clock. A turn has arrived when the browser has the message
of the WebSocket, and is drawn in the next animation frame whose layout has it. A frame may begin up
to 16.7 ms after the turn was handled; `handling` is the part in which the page itself works: its
script, and the layout of what it has changed.
"""

import asyncio
import random
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Annotated, Any, Final
from urllib.parse import urlsplit

from cyclopts import Parameter
from playwright.async_api import Browser, Page, expect

import engine
from bot.arena.web.engine_files import engine_files, games_in
from bot.arena.web.page_bundle import FOLDER
from bot.cli.measurements import (
    Count,
    FigureTable,
    MeasurementReport,
    Seconds,
    measurement,
    progress,
)
from bot.errors import HostError
from bot.runtime.logs import configure_logging
from lab.arena.page_engine import GAME, DeviceFigures, device_table, measure_device
from tests.chaos.proxy import forwarding
from tests.e2e.browser.chromium import NONE_HERE, PATIENCE_MS, installed, launched
from tests.e2e.browser.local_arena import LocalArena
from tests.e2e.browser.opponent import Choose, Opponent
from tests.e2e.browser.scripts import play_fixed, wait
from tests.e2e.browser.test_loading import Traffic, loaded
from tests.e2e.browser.test_watching import begin
from tests.e2e.browser.visitor import Visitor

GOAL_MS: Final = 16.0
MOST_BYTES: Final = 150_000
FAR_S: Final = 0.1
"""How long an answer of the server is on its way to a device."""
LARGEST: Final = (
    ("bluestone", "pent-13", 50),
    ("blooms", "hexhex-10", 50),
    ("stargazers", "stars-111", 10),
    ("hexo", None, 50),
    ("freego", "square-19", 50),
)
"""The largest board of each game, and how many turns are played before those that are measured."""
READY: Final = """
new MutationObserver((_, observer) => {
    const status = document.getElementById("status");
    if (status?.textContent === "Connected" && document.querySelector(".board-card")) {
        window.readyAt = performance.now();
        observer.disconnect();
    }
}).observe(document, { childList: true, subtree: true, characterData: true });
"""
TURNS: Final = """
window.drawn = [];
const { get, set } = Object.getOwnPropertyDescriptor(WebSocket.prototype, "onmessage");
Object.defineProperty(WebSocket.prototype, "onmessage", {
    get,
    set(listener) {
        set.call(this, (event) => {
            const text = typeof event.data === "string" ? event.data : "";
            const isTurn = text.startsWith('42["change"') && !text.includes('"turn":null');
            const before = document.querySelectorAll(".turns .turn").length;
            const arrived = performance.now();
            listener.call(this, event);
            if (!isTurn) {
                return;
            }
            // The page draws in a task of its own, after the message has been decoded.
            const isShown = () => document.querySelectorAll(".turns .turn").length > before;
            const observer = new MutationObserver(() => {
                if (isShown()) {
                    observer.disconnect();
                    document.querySelector("svg.board").getBoundingClientRect();
                    const handled = performance.now();
                    requestAnimationFrame(() => {
                        const frame = performance.now() - arrived;
                        drawn.push({ handling: handled - arrived, frame });
                    });
                }
            });
            observer.observe(document.body, { childList: true, subtree: true });
        });
    },
});
"""


@dataclass(frozen=True)
class Loading:
    """The front page: bytes and requests of a first load, and milliseconds until it is usable."""

    requests: int
    transferred: int
    usable_ms: Sequence[float]


@dataclass(frozen=True)
class Drawing:
    """Milliseconds of each turn on a board that has `stones` stones before the first one."""

    game: str
    board: str
    stones: int
    handling_ms: Sequence[float]
    frame_ms: Sequence[float]


@dataclass(frozen=True)
class _Found:
    loading: Loading
    drawings: list[Drawing]
    devices: list[DeviceFigures]
    """Empty without the engine."""


async def _measured(loads: int, turns: int, seconds: float) -> _Found:
    chromium = installed()
    if chromium is None:
        raise HostError(NONE_HERE)
    async with AsyncExitStack() as stack:
        arena = LocalArena(Path(stack.enter_context(TemporaryDirectory())))
        await stack.enter_async_context(arena)
        browser = await stack.enter_async_context(launched(chromium))
        bots = [await _bot(arena, name, stack) for name in ("Basalt", "Marble")]
        loading = await _load(browser, arena, loads)
        drawings = []
        for name, board, before in LARGEST:
            progress(f"{name}: {turns} turns")
            game = engine.game(name, board)
            drawings.append(await _draw(browser, arena, bots, game, before, turns))
        devices = []
        if GAME in games_in(engine_files(FOLDER)):
            person = await _bot(arena, "Granite", stack, play_fixed)
            far = await stack.enter_async_context(forwarding(random.Random(1)))
            far.port, far.delay_s = urlsplit(arena.address).port or 0, FAR_S
            devices = await measure_device(browser, far.address, person, turns, seconds)
        return _Found(loading, drawings, devices)


async def _bot(
    arena: LocalArena, name: str, stack: AsyncExitStack, choose: Choose = wait
) -> Opponent:
    bot = Opponent(name, await arena.token(name), choose)
    await stack.enter_async_context(bot)
    await bot.connect(arena.address)
    return bot


@asynccontextmanager
async def _page(browser: Browser, arena: LocalArena, script: str) -> AsyncIterator[Page]:
    """A page of a new guest, without anything in the browser's cache."""
    context = await browser.new_context(
        base_url=arena.address, viewport={"width": 1280, "height": 800}
    )
    try:
        context.set_default_timeout(PATIENCE_MS)
        await context.add_init_script(script)
        yield await context.new_page()
    finally:
        await context.close()


async def _load(browser: Browser, arena: LocalArena, loads: int) -> Loading:
    async with _page(browser, arena, "") as page:
        traffic, person = Traffic(), Visitor(page)
        await traffic.watch(person)
        await page.goto("/")
        fetched = await loaded(person, traffic)
    usable_ms = []
    for _ in range(loads):
        async with _page(browser, arena, READY) as page:
            await page.goto("/")
            await page.wait_for_function("() => window.readyAt !== undefined")
            usable_ms.append(float(await page.evaluate("() => window.readyAt")))
    return Loading(len(fetched), sum(fetched.values()), usable_ms)


async def _draw(
    browser: Browser,
    arena: LocalArena,
    bots: Sequence[Opponent],
    game: engine.Game,
    before: int,
    turns: int,
) -> Drawing:
    rng, position = random.Random(1), game.start()
    for bot in bots:
        bot.states.clear()
    game_id = await begin(bots[0], bots[1], game=game.name, board=game.board.name)

    async def play() -> None:
        nonlocal position
        turn, ply = position.random_turn(rng), len(position.turns)
        position = position.play(turn)
        if position.over:
            raise HostError(f"{game.name}: over after {ply + 1} turns")
        message: dict[str, Any] = {"game_id": game_id, "ply": ply, "turn": turn}
        answer = await bots[ply % 2].tell("game.turn", message)
        if not answer["ok"]:
            raise HostError(f"{game.name}: {answer}")

    for _ in range(before):
        await play()
    stones = len(position.stones)
    async with _page(browser, arena, TURNS) as page:
        await page.goto(f"/game/{game_id}")
        await expect(page.locator(".stones .stone")).to_have_count(stones)
        await expect(page.locator(".turns .turn")).to_have_count(before)
        for number in range(1, turns + 1):
            await play()
            await page.wait_for_function("(count) => drawn.length >= count", arg=number)
        drawn = await page.evaluate("() => drawn")
    await bots[0].tell("game.action", {"game_id": game_id, "action": "resign"})
    handling, frame = ([each[key] for each in drawn] for key in ("handling", "frame"))
    return Drawing(game.name, game.board.name, stones, handling, frame)


@measurement
def page(
    *,
    loads: Annotated[Count, Parameter(help="first loads of the front page")] = 5,
    turns: Annotated[Count, Parameter(help="turns on each board")] = 20,
    seconds: Annotated[Seconds, Parameter(help="seconds of analysis in the page")] = 10.0,
) -> MeasurementReport:
    """Measure the page in a Chromium: bytes, the time until it is usable, and until a turn is
    drawn on the largest board of each game.

    With the engine for browsers, also the time from a click to its stone while the server is 100 ms
    away, the analysis in the page, a level of play, and memory, as here and four times slower.
    """
    configure_logging("error")
    found = asyncio.run(_measured(loads, turns, seconds))
    loading, drawings, devices = found.loading, found.drawings, found.devices
    line = (
        f"first load: {loading.transferred:,} bytes in {loading.requests} requests, "
        f"usable after {_both(loading.usable_ms)} ms (median, worst)"
    )
    rows = [
        (
            *(each.game, each.board, str(each.stones)),
            *(
                f"{f(times):.1f}"
                for times in (each.handling_ms, each.frame_ms)
                for f in (median, max)
            ),
        )
        for each in drawings
    ]
    head = ("game", "board", "stones", "handled", "worst", "drawn", "worst")
    document = {
        **asdict(loading),
        "boards": [asdict(each) for each in drawings],
        "devices": [asdict(each) for each in devices],
    }
    fine = loading.transferred <= MOST_BYTES and all(
        median(each.frame_ms) <= GOAL_MS for each in drawings
    )
    text: list[str | FigureTable] = [line, FigureTable(head, rows)]
    text.append(
        device_table(devices) if devices else "no engine for browsers: `make run` builds it"
    )
    return MeasurementReport(text, document, fine and all(each.is_fine for each in devices))


def _both(times: Sequence[float]) -> str:
    return f"{median(times):.0f}, {max(times):.0f}"
