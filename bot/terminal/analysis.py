"""An engine's evaluation of a position, from a built-in engine or from an external program."""

import asyncio
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import Protocol, Self

import engine
from bot.engines.lines import EngineLine, final_lines, lines_option, reported_line
from bot.engines.process import EngineProcess
from bot.engines.protocol import BestMove, InfoLine
from bot.engines.spec import EngineSpec
from bot.errors import ConfigurationError, EngineProtocolError, EngineTimeout
from bot.terminal.engine_loop import EngineLoop
from bot.time_source import SystemTime
from engine import contract
from engine.players.installed import load_engine
from engine.ugi.text import CommandRefused, find_option


@dataclass(frozen=True)
class Analysis:
    """The lines, best first, after `nodes` playouts in `seconds`."""

    nodes: int | None
    seconds: float
    lines: tuple[EngineLine, ...]

    @property
    def value(self) -> float | None:
        return self.lines[0].value


@dataclass(frozen=True)
class SearchEffort:
    """The effort of a search: `seconds`, or `nodes` playouts if given."""

    seconds: float
    nodes: int | None = None


GRACE_S = 10.0
"""How many seconds a program may take after `stop`."""

OnProgress = Callable[[int | None, EngineLine], None]
"""Called with the playouts so far and the best line, a few times a second."""


class Analyst(Protocol):
    """Evaluates positions, while its context is open."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...

    def analyse(
        self, position: engine.Position, effort: SearchEffort, on_progress: OnProgress
    ) -> Analysis:
        """Search from a position that is not over.

        Results of earlier searches are not used, so that all positions get the same effort.
        """


def analyst(spec: EngineSpec, game: engine.Game, lines: int = 1) -> Analyst:
    """Return an analyst for that engine.

    A built-in engine reports all its candidates. A program is asked for `lines` lines.
    """
    return BuiltinAnalyst(spec) if spec.is_builtin else ProgramAnalyst(spec, game, lines)


class BuiltinAnalyst:
    """An engine in this process, in its own thread so that Ctrl-C works."""

    def __init__(self, spec: EngineSpec) -> None:
        self._player = load_engine(spec.builtin)
        self._signals = contract.Signals()
        self._thread: threading.Thread | None = None
        for name, value in spec.options.items():
            self._set_option(name, value)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._signals.stop.set()
        if self._thread is not None:
            self._thread.join(GRACE_S)

    def _set_option(self, name: str, value: str) -> None:
        try:
            option = find_option(self._player.options, name)
            self._player.set_option(option.name, option.parse(value))
        except (CommandRefused, ValueError) as error:
            raise ConfigurationError(f"--option {name}={value}: {error}") from error

    def analyse(
        self, position: engine.Position, effort: SearchEffort, on_progress: OnProgress
    ) -> Analysis:
        """See `Analyst`."""
        self._player.new_game()
        self._player.set_position(position)
        limits = contract.Limits(turn_time=effort.seconds, nodes=effort.nodes)
        latest: list[contract.Info] = []

        def report(info: contract.Info) -> None:
            latest[:] = [info]
            on_progress(info.nodes, _line(info.best))

        began = time.monotonic()
        choice = self._in_a_thread(limits, report)
        lines = tuple(_line(candidate) for candidate in choice.candidates)
        nodes = latest[0].nodes if latest else choice.visits
        fallback = (EngineLine(choice.turn, choice.value, choice.visits, choice.pv),)
        return Analysis(nodes, time.monotonic() - began, lines or fallback)

    def _in_a_thread(
        self, limits: contract.Limits, report: contract.InfoListener
    ) -> contract.Choice:
        outcome: list[contract.Choice | BaseException] = []

        def search() -> None:
            try:
                outcome.append(self._player.search(limits, report, self._signals))
            except BaseException as error:  # noqa: BLE001 - raised again where it is waited for
                outcome.append(error)

        self._thread = threading.Thread(target=search, name="analysis", daemon=True)
        self._thread.start()
        self._thread.join()
        if isinstance(outcome[0], BaseException):
            raise outcome[0]
        return outcome[0]


def _line(candidate: contract.Candidate) -> EngineLine:
    value = candidate.value if candidate.result is None else candidate.result
    return EngineLine(candidate.turn, value, candidate.visits, candidate.line)


class ProgramAnalyst(EngineLoop):
    """A program that speaks the engine protocol.

    It reports several lines if it has the option MultiPV, else its best one.
    """

    def __init__(self, spec: EngineSpec, game: engine.Game, lines: int = 1) -> None:
        super().__init__(spec, game)
        self._lines = lines

    def analyse(
        self, position: engine.Position, effort: SearchEffort, on_progress: OnProgress
    ) -> Analysis:
        """See `Analyst`. Raises EngineFailure."""
        return self._runner.run(self._analyse(position, effort, on_progress))

    async def _start(self) -> EngineProcess:
        self._process = await EngineProcess.start(self._spec, SystemTime())
        await self._set_up(self._process)  # fails here if the engine lacks the game
        return self._process

    async def _set_up(self, process: EngineProcess) -> None:
        await process.set_up(self._game, lines_option(process, self._lines))

    async def _analyse(
        self, position: engine.Position, effort: SearchEffort, on_progress: OnProgress
    ) -> Analysis:
        assert self._process is not None
        await self._set_up(self._process)
        stop = asyncio.get_running_loop().call_later(effort.seconds, self._process.stop)
        try:
            async with asyncio.timeout(effort.seconds + GRACE_S):
                return await self._listen(self._process, position, _go(effort), on_progress)
        except TimeoutError:
            message = f"did not stop within {GRACE_S:g} s after its time was up"
            raise EngineTimeout(self._spec.name, message) from None
        finally:
            stop.cancel()

    async def _listen(
        self, process: EngineProcess, position: engine.Position, go: str, on_progress: OnProgress
    ) -> Analysis:
        began, reports = time.monotonic(), dict[int, InfoLine]()
        async for news in process.analyse(position, go):
            if isinstance(news, BestMove):
                nodes = reports[1].nodes if 1 in reports else None
                return Analysis(nodes, time.monotonic() - began, final_lines(news.turn, reports))
            if not news.pv or news.multipv > self._lines:
                continue
            if news.multipv == 1:
                reports.clear()  # a new report, which may have fewer lines
                on_progress(news.nodes, reported_line(news))
            reports[news.multipv] = news
        raise EngineProtocolError(self._spec.name, "ended its search without a turn")


def _go(effort: SearchEffort) -> str:
    if effort.nodes is not None:
        return f"nodes {effort.nodes}"
    return f"movetime {round(effort.seconds * 1000)}"
