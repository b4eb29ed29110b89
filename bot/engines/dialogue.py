"""The exchanges with one engine, in any protocol: greeting, options, positions and searches.

`Dialogue` is what `EngineProcess` needs from a protocol. `LineDialogue` does it with lines over a
pipe; `UgiDialogue` has the words of the engine protocol (UGI). Other protocols come by the door of
`bot.engines.dialogues`. None of them has deadlines; those are the process's.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar, Final, Protocol

import engine
from bot.engines.channel import LineChannel, LineWatcher
from bot.engines.conversation import Conversation, EngineReply
from bot.engines.protocol import (
    BestMove,
    InfoLine,
    OptionLine,
    kind_of,
    parse_bestmove,
    parse_info,
    parse_option,
    ugi_option,
)
from bot.errors import EngineProtocolError
from bot.runtime.names import cleaned
from bot.time_source import TimeSource

MAX_RUBBISH_LINES: Final = 200


class Link(Protocol):
    """What an engine is reached by: a program's pipes, or a server's address."""

    line_watcher: LineWatcher | None

    @property
    def alive(self) -> bool: ...

    @property
    def hint(self) -> str:
        """What may explain a failure, with a semicolon before it, or nothing."""

    async def kill(self) -> None: ...

    async def ended(self) -> None: ...


class Dialogue(Protocol):
    """The exchanges with one engine, one at a time. All of them raise EngineFailure."""

    greeting: ClassVar[str]
    """What an engine sends at its start, in words."""
    search_began: float
    """The time at which the current or last search was sent."""

    @property
    def searching(self) -> bool:
        """Whether a search runs, also after its question was cancelled."""

    @property
    def unasked(self) -> int:
        """The number of turns that the engine named without a search."""

    def compiles_until(self) -> float:
        """The deadline, by `time.monotonic()`, of an engine that compiles before it answers."""

    def option_line(self, name: str, value: str) -> str:
        """The line that sets an option."""

    async def greet(self, declare: Callable[[OptionLine], None]) -> dict[str, str]:
        """Introduce each other and call `declare` for each option.

        Return the texts of `id`, by their names.
        """

    def check_game(self, game: engine.Game, declared: Mapping[str, OptionLine]) -> None:
        """Raise EngineProtocolError if the engine would play another game than this one."""

    async def ready(self, *lines: str) -> None:
        """Send lines of `option_line`, and return when the engine has obeyed them."""

    async def new_game(self, lines: Sequence[str]) -> None:
        """Begin another game with these lines of `option_line`."""

    async def place(self, position: engine.Position) -> None:
        """Set a position, and return when the engine has it."""

    async def search(
        self,
        go: str,
        *,
        on_sent: Callable[[], None] | None = None,
        on_info: Callable[[InfoLine], None] | None = None,
    ) -> EngineReply:
        """Search the position within the limits `go`, and return the answer."""

    async def end_search(self) -> None:
        """Stop the search of a cancelled question, and return when it has ended."""

    def stop(self) -> None:
        """Ask for the answer now."""

    def ponderhit(self) -> None: ...

    def quit(self) -> None: ...


class LineDialogue(ABC):
    """A dialogue with lines over a pipe. Subclasses have the words."""

    def __init__(self, engine_name: str, channel: LineChannel, time: TimeSource) -> None:
        self.conversation = Conversation(channel, time)
        self.search_began = time.monotonic()
        self._name = engine_name
        self._time = time
        self._rubbish = 0

    # ---- the words of the protocol -------------------------------------------------------------

    @abstractmethod
    def _go_line(self, go: str) -> str:
        """The line that begins a search; `go` are limits in the words of the engine protocol."""

    @abstractmethod
    def _read_bestmove(self, line: str) -> BestMove:
        """Raises EngineProtocolError if the line names no turn."""

    def _read_info(self, line: str) -> InfoLine:
        return parse_info(line)

    # ---- exchanges -----------------------------------------------------------------------------

    @property
    def searching(self) -> bool:
        return self.conversation.searching

    @property
    def unasked(self) -> int:
        return self.conversation.unasked

    def compiles_until(self) -> float:
        return self.conversation.compiles_until()

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
        go: str,
        *,
        on_sent: Callable[[], None] | None = None,
        on_info: Callable[[InfoLine], None] | None = None,
    ) -> EngineReply:
        """Send `go` and read up to `bestmove`; both times are taken at the pipe.

        Raises EngineFailure.
        """
        return await self._search(self._go_line(go), on_sent, on_info)

    async def _search(
        self,
        command: str,
        on_sent: Callable[[], None] | None = None,
        on_info: Callable[[InfoLine], None] | None = None,
    ) -> EngineReply:
        self.search_began = answered = self._time.monotonic()
        last = InfoLine()

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
                    info = self._read_info(line)
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
        return EngineReply(best, last, max(0, round((answered - self.search_began) * 1000)))

    async def end_search(self) -> None:
        await self._search("stop")

    def stop(self) -> None:
        self.conversation.say("stop")

    def ponderhit(self) -> None:
        self.conversation.say("ponderhit")

    def quit(self) -> None:
        self.conversation.say("stop", "quit")

    def _count_rubbish(self, line: str) -> None:
        self._rubbish += 1
        if self._rubbish > MAX_RUBBISH_LINES:
            raise EngineProtocolError(self._name, f"prints an invalid line: {line[:100]!r}")


class UgiDialogue(LineDialogue):
    """The engine protocol (UGI), described in docs/engine-protocol.md."""

    greeting: ClassVar[str] = "`ugiok` and `readyok`"

    def option_line(self, name: str, value: str) -> str:
        return ugi_option(name, value)

    async def greet(self, declare: Callable[[OptionLine], None]) -> dict[str, str]:
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

    def check_game(self, game: engine.Game, declared: Mapping[str, OptionLine]) -> None:
        for name, _ in game.options:
            if name.lower() not in declared:
                message = f"has no option {name}, which {game.name} needs here"
                raise EngineProtocolError(self._name, message)

    async def new_game(self, lines: Sequence[str]) -> None:
        await self.ready(*lines, "uginewgame")

    async def place(self, position: engine.Position) -> None:
        moves = f" moves {' '.join(position.turns)}" if position.turns else ""
        await self.ready(f"position startpos{moves}")

    def _go_line(self, go: str) -> str:
        return f"go {go}"

    def _read_bestmove(self, line: str) -> BestMove:
        best = parse_bestmove(line)
        if best is None:
            raise EngineProtocolError(self._name, f"names no turn: {line[:200]!r}")
        return best
