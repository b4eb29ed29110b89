"""Wait for what happens in other tasks, threads and processes."""

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from typing import TypeVar

from bot.runtime.simulated_time import SimulatedLoop

T = TypeVar("T")

DEADLINE_S = 100.0
"""A generous bound on a machine that is busy; only a failing test waits so long."""
PAUSE_S = 0.01
ASKING_PAUSE_S = 0.1
"""Between requests to a server: an arena accepts 20 a second of one person."""


async def eventually(condition: Callable[[], object], why: str = "") -> None:
    """Return as soon as `condition` holds.

    Raises AssertionError after `DEADLINE_S`, with `why` or the source of the condition. In
    simulated time, time passes only if the condition does not hold without it.
    """
    loop = asyncio.get_running_loop()
    deadline = loop.time() + DEADLINE_S
    while not condition():
        if isinstance(loop, SimulatedLoop):
            await loop.quiet()
            if condition():
                return
        if loop.time() > deadline:
            raise AssertionError(f"{why or _source(condition)}: not within {DEADLINE_S:g} s")
        await asyncio.sleep(PAUSE_S)


async def answered(
    ask: Callable[[], Awaitable[T]], holds: Callable[[T], object], why: str = ""
) -> T:
    """Ask again, with pauses, until the answer is one for which `holds` is true; return it.

    Raises AssertionError after `DEADLINE_S`, with `why` or the last answer.
    """
    loop = asyncio.get_running_loop()
    deadline = loop.time() + DEADLINE_S
    while not holds(answer := await ask()):
        if loop.time() > deadline:
            raise AssertionError(f"{why or answer}: not within {DEADLINE_S:g} s")
        await asyncio.sleep(ASKING_PAUSE_S)
    return answer


def _source(condition: Callable[[], object]) -> str:
    try:
        return inspect.getsource(condition).strip()
    except (OSError, TypeError):
        return repr(condition)
