"""The page with its own rules and engine: its stones, its analysis, and a level of play.

Chromium slows the main thread of a page as a slower processor would, but not its workers. So the
times of the page are measured, and those of a worker are its processor time, times the factor.

A frame is measured twice: as the time between two animation frames, and as the processor time of
the main thread between them. The first is what a person sees, and grows with the machine's load.
"""

import json
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, Final

from playwright.async_api import Browser, Page, expect

from bot.cli.measurements import FigureTable, progress
from bot.errors import HostError
from tests.e2e.browser.chromium import PATIENCE_MS
from tests.e2e.browser.opponent import Opponent, at_least
from tests.e2e.browser.scripts import fixed_turn, position_of
from tests.e2e.browser.visitor import Visitor

GAME: Final = "bluestone"
BOARD: Final = "pent-6"
SLOWER: Final = (1, 4)
"""By how many times the page's main thread is slower than here."""
LEVEL: Final = 7
LEVEL_TURNS: Final = 5
LEVEL_MEGABYTES: Final = 16
SPEED_S: Final = 2.0
PLAYED: Final = 4
"""Turns on the analysis board while its frames are measured."""
MOST_MS: Final = 3_000.0
"""For a turn of the level on a device that is four times slower."""
MOST_FRAME_MS: Final = 50.0
MOST_TURNS: Final = 12
"""After more turns of both players there is hardly an empty cell left."""
MOST_MB: Final = 150.0
WORKER: Final = "DedicatedWorker"
"""The name of the thread of a worker in Chromium."""
NANOSECONDS_PER_MS: Final = 1e6
TRACED: Final = ("devtools.timeline", "disabled-by-default-devtools.timeline")
TASK: Final = "RunTask"
FRAME: Final = "FireAnimationFrame"
MAIN_THREAD: Final = "CrRendererMain"
WATCH: Final = """
window.stones = [];
window.isLast = false;
window.heard = [];
window.gaps = [];
addEventListener("click", ({ target, timeStamp }) => {
    if (!target.closest?.(".cell")) {
        return;
    }
    // The last stone of a turn is there when the whole turn is, and not only marked as chosen.
    const stone = isLast ? ".stone:not(.pending)" : ".stone";
    const count = () => document.querySelectorAll(`svg.board ${stone}`).length;
    const before = count();
    const observer = new MutationObserver(() => {
        if (count() > before) {
            observer.disconnect();
            const placed = performance.now() - timeStamp;
            requestAnimationFrame(() => {
                const { port1, port2 } = new MessageChannel();
                port1.onmessage = () => {  // after the frame
                    stones.push({ placed, drawn: performance.now() - timeStamp });
                };
                port2.postMessage(null);
            });
        }
    });
    observer.observe(document.body, { childList: true, subtree: true, attributes: true });
}, true);
window.watchFrames = () => {
    gaps = [];
    let last = performance.now();
    const next = (now) => {
        gaps.push(now - last);
        last = now;
        requestAnimationFrame(next);
    };
    requestAnimationFrame(next);
};
window.PlainWorker = window.Worker;
window.Worker = class extends PlainWorker {
    constructor(address, options) {
        super(address, options);
        window.address = new URL(address, location.href).pathname;
        this.addEventListener("message", ({ data }) => {
            const { playouts = 0, candidates = [] } = data.found ?? {};
            heard.push({ after: performance.now() - asked, playouts, lines: candidates.length });
        });
    }
    postMessage(message) {
        if (message.kind === "open") {
            window.opening = message;
        } else if (message.kind === "search") {
            window.asked = performance.now();
            heard = [];
        }
        super.postMessage(message);
    }
};
"""
PLAY_BEST: Final = "() => document.querySelector('.engine-lines li button')?.click()"
OPENING: Final = """() => {
    const { setup, place: { folder, query } } = opening;
    return { address, setup, folder: new URL(folder).pathname, query };
}"""
THINK: Final = """async ({ address, setup, folder, query, level, megabytes, count }) => {
    const worker = new PlainWorker(address, { type: "module" });
    window.thinking = worker;
    const place = { folder: new URL(folder, location.href).href, query };
    const [turns, took] = [[], []];
    worker.postMessage({ kind: "open", setup, place, level, megabytes, seed: 1n });
    for (let id = 1; id <= count; id += 1) {
        const began = performance.now();
        const done = await new Promise((resolve, reject) => {
            worker.onmessage = ({ data }) => data.kind === "done" && resolve(data) ||
                data.kind === "failed" && reject(new Error(data.message));
            worker.postMessage({ kind: "search", id, turns, limits: {}, lines: 1, isFresh: false });
        });
        took.push(performance.now() - began);
        turns.push(done.turn);
    }
    return took;
}"""


@dataclass(frozen=True)
class Stones:
    """Milliseconds from a click until its stone is in the document, and until it is drawn."""

    placed_ms: Sequence[float]
    drawn_ms: Sequence[float]


@dataclass(frozen=True)
class Smoothness:
    """The page while an engine works beside it, in milliseconds."""

    longest_frame_ms: float
    longest_work_ms: float
    """Processor time of the main thread from one frame to the next."""


@dataclass(frozen=True)
class DeviceAnalysis:
    """The analysis board, with the engine that the page brings."""

    first_report_ms: float
    """From the question to the first lines, with the start of the engine."""
    playouts_after_1_s: int
    lines_after_1_s: int
    playouts_per_ms: float
    """Of the worker's processor time."""
    page: Smoothness
    memory_mb: float


@dataclass(frozen=True)
class DeviceLevel:
    """A level that thinks in the page. The first turn is with the start of the engine."""

    took_ms: Sequence[float]
    first_worker_ms: float
    """Processor time of the worker until its first turn."""
    worker_ms: float
    """The same for each of the other turns."""
    page: Smoothness
    memory_mb: float


@dataclass(frozen=True)
class DeviceFigures:
    """What was measured on a device `slower` times slower than this one.

    `stones` begin a turn, `turns` are the stones that end one. Those `by_server` are without the
    rules in the page.
    """

    slower: int
    stones: Stones
    turns: Stones
    stones_by_server: Stones
    turns_by_server: Stones
    analysis: DeviceAnalysis
    level: DeviceLevel

    @property
    def is_fine(self) -> bool:
        """Whether the level is within the bounds for a phone, and the analysis in its memory."""
        memory = max(self.analysis.memory_mb, self.level.memory_mb)
        work = self.level.page.longest_work_ms
        return self.level_ms <= MOST_MS and work <= MOST_FRAME_MS and memory <= MOST_MB

    @property
    def level_ms(self) -> float:
        """The slowest turn of the level, if its worker were slower too."""
        return max(self.level.first_worker_ms, self.level.worker_ms) * self.slower


async def measure_device(
    browser: Browser, address: str, bot: Opponent, turns: int, seconds: float
) -> list[DeviceFigures]:
    """Measure with a slow server at `address`. Raises HostError if the page has no engine."""
    found = []
    for slower in SLOWER:
        progress(f"{GAME} {BOARD}: {slower} times slower")
        async with _page(browser, address, slower) as page:
            analysis, worker = await _analyse(browser, page, seconds)
        async with _page(browser, address, slower) as page:
            stones, ends = await _place_stones(page, bot, turns)
            level = await _think(browser, page, worker)
        async with _page(browser, address, slower) as page:
            await page.context.route(f"{address}/engine/**", lambda route: route.abort())
            by_server = await _place_stones(page, bot, turns)
        found.append(DeviceFigures(slower, stones, ends, *by_server, analysis, level))
    return found


@asynccontextmanager
async def _page(browser: Browser, address: str, slower: int) -> AsyncIterator[Page]:
    """A page of a new guest on a device of the size of a phone."""
    context = await browser.new_context(
        base_url=address, viewport={"width": 412, "height": 915}, service_workers="block"
    )
    try:
        context.set_default_timeout(PATIENCE_MS)
        await context.add_init_script(WATCH)
        page = await context.new_page()
        session = await context.new_cdp_session(page)
        await session.send("Emulation.setCPUThrottlingRate", {"rate": slower})
        yield page
    finally:
        await context.close()


async def _place_stones(page: Page, bot: Opponent, turns: int) -> tuple[Stones, Stones]:
    """Play turns against a bot: the stones that begin them, and those that end them."""
    person = Visitor(page)
    await person.visit("/")
    await person.choose(board=BOARD)
    game_id = await person.challenge(bot.name)
    begun: list[dict[str, float]] = []
    ended: list[dict[str, float]] = []
    turns = min(turns, MOST_TURNS)
    for number in range(turns + 1):
        state = await bot.wait_until(game_id, at_least(2 * number))
        if number > 0:
            await person.sees(2 * number)
        await expect(page.locator(".turn-bar")).to_have_attribute("data-phase", "choosing")
        turn = fixed_turn(position_of(state)).split(",")
        for stone, cell in enumerate(turn):
            is_last = stone == len(turn) - 1
            await page.evaluate("(last) => { stones = []; isLast = last; }", is_last)
            await person.press_cell(cell)
            await page.wait_for_function("() => stones.length > 0")
            if number > 0:  # the first turn is one stone
                times = (await page.evaluate("() => stones"))[0]
                (ended if is_last else begun).append(times)
    await person.sees(2 * turns + 2)  # the bot's answer is drawn
    return _stones(begun), _stones(ended)


def _stones(found: Sequence[Mapping[str, float]]) -> Stones:
    return Stones([each["placed"] for each in found], [each["drawn"] for each in found])


async def _analyse(
    browser: Browser, page: Page, seconds: float
) -> tuple[DeviceAnalysis, dict[str, Any]]:
    await page.goto(f"/analysis#game={GAME}&board={BOARD}")
    await page.wait_for_function("() => window.opening && heard.length > 0")
    await page.wait_for_function("() => heard.at(-1).after > 1_000")
    within = await page.evaluate("() => heard.filter(({ after }) => after <= 1_000)")
    first = await page.evaluate("() => heard[0].after")
    threads = await _renderer(browser)
    before, worked = await _playouts(page), threads.worker_ms()
    await page.wait_for_timeout(1000 * SPEED_S)
    playouts, took = await _playouts(page) - before, threads.worker_ms() - worked
    smoothness = await _smoothness(browser, page, seconds)
    last = within[-1] if within else {"playouts": 0, "lines": 0}
    found = DeviceAnalysis(
        first_report_ms=first,
        playouts_after_1_s=last["playouts"],
        lines_after_1_s=last["lines"],
        playouts_per_ms=playouts / took,
        page=smoothness,
        memory_mb=threads.memory_mb(),
    )
    return found, await page.evaluate(OPENING)


async def _playouts(page: Page) -> int:
    return int(await page.evaluate("() => heard.at(-1).playouts"))


async def _think(browser: Browser, page: Page, worker: Mapping[str, Any]) -> DeviceLevel:
    asked = {**worker, "level": LEVEL, "megabytes": LEVEL_MEGABYTES}
    async with _traced(browser, page) as traced:
        await page.evaluate(THINK, {**asked, "count": 1})
        first = (await _renderer(browser)).worker_ms()
        await page.evaluate("() => thinking.terminate()")
        took = await page.evaluate(THINK, {**asked, "count": LEVEL_TURNS})
        threads = await _renderer(browser)
        others = (threads.worker_ms() - first) / (LEVEL_TURNS - 1)
    return DeviceLevel(took, first, others, traced[0], threads.memory_mb())


async def _smoothness(browser: Browser, page: Page, seconds: float) -> Smoothness:
    """Look at the analysis, and play the best turn from time to time."""
    async with _traced(browser, page) as traced:
        for _ in range(PLAYED):
            await page.wait_for_timeout(1000 * seconds / PLAYED)
            await page.evaluate(PLAY_BEST)
    return traced[0]


@asynccontextmanager
async def _traced(browser: Browser, page: Page) -> AsyncIterator[list[Smoothness]]:
    """How smooth the page was inside the block; known after it."""
    found: list[Smoothness] = []
    await browser.start_tracing(page=page, categories=[*TRACED])
    await page.evaluate("() => watchFrames()")
    yield found
    await page.evaluate("() => new Promise((done) => requestAnimationFrame(done))")
    longest = max(await page.evaluate("() => gaps"))
    found.append(Smoothness(longest, _longest_work(await browser.stop_tracing())))


def _longest_work(trace: bytes) -> float:
    """Milliseconds of processor time that a main thread took from one frame to the next."""
    events = json.loads(trace)["traceEvents"]
    mains = {
        (each["pid"], each["tid"])
        for each in events
        if each["name"] == "thread_name" and each["args"]["name"] == MAIN_THREAD
    }
    own = [each for each in events if (each["pid"], each["tid"]) in mains]
    frames = sorted(each["ts"] for each in own if each["name"] == FRAME)
    tasks = [each for each in own if each["name"] == TASK and "dur" in each]
    work: Counter[int] = Counter()
    for each in tasks:  # the frame in which it ends, or the next one
        work[bisect_left(frames, each["ts"])] += each.get("tdur", 0)
    return max(work.values(), default=0) / 1000


@dataclass(frozen=True)
class Renderer:
    """The process of a page, with its newest worker. Of Linux only."""

    process: Path
    worker: Path

    def worker_ms(self) -> float:
        """The processor time that the worker has taken."""
        return int((self.worker / "schedstat").read_text().split()[0]) / NANOSECONDS_PER_MS

    def memory_mb(self) -> float:
        """Memory of the process that is its own, and no file's."""
        found = re.search(r"RssAnon:\s+(\d+) kB", (self.process / "status").read_text())
        return int(found[1]) / 1024 if found else 0.0


async def _renderer(browser: Browser) -> Renderer:
    session = await browser.new_browser_cdp_session()
    try:
        processes = (await session.send("SystemInfo.getProcessInfo"))["processInfo"]
    finally:
        await session.detach()
    folders = [Path("/proc") / str(each["id"]) for each in processes if each["type"] == "renderer"]
    workers = [
        task
        for folder in folders
        for task in folder.glob("task/*")
        if (task / "comm").read_text().startswith(WORKER)
    ]
    if not workers:
        raise HostError("the page has no worker")
    newest = max(workers, key=lambda task: int(task.name))
    return Renderer(newest.parents[1], newest)


def device_table(found: Sequence[DeviceFigures]) -> FigureTable:
    """Return all figures, with a column for each device."""
    rows = {
        "click to first stone of turn in document": lambda f: _both(f.stones.placed_ms),
        "click to frame with that stone": lambda f: _both(f.stones.drawn_ms),
        "the same by the server's rules": lambda f: _both(f.stones_by_server.drawn_ms),
        "click to whole turn in document": lambda f: _both(f.turns.placed_ms),
        "click to frame with that turn": lambda f: _both(f.turns.drawn_ms),
        "that frame by the server's rules": lambda f: _both(f.turns_by_server.drawn_ms),
        "analysis: first lines": lambda f: f"{f.analysis.first_report_ms:.0f}",
        "analysis: playouts after 1 s": lambda f: str(f.analysis.playouts_after_1_s),
        "analysis: lines after 1 s": lambda f: str(f.analysis.lines_after_1_s),
        "worker: playouts per ms of its processor": lambda f: f"{f.analysis.playouts_per_ms:.1f}",
        "analysis: longest frame": lambda f: f"{f.analysis.page.longest_frame_ms:.0f}",
        "analysis: most work for a frame": lambda f: f"{f.analysis.page.longest_work_ms:.0f}",
        "analysis: memory, MB": lambda f: f"{f.analysis.memory_mb:.0f}",
        f"level {LEVEL}: turns": lambda f: _both(f.level.took_ms),
        f"level {LEVEL}: slowest turn, worker slower too": lambda f: f"{f.level_ms:.0f}",
        f"level {LEVEL}: longest frame": lambda f: f"{f.level.page.longest_frame_ms:.0f}",
        f"level {LEVEL}: most work for a frame": lambda f: f"{f.level.page.longest_work_ms:.0f}",
        f"level {LEVEL}: memory, MB": lambda f: f"{f.level.memory_mb:.0f}",
    }
    head = ("ms (median, worst)", *(f"{each.slower} times slower" for each in found))
    return FigureTable(head, [(name, *map(told, found)) for name, told in rows.items()])


def _both(times: Sequence[float]) -> str:
    return f"{median(times):.0f}, {max(times):.0f}"
