"""One question to an engine: some lines sent, and lines read until they hold the answer."""

import asyncio
import math
from collections.abc import Callable, Sequence
from typing import Final, Generic, TypeVar

from bot.engines.channel import LineChannel
from bot.errors import EngineFailure, EngineProtocolError
from bot.time_source import TimeSource

MAX_LINES_A_SECOND = 5_000
COMPILING: Final = "info string compiling"
COMPILING_S: Final = 60.0
"""How long an engine is waited for after each time that it says COMPILING."""
MAX_COMPILING_S: Final = 900.0
"""How long it may go on saying so, from the first time on."""

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

    It knows of a search from the `go` that begins it to its `bestmove`, also when nobody waits
    for that any more.
    """

    def __init__(self, channel: LineChannel, time: TimeSource) -> None:
        self._channel = channel
        self._time = time
        self._current: Exchange[object] | None = None
        self._second = time.monotonic()
        self._lines = 0
        self.searching = False
        self.unasked = 0
        """How often it said `bestmove` when it had not been told to search."""
        self._compiling: tuple[float, float] | None = None
        """When the program first and last said that it compiles."""
        channel.listen(self._heard, self._failed)

    def compiles_until(self) -> float:
        """The deadline, by `time.monotonic()`, of a program that compiles before it answers."""
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
        """Send `lines`, and wait for what `read` makes of the answer. Raises EngineFailure."""
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
            message = f"prints more than {MAX_LINES_A_SECOND} lines in a second"
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
        return self._lines > MAX_LINES_A_SECOND
