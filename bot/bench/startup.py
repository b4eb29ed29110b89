"""The time from the command `bluestone up` to a page that responds."""

import tempfile
import time
from collections.abc import Callable
from http import HTTPStatus
from typing import Final

from bot.bench.processes import serving
from bot.errors import HostError
from bot.runtime.http_client import fetch, open_session

ANSWER_S: Final = 60.0
LARGEST_PAGE: Final = 1 << 20


async def measure(runs: int, on_run: Callable[[str], None]) -> list[float]:
    """Return the seconds from `bluestone up` to an address whose page and health respond, for each
    run.
    """
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
    async with open_session() as session:
        answer = await fetch(session, "GET", url, deadline_s=ANSWER_S, limit=LARGEST_PAGE)
    if answer.status != HTTPStatus.OK:
        raise HostError(f"{url} answers {answer.status}")
