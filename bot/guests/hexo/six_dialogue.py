"""Six, the line protocol of HeXO engines: the words of its host.

The dialogue is that of UGI with other words: `six` ... `sixok`, `newgame`, coordinates instead of
turns, and clocks by side. Engines declare no options, so those of the settings are sent as they
are. Six knows one game, has no pondering, and no `go` without a limit that ends at `stop`.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import ClassVar, Final

import engine
from bot.engines.channel import LineChannel, User
from bot.engines.dialogue import LineDialogue
from bot.engines.protocol import MAX_PV_TURNS, BestMove, InfoLine, OptionLine, parse_info
from bot.engines.spec import EngineSpec
from bot.errors import EngineProtocolError
from bot.guests.hexo.htttx import Cell
from bot.guests.hexo.turns import HEXO, turn_of, without_surplus
from bot.runtime.names import cleaned
from bot.time_source import TimeSource

ENDLESS_MS: Final = 86_400_000
"""`movetime` in place of `infinite`: a day."""

_NUMBER: Final = re.compile(r"-?[0-9]{1,9}")
_CLOCK_WORDS: Final = {"p1time": "xtime", "p2time": "otime", "p1inc": "xinc", "p2inc": "oinc"}


class SixDialogue(LineDialogue):
    """The exchanges of Six with one program."""

    greeting: ClassVar[str] = "`sixok` and `readyok`"

    def __init__(self, spec: EngineSpec, channel: LineChannel, time: TimeSource) -> None:
        super().__init__(spec.name, channel, time)
        self._set = tuple(spec.options)
        self._position: engine.Position | None = None

    def option_line(self, name: str, value: str) -> str:
        return f"setoption {name} {value}"

    async def greet(self, declare: Callable[[OptionLine], None]) -> dict[str, str]:
        facts: dict[str, str] = {}

        def read(line: str) -> bool | None:
            match line.split(maxsplit=2):
                case ["sixok"]:
                    return True
                case ["id", name, text]:
                    facts[name] = cleaned(text, 60)
                case _:
                    self._count_rubbish(line)
            return None

        await self.conversation.ask(["six"], read)
        for name in self._set:
            declare(OptionLine(name))
        return facts

    def check_game(self, game: engine.Game, declared: Mapping[str, OptionLine]) -> None:
        del declared  # the only option of the game, `cap`, is the referee's
        if game.name != HEXO:
            raise EngineProtocolError(self._name, f"speaks Six, which cannot play {game.name}")

    async def new_game(self, lines: Sequence[str]) -> None:
        await self.ready(*lines, "newgame")

    async def place(self, position: engine.Position) -> None:
        self._position = position
        await self.ready(position_line(position.turns))

    def _go_line(self, go: str) -> str:
        return f"go {six_limits(go)}"

    def _read_bestmove(self, line: str) -> BestMove:
        turn = turn_in(line)
        if turn is None:
            raise EngineProtocolError(self._name, f"names no turn: {line[:200]!r}")
        assert self._position is not None
        return BestMove(without_surplus(self._position, turn))

    def _read_info(self, line: str) -> InfoLine:
        is_opening = self._position is not None and not self._position.turns
        return info_in(line, is_opening=is_opening)


def turn_in(line: str) -> str | None:
    """The turn of a `bestmove` line, which need not be legal; None if it names none."""
    word, *numbers = line.split()
    if word != "bestmove" or len(numbers) not in (2, 4):
        return None
    return turn_of(_cells(numbers)) if all(map(_NUMBER.fullmatch, numbers)) else None


def info_in(line: str, *, is_opening: bool) -> InfoLine:
    """The report of an `info` line, leaving out invalid parts.

    The first turn of its line of play has one stone if `is_opening`, the others have two.
    """
    words, _, rest = line.partition(" pv ")
    numbers = rest.split()[: 4 * MAX_PV_TURNS]
    if len(numbers) % 2 or not all(map(_NUMBER.fullmatch, numbers)):
        return parse_info(words)
    cells = _cells(numbers)
    first = 1 if is_opening else 2
    turns = [cells[:first], *(cells[at : at + 2] for at in range(first, len(cells), 2))]
    return replace(parse_info(words), pv=tuple(turn_of(turn) for turn in turns if turn))


def _cells(numbers: Sequence[str]) -> list[Cell]:
    values = list(map(int, numbers))
    return list(zip(values[::2], values[1::2], strict=True))


def position_line(turns: Sequence[str]) -> str:
    """The line that sets a position."""
    numbers = [text for turn in turns for stone in turn.split(",") for text in stone.split(":")]
    return " ".join(["position radius 8", *(["moves", *numbers] if numbers else [])])


def six_limits(go: str) -> str:
    """The limits of a search, in the words of Six."""
    words = go.split()
    if "infinite" in words:
        return f"movetime {ENDLESS_MS}"
    return " ".join(_CLOCK_WORDS.get(word, word) for word in words)


async def opened(
    spec: EngineSpec, time: TimeSource, user: User | None
) -> tuple[LineChannel, SixDialogue]:
    """Start the program, and return the dialogue with it. Raises EngineStartError."""
    channel = await LineChannel.open(spec, user)
    return channel, SixDialogue(spec, channel, time)
