"""Steps of the engine check: conversations with an engine line by line, and their verdicts."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Final, Literal, Self

import engine
from bot.engines.channel import LineChannel
from bot.engines.protocol import OptionLine, parse_bestmove, parse_option
from bot.engines.spec import EngineSpec
from bot.errors import EngineFailure
from bot.runtime.tasks import within
from bot.time_source import TimeSource

MOST_WAITING: Final = 2_000
"""The maximal number of unread lines. An engine that prints more floods."""
READY_S: Final = 60.0
"""Seconds for the first `isready`, in which an engine may load a network or compile."""
ANSWER_S: Final = 10.0
"""Seconds for answers that need no search, and for searches of a few nodes, on a busy machine."""
PROMPT_END_S: Final = 1.0
GONE_S: Final = 10.0


Verdict = Literal["pass", "fail", "warn", "skipped"]


class NotPassed(Exception):
    verdict: Verdict


class Failed(NotPassed):
    """The engine breaks the protocol; the text says how."""

    verdict = "fail"


class Warned(NotPassed):
    """The engine works, but an operator should know the text."""

    verdict = "warn"


class Skipped(NotPassed):
    """The engine lacks what this step needs."""

    verdict = "skipped"


@dataclass(frozen=True)
class Finding:
    """A step, the lines that were sent in it, and its verdict. `seen` describes the observation."""

    name: str
    sent: tuple[str, ...]
    expected: str
    verdict: Verdict
    seen: str


class Talk:
    """A running engine, and all lines that were sent to it in this step."""

    def __init__(self, channel: LineChannel, time: TimeSource) -> None:
        self.options: dict[str, OptionLine] = {}
        """The options of its greeting, by their names in small letters."""
        self.hello: list[str] = []
        self.game = engine.game("bluestone")
        self.chosen: engine.Game | None = None
        """The game that the caller wants to be checked."""
        self.sent: list[str] = []
        self._channel = channel
        self._time = time
        self._heard: asyncio.Queue[str | EngineFailure] = asyncio.Queue(MOST_WAITING)
        self._is_flooded = False
        channel.listen(self._take, self._take)

    @classmethod
    async def begun(cls, spec: EngineSpec, time: TimeSource) -> Self:
        """Start an engine without sending anything. Raises EngineStartError."""
        return cls(await LineChannel.open(spec), time)

    @property
    def alive(self) -> bool:
        return self._channel.alive

    def hint_after(self, problem: str) -> str:
        """The hint that the engine's box may be the cause of a problem, unless it is there."""
        return "" if self._channel.hint in problem else self._channel.hint

    async def kill(self) -> None:
        await self._channel.kill()

    # ---- speaking ------------------------------------------------------------------------------

    def say(self, *lines: str) -> None:
        """Send lines. Raises EngineFailure."""
        self.sent += lines
        self._channel.send(*lines)

    def say_unseen(self, line: str) -> None:
        """Send a line that is too long to be shown."""
        self._channel.send(line)

    def end_input(self) -> None:
        self.sent.append("(end of input)")
        self._channel.end_input()

    def now(self) -> float:
        return self._time.monotonic()

    # ---- hearing -------------------------------------------------------------------------------

    async def until(self, word: str, within_s: float = ANSWER_S) -> list[str]:
        """Return all lines up to the first that starts with the word.

        Raises Failed if there is no such line, EngineFailure if the engine ends.
        """
        return await self.until_any((word,), within_s)

    async def until_any(self, words: Sequence[str], within_s: float = ANSWER_S) -> list[str]:
        """Return all lines up to the first that starts with one of the words; see `until`."""
        lines: list[str] = []
        end = self._time.monotonic() + within_s
        while not (lines and lines[-1].split()[0] in words):
            lines.append(await self._line(end, f"no `{words[0]}` within {within_s:g} s"))
        return lines

    async def for_a_while(self, seconds: float) -> list[str]:
        """Return the lines of that time, except `info`."""
        await self._time.sleep(seconds)
        return self.so_far()

    def so_far(self) -> list[str]:
        """Return the unread lines, except `info`."""
        lines = []
        self._check_flood()
        while not self._heard.empty():
            each = self._heard.get_nowait()
            if isinstance(each, EngineFailure):
                raise each
            if each.split()[0] != "info":
                lines.append(each)
        return lines

    async def ready(self, *lines: str, within_s: float = READY_S) -> list[str]:
        """Send the lines and `isready`, and return the lines up to `readyok`."""
        self.say(*lines, "isready")
        return await self.until("readyok", within_s)

    async def ended(self) -> None:
        """Wait for the engine's end. Raises Failed if it does not end, Warned if it is slow."""
        began = self.now()
        try:
            await within(self._time, GONE_S, self._channel.ended())
        except TimeoutError:
            raise Failed(f"still running after {GONE_S:g} s") from None
        took = self.now() - began
        if took > PROMPT_END_S:  # the machine may be busy with something else
            raise Warned(f"ended after {took:.1f} s")

    # ---- several lines at once -----------------------------------------------------------------

    async def greet(self) -> None:
        """Read the greeting and its options."""
        self.say("ugi")
        self.hello = await self.until("ugiok", READY_S)
        for line in self.hello:
            if line.startswith("option ") and (option := parse_option(line)) is not None:
                self.options[option.name.lower()] = option

    async def play_on(self, game: engine.Game, **options: object) -> None:
        """Set up the game, without options that the engine lacks. Raises Failed, Skipped."""
        wanted = {"Game": game.name, "Board": game.board.name, "Rules": game.rule_set, **options}
        if "game" not in self.options and game.name != self.game.name:
            raise Skipped("it has no option Game")
        known = {name: value for name, value in wanted.items() if name.lower() in self.options}
        lines = [f"setoption name {name} value {value}" for name, value in known.items()]
        await self.ready(*lines, "uginewgame")

    async def search(
        self, position: engine.Position, go: str, within_s: float = ANSWER_S
    ) -> tuple[str, list[str]]:
        """Search and return the engine's turn, which is legal, and all lines from `go` on.

        Raises Failed.
        """
        self.place(position)
        self.say(f"go {go}")
        lines = await self.until("bestmove", within_s)
        return self.turn_of(position, lines[-1]), lines

    def place(self, position: engine.Position) -> None:
        moves = f" moves {' '.join(position.turns)}" if position.turns else ""
        self.say(f"position startpos{moves}")

    @staticmethod
    def turn_of(position: engine.Position, line: str) -> str:
        best = parse_bestmove(line)
        if best is None:
            raise Failed(f"no turn in {line[:80]!r}")
        try:
            position.play(best.turn)
        except engine.IllegalTurn as error:
            raise Failed(f"{error}") from None
        return best.turn

    # ---- inside --------------------------------------------------------------------------------

    async def _line(self, end: float, missing: str) -> str:
        self._check_flood()
        left = end - self._time.monotonic()
        try:
            said = await within(self._time, max(0.0, left), self._heard.get())
        except TimeoutError:
            raise Failed(missing) from None
        if isinstance(said, EngineFailure):
            raise said
        return said

    def _check_flood(self) -> None:
        if self._is_flooded:
            raise Failed(f"prints more than {MOST_WAITING} lines at once")

    def _take(self, said: str | EngineFailure) -> None:
        try:
            self._heard.put_nowait(said)
        except asyncio.QueueFull:
            self._is_flooded = True


@dataclass(frozen=True)
class Step:
    """A step. `run` returns a remark about a pass, and raises NotPassed or EngineFailure.

    With `fresh` the engine was started for this step, and has received nothing. If an `essential`
    step fails, all others are skipped.
    """

    name: str
    expected: str
    run: Callable[[Talk], Awaitable[str | None]]
    fresh: bool = False
    essential: bool = False
