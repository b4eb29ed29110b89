"""One engine process that evaluates one position at a time."""

import asyncio
from collections.abc import Callable
from typing import Final

import engine
from bot.engines.lines import EngineLine, final_lines, lines_option
from bot.engines.process import EngineProcess
from bot.engines.protocol import BestMove, InfoLine
from bot.engines.spec import EngineSpec
from bot.errors import EngineFailure, EngineProtocolError, EngineTimeout
from bot.runtime.tasks import within
from bot.time_source import TimeSource

GRACE_S: Final = 10.0
"""How long an engine may take after its time is over."""

OnLines = Callable[[int | None, tuple[EngineLine, ...]], None]
"""Gets the playouts so far, and the lines, best first."""


class AnalystSearcher:
    """Starts the engine at the first position, and again after a failure."""

    def __init__(self, spec: EngineSpec, time: TimeSource) -> None:
        self._spec = spec
        self._time = time
        self._process: EngineProcess | None = None
        self._is_stopped = False

    async def close(self) -> None:
        """End the engine."""
        process, self._process = self._process, None
        if process is not None:
            await process.close()

    def stop(self) -> None:
        """Let the running search end now."""
        self._is_stopped = True
        if self._process is not None:
            self._process.stop()

    async def search(
        self, position: engine.Position, seconds: float, lines: int, on_lines: OnLines
    ) -> tuple[int | None, tuple[EngineLine, ...]]:
        """Search a position, and return playouts and lines; `on_lines` gets partial ones.

        The lines come from one search, in the engine's order. A line with few playouts has no value
        to rely on, and those who show it say so.

        Raises EngineFailure; the engine is then started again for the next position. Cancelling
        ends the engine.
        """
        is_over = self._is_stopped = False
        try:
            process = await self._started()
            await process.set_up(position.game, lines_option(process, lines))
            nodes, found = await self._searched(process, position, seconds, on_lines)
            if nodes == 0 and found[0].value is None and not self._is_stopped:
                # A busy machine took all the time to prepare the search; now it is prepared.
                nodes, found = await self._searched(process, position, seconds, on_lines)
            is_over = True
        except TimeoutError:
            raise EngineTimeout(self._spec.name, "did not stop after its time was over") from None
        finally:
            if not is_over:
                await self._kill()
        return nodes, found

    async def _started(self) -> EngineProcess:
        if self._process is None or not self._process.alive:
            await self._kill()
            self._process = await EngineProcess.start(self._spec, self._time)
        return self._process

    async def _kill(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            await process.kill()

    async def _searched(
        self,
        process: EngineProcess,
        position: engine.Position,
        seconds: float,
        on_lines: OnLines,
    ) -> tuple[int | None, tuple[EngineLine, ...]]:
        listening = self._listen(process, position, seconds, on_lines)
        return await within(self._time, seconds + GRACE_S, listening)

    async def _listen(
        self,
        process: EngineProcess,
        position: engine.Position,
        seconds: float,
        on_lines: OnLines,
    ) -> tuple[int | None, tuple[EngineLine, ...]]:
        reports: dict[int, InfoLine] = {}
        complete: dict[int, InfoLine] = {}
        stop = asyncio.create_task(self._stop_after(process, seconds))
        try:
            async for news in process.analyse(position, f"movetime {round(seconds * 1000)}"):
                if isinstance(news, BestMove):
                    reports = reports or complete
                    nodes = reports[1].nodes if 1 in reports else None
                    return nodes, final_lines(news.turn, reports)
                if not news.pv:
                    continue
                if news.multipv == 1 and reports:  # the lines of a report come best first
                    complete, reports = reports, {}
                    on_lines(complete[1].nodes, final_lines(complete[1].pv[0], complete))
                reports[news.multipv] = news
        finally:
            stop.cancel()
        raise EngineProtocolError(self._spec.name, "ended its search without a turn")

    async def _stop_after(self, process: EngineProcess, seconds: float) -> None:
        await self._time.sleep(seconds + 0.5)
        try:
            process.stop()
        except EngineFailure:  # the search itself reports the engine's death
            return
