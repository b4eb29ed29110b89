"""What comes between a question and an engine's answer, without being the engine's fault."""

import asyncio
from collections.abc import Coroutine

from bot.engines.process import Reply
from bot.engines.questions import Patience
from bot.errors import EngineFailure


async def unless_wanted(patience: Patience | None, work: Coroutine[object, object, Reply]) -> Reply:
    """What `work` returns. Raises Interrupted as soon as somebody else needs the process more."""
    if patience is None:
        return await work
    task, wanted = asyncio.create_task(work), asyncio.create_task(patience.wanted.wait())
    try:
        await asyncio.wait({task, wanted}, return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            return task.result()
        raise Interrupted
    finally:
        for each in (task, wanted):
            each.cancel()
        await asyncio.gather(task, wanted, return_exceptions=True)


class Interrupted(Exception):
    """The search was broken off for somebody who cannot wait."""


class NoneFree(EngineFailure):
    """Nobody's fault: all processes were busy, or being mended, for too long."""


class TooLate(EngineFailure):
    """Nobody's fault: the time was nearly up before the engine could be asked."""


class Excluded(EngineFailure):
    """Nobody's fault: the engine does not know that the turn is not to be chosen."""


class OptionsFailed(Exception):
    """The process has to be replaced, and the options of one user are to blame."""

    def __init__(self, error: EngineFailure) -> None:
        super().__init__(error.message)
        self.error = error
