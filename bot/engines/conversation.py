"""One exchange of lines at a time with a program: lines out, and a reader of those that come back.

`bot.engines.dialogue` has the exchanges of the protocols. Neither has deadlines; those are the
process's.
"""

import asyncio
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from bot.engines.channel import LineChannel
from bot.engines.protocol import BestMove, InfoLine, kind_of
from bot.errors import EngineFailure, EngineProtocolError
from bot.time_source import TimeSource

MAX_LINES_PER_S: Final = 5_000
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
        if kind_of(line) == "bestmove":
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
class EngineReply:
    """An engine's answer: the turn, its last `info` about it, and the time of the search."""

    best: BestMove
    info: InfoLine
    time_ms: int
