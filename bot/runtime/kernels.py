"""Which parts of the engine are compiled, and compiling the rest while a program runs."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Collection, Coroutine, Iterable, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any, Final

import structlog

from bot.runtime import guardian
from bot.runtime.children import PYTHON_M
from bot.time_source import SystemTime, TimeSource
from engine import warming
from engine.warming import CompiledPart

POLL_S: Final = 0.1
TRIES: Final = 3
"""Failures of the compiling process after which each kernel is left to its first use."""
TRY_AGAIN_S: Final = 1.0
PROGRAM: Final = (*PYTHON_M, "engine.warming")

log = structlog.get_logger()


class Kernels:
    """The parts of the engine that are compiled. `missing` are those that are not yet, in order.

    `on_change` is called when `missing` changes.
    """

    def __init__(self, missing: Sequence[CompiledPart] = ()) -> None:
        self.missing = tuple(missing)
        self._fewer = asyncio.Event()
        self.on_change: list[Callable[[], None]] = []

    def are_there(self, parts: Iterable[CompiledPart]) -> bool:
        """Return whether these parts can be used without compiling anything."""
        return not set(parts) & set(self.missing)

    async def until_there(self, parts: Collection[CompiledPart]) -> None:
        """Wait until these parts are compiled, or cannot be: then each is compiled at its first
        use.
        """
        while not self.are_there(parts):
            self._fewer.clear()
            await self._fewer.wait()

    def now_missing(self, parts: Sequence[CompiledPart]) -> None:
        """Set the missing parts and call the listeners."""
        self.missing = tuple(parts)
        self._fewer.set()
        for listener in self.on_change:
            listener()


Compile = Callable[[Sequence[str]], Coroutine[Any, Any, str | None]]


async def compile_in_a_process(first: Sequence[str]) -> str | None:
    """Compile the missing parts, the games of `first` first. Return an error message, if any.

    The process has a guardian, so it ends with this one even if this one is killed.
    """
    lifeline_end, lifeline = os.pipe()
    try:
        process = await _start_guarded(lifeline_end, *PROGRAM, *first)
    except OSError as error:
        os.close(lifeline)
        return str(error)
    finally:
        os.close(lifeline_end)
    try:
        _, errors = await process.communicate()
    finally:
        os.close(lifeline)  # the guardian ends the process if it still runs
        await process.wait()
    if process.returncode == 0:
        return None
    said = errors.decode(errors="replace").strip().splitlines()
    return said[-1] if said else f"ended with status {process.returncode}"


async def _start_guarded(lifeline: int, *command: str) -> asyncio.subprocess.Process:
    with open(os.devnull, "wb") as unread_report:  # noqa: ASYNC230, PTH123 - it never blocks
        descriptors = lifeline, unread_report.fileno()
        return await asyncio.create_subprocess_exec(
            *(*guardian.COMMAND, *map(str, descriptors), "--", *command),
            pass_fds=descriptors,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
        )


@asynccontextmanager
async def compiled_behind(
    first: Sequence[str] = (),
    missing: Callable[[], Sequence[CompiledPart]] = warming.missing,
    compile_all: Compile = compile_in_a_process,
    time: TimeSource | None = None,
) -> AsyncIterator[Kernels]:
    """Compile the rest of the engine in a process until the end of the block, the `first` games
    first.

    Several programs may do so at once: they share the compiled code, and one of them compiles.
    `time` is the clock of `compile_all`: a process uses the system's time even if the program
    itself runs in simulated time.
    """
    time = time or SystemTime()
    kernels = Kernels(missing())
    if not kernels.missing:
        yield kernels
        return
    log.info("compiling", parts=[part.label for part in kernels.missing])
    following = asyncio.create_task(_follow(kernels, time, missing, compile_all, first))
    try:
        yield kernels
    finally:
        following.cancel()
        with suppress(asyncio.CancelledError):
            await following


async def _follow(
    kernels: Kernels,
    time: TimeSource,
    missing: Callable[[], Sequence[CompiledPart]],
    compile_all: Compile,
    first: Sequence[str],
) -> None:
    for tries_left in reversed(range(TRIES)):
        why = await _compile(kernels, time, missing, compile_all(first))
        if why is None and not kernels.missing:
            log.info("all_compiled")
            return
        labels = [part.label for part in kernels.missing]
        log.error("not_compiled", parts=labels, why=why, tries_left=tries_left)
        await time.sleep(TRY_AGAIN_S)
    kernels.now_missing(())


async def _compile(
    kernels: Kernels,
    time: TimeSource,
    missing: Callable[[], Sequence[CompiledPart]],
    compiling_all: Coroutine[Any, Any, str | None],
) -> str | None:
    compiling = asyncio.create_task(compiling_all)
    try:
        while not compiling.done():
            await time.sleep(POLL_S)
            _look(kernels, missing)
        return compiling.result()
    finally:
        _look(kernels, missing)
        compiling.cancel()
        with suppress(asyncio.CancelledError):
            await compiling


def _look(kernels: Kernels, missing: Callable[[], Sequence[CompiledPart]]) -> None:
    now = tuple(missing())
    if now == kernels.missing:
        return
    for part in kernels.missing:
        if part not in now:
            log.info("compiled", part=part.label)
    kernels.now_missing(now)
