"""The engine protocol (UGI): lines that engines send, parsed, and options as lines to them."""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

import structlog

import engine
from bot.errors import EngineProtocolError

MAX_TURN_LENGTH = 40
MAX_PV_TURNS = 40
RESIGN: Final = "resign"

_WHOLE = re.compile(r"[+-]?[0-9]{1,18}")
_INFO_WORDS = {"nodes", "nps", "time", "winrate", "multipv", "visits"}
_OPTION_WORDS = {"name", "type", "default", "min", "max", "var"}


@dataclass(frozen=True)
class OptionLine:
    """An `option` line: a setting that the engine offers."""

    name: str
    kind: str = "string"
    default: str | None = None
    choices: tuple[str, ...] = ()
    low: int | None = None
    high: int | None = None

    @property
    def values(self) -> tuple[str, ...]:
        """All values that may be chosen; empty if the engine does not list them."""
        return ("true", "false") if self.kind == "check" else self.choices

    def takes(self, value: str) -> bool:
        if self.kind == "spin":
            return self._is_in_range(value)
        return self.kind not in ("combo", "check") or not self.values or value in self.values

    def _is_in_range(self, value: str) -> bool:
        if not _WHOLE.fullmatch(value):
            return False
        is_too_low = self.low is not None and int(value) < self.low
        return not is_too_low and (self.high is None or int(value) <= self.high)

    @property
    def offer(self) -> str:
        """The possible values in words."""
        if self.kind != "spin":
            return f"only {', '.join(self.values)}"
        bounds = [(" from", self.low), (" to", self.high)]
        limits = "".join(f"{word} {bound}" for word, bound in bounds if bound is not None)
        return f"only whole numbers{limits}"


@dataclass(frozen=True)
class InfoLine:
    """An `info` line. `winrate` is the engine's own chance to win; None if the engine reports none.

    `multipv` numbers the lines of an engine that reports several, best first. `visits` is how many
    of the `nodes` went into this line.
    """

    nodes: int | None = None
    nps: int | None = None
    time_ms: int | None = None
    winrate: float | None = None
    pv: tuple[str, ...] = ()
    text: str | None = field(default=None, compare=False)
    multipv: int = 1
    visits: int | None = None


@dataclass(frozen=True)
class BestMove:
    """A `bestmove` line. `turn` is the word RESIGN if the engine resigns."""

    turn: str
    ponder: str | None = None
    offers_draw: bool = False

    @property
    def resigns(self) -> bool:
        return self.turn == RESIGN


def parse_option(line: str) -> OptionLine | None:
    """Parse `option name N type T default D [min A max B] [var V]...`; None if it has no name."""
    fields: dict[str, list[str]] = {}
    choices: list[str] = []
    current = ""
    for word in line.split()[1:]:
        if word in _OPTION_WORDS and (word == "var" or word not in fields):
            current = word
            if word == "var":
                choices.append("")
            else:
                fields[word] = []
        elif current == "var":
            choices[-1] = f"{choices[-1]} {word}".strip()
        elif current:
            fields[current].append(word)
    texts = {name: " ".join(words) for name, words in fields.items()}
    if not texts.get("name"):
        return None
    kind = texts.get("type", "string")
    low, high = _whole(texts.get("min")), _whole(texts.get("max"))
    return OptionLine(texts["name"], kind, texts.get("default"), tuple(choices), low, high)


def _whole(text: str | None) -> int | None:
    return int(text) if text is not None and _WHOLE.fullmatch(text) else None


def parse_info(line: str) -> InfoLine:
    """Parse an `info` line, leaving out invalid parts."""
    words = line.split()[1:]
    if words[:1] == ["string"]:
        return InfoLine(text=" ".join(words[1:]))
    facts: dict[str, str] = {}
    pv: tuple[str, ...] = ()
    for place, word in enumerate(words):
        if word == "pv":
            pv = tuple(words[place + 1 : place + 1 + MAX_PV_TURNS])
            break
        if word in _INFO_WORDS and place + 1 < len(words):
            facts[word] = words[place + 1]
    return InfoLine(
        nodes=_count(facts.get("nodes")),
        nps=_count(facts.get("nps")),
        time_ms=_count(facts.get("time")),
        winrate=_probability(facts.get("winrate")),
        pv=tuple(turn for turn in pv if len(turn) <= MAX_TURN_LENGTH),
        multipv=_count(facts.get("multipv")) or 1,
        visits=_count(facts.get("visits")),
    )


def parse_bestmove(line: str) -> BestMove | None:
    """Parse `bestmove T [ponder T'] [draw]`; None if it has no turn."""
    words = line.split()
    offers_draw = len(words) in (3, 5) and words[-1] == "draw"
    match words[:-1] if offers_draw else words:
        case ["bestmove", turn] if len(turn) <= MAX_TURN_LENGTH:
            return BestMove(turn, None, offers_draw)
        case ["bestmove", turn, "ponder", reply] if len(turn) <= MAX_TURN_LENGTH:
            return BestMove(turn, reply if len(reply) <= MAX_TURN_LENGTH else None, offers_draw)
        case _:
            return None


def kind_of(line: str) -> Literal["info", "bestmove", "error", "other"]:
    """Return the kind of a line by its first word. `bestmoves so far` is `other`."""
    word = next(iter(line.split(maxsplit=1)), "")
    return word if word in {"info", "bestmove", "error"} else "other"  # type: ignore[return-value]


def _count(text: str | None) -> int | None:
    if text is None or not text.isascii() or not text.isdigit() or len(text) > 15:
        return None
    return int(text)


def _probability(text: str | None) -> float | None:
    try:
        value = float(text or "nan")
    except ValueError:
        return None
    return None if math.isnan(value) else min(1.0, max(0.0, value))


def game_options(game: engine.Game) -> dict[str, str]:
    """Return the options that name the game.

    All of them are set, since an engine keeps former ones.
    """
    own = {name: str(value) for name, value in game.all_options.items()}
    return {"Game": game.name, "Board": game.board.name, "Rules": game.rule_set, **own}


def ugi_option(name: str, value: str) -> str:
    return f"setoption name {name} value {value}"


MAX_OPTIONS = 200


class OptionRefused(EngineProtocolError):
    """The engine cannot take these options. Nothing was sent, and the engine has not changed."""


class OptionValues:
    """The current values of options.

    `declared` has the options of the engine's greeting, by their names in small letters. `line`
    writes the line that sets an option.
    """

    def __init__(self, engine: str, line: Callable[[str, str], str] = ugi_option) -> None:
        self.declared: dict[str, OptionLine] = {}
        self._engine = engine
        self._line = line
        self._set: dict[str, str] = {}
        self._lacking: set[str] = set()

    def declare(self, option: OptionLine) -> None:
        if len(self.declared) < MAX_OPTIONS:
            self.declared[option.name.lower()] = option

    def known(self, options: Mapping[str, str]) -> dict[str, str]:
        """Return the options that the engine has, by their names in small letters."""
        small = {name.lower(): value for name, value in options.items()}
        return {name: value for name, value in small.items() if name in self.declared}

    def lines(self, values: Mapping[str, str]) -> list[str]:
        """Return the lines that set these values, leaving out options that the engine lacks.

        Raises EngineProtocolError if the engine does not offer a value.
        """
        found = []
        for name, value in values.items():
            option = self.declared.get(name.lower())
            if option is None:
                continue
            if not option.takes(value):
                message = f"does not offer {option.name} {value!r}, {option.offer}"
                raise EngineProtocolError(self._engine, message)
            found.append(self._line(option.name, value))
        return found

    def changing_to(self, wanted: Mapping[str, str]) -> list[str]:
        """Return the lines that set exactly these; any other option returns to its default.

        Raises EngineProtocolError if the engine does not offer a value.
        """
        values = self.known(wanted)
        back = {
            name: default
            for name in self._set
            if name not in values and (default := self.declared[name].default) is not None
        }
        changed = {name: value for name, value in values.items() if self._set.get(name) != value}
        return self.lines(back | changed)

    def check_ways_back(self, options: Mapping[str, str], usual: Mapping[str, str]) -> None:
        """Raises EngineProtocolError for an option that is not `usual` and has no default."""
        for name in self.known(options).keys() - self.known(usual).keys():
            option = self.declared[name]
            if option.default is None:
                message = (
                    f"has no default for {option.name} to which it can return for other bots; set "
                    "it in the options of the engine itself"
                )
                raise EngineProtocolError(self._engine, message)

    def note(self, options: Mapping[str, str]) -> dict[str, str]:
        """Store the values, to change them later. Return those that the engine has."""
        self._set = self.known(options)
        known = {name: value for name, value in options.items() if name.lower() in self.declared}
        for name in (options.keys() - known.keys()) - self._lacking:
            self._lacking.add(name)
            structlog.get_logger().warning("engine_lacks_option", engine=self._engine, name=name)
        return known
