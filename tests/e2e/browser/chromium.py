"""The Chromium that shows the page to tests, and takes its pictures."""

import shutil
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager

from playwright.async_api import Browser, async_playwright, expect

WHOLE = ("chromium", "chromium-browser", "google-chrome")
"""Browsers with a window, and with notifications."""
NAMES = ("chromium-headless-shell", *WHOLE)
"""The headless one takes two thirds of the processor time of a whole browser."""
NONE_HERE = f"no Chromium here (looked for {', '.join(NAMES)})"
OPTIONS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PATIENCE_MS = 30_000


def installed(names: Iterable[str] = NAMES) -> str | None:
    """The path of the first of these browsers that is there."""
    return next(filter(None, map(shutil.which, names)), None)


@asynccontextmanager
async def launched(path: str) -> AsyncIterator[Browser]:
    expect.set_options(timeout=PATIENCE_MS)
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=path, args=OPTIONS, headless=True
        )
        yield browser
        await browser.close()
