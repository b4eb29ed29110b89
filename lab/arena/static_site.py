"""How fast a static site is for a first visitor on a phone's network, until the first stone.

The network is that of the profile "Fast 4G" of Chromium's developer tools. The server counts the
bytes of the bodies that it sends, also those that the service worker fetches. Most hosts of static
files compress them, and `python -m http.server` does not: both are measured.
"""

import asyncio
import gzip
import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Annotated, Final, cast

from cyclopts import Parameter
from playwright.async_api import Browser, Page, expect

from bot.cli.measurements import Count, FigureTable, MeasurementReport, measurement, progress
from bot.errors import HostError
from bot.guests.static_site.folder import write_site
from bot.guests.static_site.site_files import site_files
from tests.e2e.browser.chromium import NONE_HERE, PATIENCE_MS, installed, launched

PLACE: Final = "games"
FAST_4G: Final = {
    "offline": False,
    "latency": 165,
    "downloadThroughput": 9_000_000 / 8 * 0.9,
    "uploadThroughput": 1_500_000 / 8 * 0.9,
}
PHONE: Final = {"width": 390, "height": 844}
MOST_BYTES: Final = 250_000
MOST_MS: Final = 2_000.0
TIMES: Final = """
addEventListener("click", () => window.clickedAt ??= performance.now(), { capture: true });
new MutationObserver(() => {
    const isOnline = document.documentElement.dataset.status === "online";
    if (isOnline && document.querySelector("main:not(.loading) .level")) {
        window.usableAt ??= performance.now();
    }
    if (document.querySelector(".stones .stone, .stone.pending")) {
        window.stoneAt ??= performance.now();
    }
}).observe(document, { attributes: true, childList: true, subtree: true });
"""


@dataclass(frozen=True)
class FirstVisit:
    """Bytes that are sent, and milliseconds: until the page is usable, and from there to a stone.

    `stone_bytes` is everything until the first stone, with the engine of its game.
    """

    is_compressed: bool
    usable_bytes: int
    usable_ms: Sequence[float]
    stone_bytes: int
    stone_ms: Sequence[float]


class _Host(ThreadingHTTPServer):
    """Serves a folder, compressed or not, and counts bytes."""

    sent = 0

    def __init__(self, top: Path, *, is_compressed: bool) -> None:
        super().__init__(("127.0.0.1", 0), partial(_Handler, directory=str(top)))
        self.is_compressed = is_compressed

    def handle_error(self, *_arguments: object) -> None:
        """Say nothing: browsers end connections that they no longer need."""

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/{PLACE}/"


class _Handler(SimpleHTTPRequestHandler):
    def do_GET(self) -> None:
        host, path = cast("_Host", self.server), Path(self.translate_path(self.path))
        file = path / "index.html" if path.is_dir() else path
        if not file.is_file():
            self.send_error(404)
            return
        body = file.read_bytes()
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(str(file)))
        if host.is_compressed:
            body = gzip.compress(body, 6)
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        host.sent += len(body)
        self.copyfile(io.BytesIO(body), self.wfile)

    def log_message(self, *_arguments: object) -> None:
        """Say nothing."""


@contextmanager
def _hosted(top: Path, *, is_compressed: bool) -> Iterator[_Host]:
    host = _Host(top, is_compressed=is_compressed)
    thread = Thread(target=host.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield host
    finally:
        host.shutdown()
        thread.join()
        host.server_close()


async def _measured(visits: int) -> list[FirstVisit]:
    chromium = installed()
    if chromium is None:
        raise HostError(NONE_HERE)
    found = []
    with TemporaryDirectory() as folder:
        write_site(Path(folder) / PLACE, site_files())
        async with launched(chromium) as browser:
            for is_compressed in (True, False):
                with _hosted(Path(folder), is_compressed=is_compressed) as host:
                    each = [await _visit(browser, host) for _ in range(visits)]
                usable_bytes, stone_bytes = each[0][0], each[0][2]
                usable_ms, stone_ms = [one[1] for one in each], [one[3] for one in each]
                found.append(
                    FirstVisit(is_compressed, usable_bytes, usable_ms, stone_bytes, stone_ms)
                )
    return found


async def _visit(browser: Browser, host: _Host) -> tuple[int, float, int, float]:
    """Play a first stone with two clicks, as a new visitor."""
    progress(f"a first visit to {host.address}")
    context = await browser.new_context(base_url=host.address, viewport=PHONE)  # type: ignore[arg-type]
    try:
        context.set_default_timeout(PATIENCE_MS)
        await context.add_init_script(TIMES)
        page = await context.new_page()
        session = await context.new_cdp_session(page)
        await session.send("Network.enable")
        await session.send("Network.emulateNetworkConditions", FAST_4G)
        host.sent = 0
        await page.goto("./")
        usable = await _time(page, "usableAt")
        usable_bytes = host.sent
        await page.locator(".level").first.click()
        await expect(page.locator(".prompt")).to_contain_text("Your turn")
        await page.locator('.cell[data-cell="0-0"]').click()
        stone = await _time(page, "stoneAt") - await _time(page, "clickedAt")
        return usable_bytes, usable, host.sent, stone
    finally:
        await context.close()


async def _time(page: Page, name: str) -> float:
    await page.wait_for_function(f"() => window.{name} !== undefined")
    return float(await page.evaluate(f"() => window.{name}"))


@measurement
def static(
    *, visits: Annotated[Count, Parameter(help="first visits to each host")] = 5
) -> MeasurementReport:
    """Measure a static site on Fast 4G: bytes and time of a first visit, until the first stone."""
    found = asyncio.run(_measured(visits))
    rows = [
        (
            "gzip" if each.is_compressed else "none",
            f"{each.usable_bytes:,}",
            f"{median(each.usable_ms):.0f}",
            f"{each.stone_bytes:,}",
            f"{median(each.stone_ms):.0f}",
            f"{max(each.stone_ms):.0f}",
        )
        for each in found
    ]
    head = ("compression", "bytes", "usable, ms", "bytes to stone", "stone, ms", "worst")
    document = {"visits": [asdict(each) for each in found]}
    [compressed, _] = found
    fine = compressed.stone_bytes <= MOST_BYTES and median(compressed.stone_ms) <= MOST_MS
    return MeasurementReport([FigureTable(head, rows)], document, fine)
