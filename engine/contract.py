"""What a search engine is, as a Python class: the contract between a player and whoever hosts it.

The host (`engine.ugi`, or a test) checks positions and limits; a player only ever sees positions
that can be reached and that are not over. Packages offer players by the entry-point group
`bluestone.engines`.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from threading import Event
from typing import ClassVar, Literal

from engine.game import Game, Position

OptionValue = int | bool | str


@dataclass(frozen=True)
class Option:
    """A setting that a player declares: a whole number (`spin`), one of some words, a switch or a
    text.
    """

    name: str
    kind: Literal["spin", "combo", "check", "string"]
    default: OptionValue
    low: int = 0
    high: int = 0
    choices: tuple[str, ...] = ()

    def parse(self, text: str) -> OptionValue:
        """The value that `text` stands for; ValueError says what would be accepted."""
        if self.kind == "spin":
            return self._number(text)
        if self.kind == "check":
            if text.lower() not in ("true", "false"):
                raise ValueError(f"{self.name} takes true or false, not {text!r}")
            return text.lower() == "true"
        if self.kind == "combo" and text not in self.choices:
            raise ValueError(f"{self.name} takes {', '.join(self.choices)}, not {text!r}")
        return text

    def _number(self, text: str) -> int:
        problem = f"{self.name} takes a whole number from {self.low} to {self.high}, not {text!r}"
        try:
            number = int(text)
        except ValueError:
            raise ValueError(problem) from None
        if not self.low <= number <= self.high:
            raise ValueError(problem)
        return number


@dataclass(frozen=True)
class Limits:
    """What a search may use, times in seconds. Nothing given at all means: until it is told to
    stop.

    `clock`, `increment` and `turns_to_go` are those of the player to move. With `ponder` the clock
    stands still until the opponent has made the turn that the position expects of them.
    """

    clock: float | None = None
    increment: float = 0.0
    turns_to_go: int | None = None
    turn_time: float | None = None
    nodes: int | None = None
    ponder: bool = False

    @property
    def infinite(self) -> bool:
        return self.clock is None and self.turn_time is None and self.nodes is None


@dataclass
class Signals:
    """What the host tells a running search, from another thread."""

    stop: Event = field(default_factory=Event)
    ponderhit: Event = field(default_factory=Event)


@dataclass(frozen=True)
class Candidate:
    """A turn that was considered. `value` is the expected result for the player to move, 0 to 1.

    `result` is 1, 0.5 or 0 where the search has proved it. `line` begins with the turn itself.
    """

    turn: str
    value: float
    visits: int
    line: tuple[str, ...]
    result: float | None = None


@dataclass(frozen=True)
class Info:
    """How far a search has come: playouts, seconds, and the best candidate at this time.

    `others` are the next best ones, where the host asked for several lines.
    """

    nodes: int
    seconds: float
    best: Candidate
    others: tuple[Candidate, ...] = ()


@dataclass(frozen=True)
class Choice:
    """The turn to play, and the candidates from most to least promising (the turn is the first of
    them).
    """

    turn: str
    value: float
    visits: int
    pv: tuple[str, ...] = ()
    candidates: tuple[Candidate, ...] = ()

    @property
    def ponder(self) -> str | None:
        """The reply that the search expects."""
        return self.pv[1] if len(self.pv) > 1 else None


InfoListener = Callable[[Info], None]


class Engine(ABC):
    """A player. One thread calls it; only the events of `Signals` come from others."""

    name: ClassVar[str]
    author: ClassVar[str]
    options: ClassVar[Sequence[Option]] = ()

    def set_option(self, name: str, value: OptionValue) -> None:  # noqa: B027
        """Take a parsed value for one of `options`, in effect from the next search on."""

    def new_game(self) -> None:  # noqa: B027
        """What was learned in the game before is of no more use."""

    def warm_up(self, game: Game) -> None:  # noqa: B027
        """Do now what would delay the first search of this game."""

    @abstractmethod
    def set_position(self, position: Position) -> None:
        """The position to search next; it is not over. `position.turns` tells how it came about."""

    @abstractmethod
    def search(self, limits: Limits, on_info: InfoListener, signals: Signals) -> Choice:
        """Choose a legal turn within `limits`, and soon (0.1 s) after `signals.stop` is set."""


Answer = Choice
"""The former name, for players of other packages."""
