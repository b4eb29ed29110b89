"""The time from the command `bluestone up` to a page that answers."""

import tempfile
import time
from collections.abc import Callable

import aiohttp

from bot.bench.processes import serving
from bot.errors import HostError


async def measure(runs: int, on_run: Callable[[str], None]) -> list[float]:
    """Seconds from `bluestone up` to an address whose page and health answer, for each run."""
    times = []
    for number in range(1, runs + 1):
        with tempfile.TemporaryDirectory() as data:
            began = time.monotonic()
            async with serving("up", "--port", "0", "--data", data) as address:
                await _expect(f"{address}/healthz")
                await _expect(address)
                times.append(round(time.monotonic() - began, 2))
        on_run(f"run {number} of {runs}: {times[-1]:.2f} s")
    return times


async def _expect(url: str) -> None:
    async with aiohttp.ClientSession() as session, session.get(url) as answer:
        if answer.status != 200:
            raise HostError(f"{url} answers {answer.status}")
