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

OWN_SHARE: Final = 0.3
"""The part of the time in which the turns after the best one are searched on their own: a search
of the position hardly looks at them, and its values of them are far off."""

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

        With several lines, each but the first has the value of a search of the position after its
        turn; the best one comes first.

        Raises EngineFailure; the engine is then started again for the next position. Cancelling
        ends the engine.
        """
        is_over = self._is_stopped = False
        try:
            process = await self._started()
            await process.set_up(position.game, lines_option(process, lines))
            found = await within(
                self._time,
                seconds + GRACE_S,
                self._compared(process, position, seconds, lines, on_lines),
            )
            is_over = True
        except TimeoutError:
            raise EngineTimeout(self._spec.name, "did not stop after its time was over") from None
        finally:
            if not is_over:
                await self._kill()
        return found

    async def _started(self) -> EngineProcess:
        if self._process is None or not self._process.alive:
            await self._kill()
            self._process = await EngineProcess.start(self._spec, self._time)
        return self._process

    async def _kill(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            await process.kill()

    async def _compared(
        self,
        process: EngineProcess,
        position: engine.Position,
        seconds: float,
        lines: int,
        on_lines: OnLines,
    ) -> tuple[int | None, tuple[EngineLine, ...]]:
        own_s = OWN_SHARE * seconds / max(1, lines - 1)
        first_s = seconds - own_s * (lines - 1)
        nodes, found = await self._listen(process, position, first_s, on_lines)
        known = list(found[:lines])
        for place, line in enumerate(known[1:], start=1):
            if self._is_stopped:
                break
            known[place] = await self._searched_alone(process, position, line, own_s)
            on_lines(nodes, tuple(known))
        return nodes, tuple(sorted(known, key=lambda line: -_value(line)))

    async def _searched_alone(
        self, process: EngineProcess, position: engine.Position, line: EngineLine, seconds: float
    ) -> EngineLine:
        if not position.is_legal(line.turn):
            return line  # what a program reports besides its choice is not checked elsewhere
        after = position.play(line.turn)
        if after.over:
            value = 0.5 if after.winner is None else float(after.winner == position.to_play)
            return EngineLine(line.turn, value, line.visits, (line.turn,))
        nodes, (answer, *_) = await self._listen(process, after, seconds, lambda *_: None)
        if answer.value is None:
            return line
        return EngineLine(line.turn, 1.0 - answer.value, nodes, (line.turn, *answer.pv))

    async def _listen(
        self,
        process: EngineProcess,
        position: engine.Position,
        seconds: float,
        on_lines: OnLines,
    ) -> tuple[int | None, tuple[EngineLine, ...]]:
        reports: dict[int, InfoLine] = {}
        complete: dict[int, InfoLine] = {}
        stop = asyncio.create_task(self._stop_after(seconds))
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

    async def _stop_after(self, seconds: float) -> None:
        await self._time.sleep(seconds + 0.5)
        try:
            self.stop()
        except EngineFailure:  # the search itself reports the engine's death
            return


def _value(line: EngineLine) -> float:
    return -1.0 if line.value is None else line.value
