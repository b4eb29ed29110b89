"""The Chromium that shows the page to tests, and takes its pictures."""

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from playwright.async_api import Browser, async_playwright, expect

NAMES = ("chromium", "chromium-browser", "google-chrome")
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


def installed() -> str | None:
    """The path of a Chromium, if there is one."""
    return next(filter(None, map(shutil.which, NAMES)), None)


@asynccontextmanager
async def launched(path: str) -> AsyncIterator[Browser]:
    expect.set_options(timeout=PATIENCE_MS)
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=path, args=OPTIONS, headless=True
        )
        yield browser
        await browser.close()
