"""Wait for what happens in other tasks, threads and processes."""

import asyncio
from collections.abc import Callable


async def eventually(condition: Callable[[], bool]) -> None:
    """Return as soon as `condition` holds; the test's own time limit is the deadline."""
    while not condition():  # noqa: ASYNC110 - what changes it is not ours to put an event into
        await asyncio.sleep(0.001)
