"""Questions to an engine in the engine protocol (UGI), and its answers, over a line channel.

`Conversation` runs one exchange at a time: lines out, and a reader of the lines that come back.
`Dialogue` has the exchanges of the protocol: hello, `isready` and a search. Neither has deadlines;
those are the process's.
"""

import asyncio
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

import engine
from bot.engines.channel import LineChannel
from bot.engines.protocol import (
    BestMove,
    Info,
    Option,
    kind_of,
    parse_bestmove,
    parse_info,
    parse_option,
)
from bot.errors import EngineFailure, EngineProtocolError
from bot.runtime.names import cleaned
from bot.time_source import TimeSource

MAX_LINES_PER_S: Final = 5_000
MAX_RUBBISH_LINES: Final = 200
COMPILING: Final = "info string compiling"
COMPILING_S: Final = 60.0
"""Seconds by which each COMPILING line extends the deadline."""
MAX_COMPILING_S: Final = 900.0
"""The maximal sum of all extensions, counted from the first COMPILING line."""

T = TypeVar("T")


class Exchange(Generic[T]):
    """`read` gets each line, returns None until it has the answer, and may raise EngineFailure."""

    def __init__(self, read: Callable[[str], T | None]) -> None:
        self._read = read
        self._result: asyncio.Future[T] = asyncio.get_running_loop().create_future()

    def line(self, line: str) -> None:
        if self._result.done():
            return
        try:
            answer = self._read(line)
        except EngineFailure as error:
            self.fail(error)
        else:
            if answer is not None:
                self._result.set_result(answer)

    def fail(self, error: EngineFailure) -> None:
        if not self._result.done():
            self._result.set_exception(error)

    async def answer(self) -> T:
        return await self._result


class Conversation:
    """The exchanges with one program, one at a time.

    `searching` is true from a `go` to its `bestmove`, also after the question was cancelled.
    """

    def __init__(self, channel: LineChannel, time: TimeSource) -> None:
        self._channel = channel
        self._time = time
        self._current: Exchange[object] | None = None
        self._second = time.monotonic()
        self._lines = 0
        self.searching = False
        self.unasked = 0
        """The number of `bestmove` lines without a search."""
        self._compiling: tuple[float, float] | None = None
        """The times of the first and the last line that reports compiling."""
        channel.listen(self._heard, self._failed)

    def compiles_until(self) -> float:
        """Return the deadline, by `time.monotonic()`, of a program that compiles before it
        answers.
        """
        if self._compiling is None:
            return -math.inf
        first, last = self._compiling
        return min(last + COMPILING_S, first + MAX_COMPILING_S)

    def say(self, *lines: str) -> None:
        """Send lines that have no answer. Raises EngineDied."""
        self._channel.send(*lines)

    async def ask(
        self,
        lines: Sequence[str],
        read: Callable[[str], T | None],
        on_sent: Callable[[], None] | None = None,
    ) -> T:
        """Send `lines`, and wait until `read` returns an answer. Raises EngineFailure."""
        exchange = Exchange(read)
        self._current = exchange  # type: ignore[assignment]
        try:
            self._channel.send(*lines)
            if on_sent is not None:
                on_sent()
            return await exchange.answer()
        finally:
            self._current = None

    def _heard(self, line: str) -> None:
        if line.startswith("bestmove"):
            self.unasked += not self.searching
            self.searching = False
        if line == COMPILING:
            now = self._time.monotonic()
            first, _ = self._compiling or (now, now)
            self._compiling = first, now
        if self._floods():
            message = f"prints more than {MAX_LINES_PER_S} lines per second"
            self._channel.give_up(EngineProtocolError(self._channel.name, message))
        elif self._current is not None:
            self._current.line(line)

    def _failed(self, error: EngineFailure) -> None:
        if self._current is not None:
            self._current.fail(error)

    def _floods(self) -> bool:
        now = self._time.monotonic()
        if now - self._second >= 1:
            self._second, self._lines = now, 0
        self._lines += 1
        return self._lines > MAX_LINES_PER_S


@dataclass(frozen=True)
class Reply:
    """An engine's answer: the turn, its last `info` about it, and the time of the search."""

    best: BestMove
    info: Info
    time_ms: int


class Dialogue:
    """The exchanges of the engine protocol with one engine."""

    def __init__(self, engine_name: str, channel: LineChannel, time: TimeSource) -> None:
        self.conversation = Conversation(channel, time)
        self.search_began = time.monotonic()
        """The time at which the current or last search was sent."""
        self._name = engine_name
        self._time = time
        self._rubbish = 0

    async def greet(self, declare: Callable[[Option], None]) -> dict[str, str]:
        """Send `ugi` and call `declare` for each option. Return the texts of `id`, by their names.

        Raises EngineFailure.
        """
        facts: dict[str, str] = {}

        def read(line: str) -> bool | None:
            match line.split(maxsplit=2):
                case ["ugiok"]:
                    return True
                case ["id", name, text]:
                    facts[name] = cleaned(text, 60)
                case ["option", *_]:
                    if (option := parse_option(line)) is not None:
                        declare(option)
                case _:
                    self._count_rubbish(line)
            return None

        await self.conversation.ask(["ugi"], read)
        return facts

    async def place(self, position: engine.Position) -> None:
        """Send a position, and return when the engine has it. Raises EngineFailure."""
        moves = f" moves {' '.join(position.turns)}" if position.turns else ""
        await self.ready(f"position startpos{moves}")

    async def ready(self, *lines: str) -> None:
        """Send lines and `isready`, and return at `readyok`. Raises EngineFailure."""
        self._rubbish = 0
        await self.conversation.ask([*lines, "isready"], self._read_ready)

    def _read_ready(self, line: str) -> bool | None:
        if line == "readyok":
            return True
        if kind_of(line) == "error":
            raise EngineProtocolError(self._name, f"refuses the position: {line[:200]}")
        if kind_of(line) == "other":
            self._count_rubbish(line)
        return None

    async def search(
        self,
        command: str,
        *,
        on_sent: Callable[[], None] | None = None,
        on_info: Callable[[Info], None] | None = None,
    ) -> Reply:
        """Send `command` and read up to `bestmove`; both times are taken at the pipe.

        Raises EngineFailure.
        """
        self.search_began = answered = self._time.monotonic()
        last = Info()

        def sent() -> None:
            self.search_began = self._time.monotonic()
            if on_sent is not None:
                on_sent()

        def read(line: str) -> BestMove | None:
            nonlocal last, answered
            match kind_of(line):
                case "bestmove":
                    answered = self._time.monotonic()
                    return self._read_bestmove(line)
                case "info":
                    info = parse_info(line)
                    if info.text is None and info.multipv == 1:
                        last = info
                    if on_info is not None:
                        on_info(info)
                case "error":
                    raise EngineProtocolError(self._name, f"does not search: {line[:200]}")
                case "other":
                    self._count_rubbish(line)
            return None

        self.conversation.searching, self._rubbish = True, 0
        best = await self.conversation.ask([command], read, sent)
        return Reply(best, last, max(0, round((answered - self.search_began) * 1000)))

    def _read_bestmove(self, line: str) -> BestMove:
        best = parse_bestmove(line)
        if best is None:
            raise EngineProtocolError(self._name, f"names no turn: {line[:200]!r}")
        return best

    def _count_rubbish(self, line: str) -> None:
        self._rubbish += 1
        if self._rubbish > MAX_RUBBISH_LINES:
            raise EngineProtocolError(self._name, f"prints an invalid line: {line[:100]!r}")
