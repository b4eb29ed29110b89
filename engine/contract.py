"""The interface of a search engine that is a Python class.

The host (`engine.ugi`, or a test) checks positions and limits before it calls the engine, so an
engine only gets reachable positions that are not over. A package offers its engines through the
entry-point group `bluestone.engines`.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from threading import Event, Lock
from typing import ClassVar, Literal

from engine.game import Game, Position

OptionValue = int | bool | str
"""The value of an option: an int for `spin`, a bool for `check`, a str for `combo` and `string`."""


@dataclass(frozen=True)
class Option:
    """A setting that an engine declares, such as `Option("Seed", "spin", 0, 0, 2**32 - 1)`."""

    name: str
    """The option's name. Hosts ignore the case of its letters."""
    kind: Literal["spin", "combo", "check", "string"]
    """A whole number (`spin`), one of `choices` (`combo`), a switch (`check`) or a text."""
    default: OptionValue
    """The value until the host sets another one."""
    low: int = 0
    """The smallest value of a `spin`."""
    high: int = 0
    """The largest value of a `spin`."""
    choices: tuple[str, ...] = ()
    """The words of a `combo`."""

    def parse(self, text: str) -> OptionValue:
        """Convert the text that a host sends into a value of this option.

        Args:
            text: The text after `value` in a `setoption` line.

        Returns:
            The value.

        Raises:
            ValueError: The option does not accept the text. The message says what it accepts.

        Example:
            >>> from engine.contract import Option
            >>> Option("Threads", "spin", 1, 1, 64).parse("4")
            4
        """
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
    """The limits of one search. An engine keeps every limit that is set."""

    clock: float | None = None
    """Seconds left on the clock of the player to move; None without a clock."""
    increment: float = 0.0
    """Seconds that the player to move gets after each turn."""
    turns_to_go: int | None = None
    """The number of own turns for which `clock` must last; None for the rest of the game."""
    turn_time: float | None = None
    """Seconds for this turn; None if it is not limited."""
    nodes: int | None = None
    """Playouts or nodes for this turn; None if they are not limited."""
    ponder: bool = False
    """True to search on the opponent's time.

    The limits then count from the moment when `Signals.ponderhit` is set.
    """

    @property
    def infinite(self) -> bool:
        """True if there is no limit: the search runs until `Signals.stop` is set."""
        return self.clock is None and self.turn_time is None and self.nodes is None


class Signal(Event):
    """An event that can also call a function, in the thread that sets it.

    An engine interrupts compiled code with it, where it cannot look at the event.
    """

    def __init__(self) -> None:
        super().__init__()
        self._lock = Lock()
        self._listener: Callable[[], None] | None = None

    def set(self) -> None:
        """Set the event, then call the listener."""
        with self._lock:
            super().set()
            if self._listener is not None:
                self._listener()

    def listen(self, listener: Callable[[], None] | None) -> None:
        """Set the function to call, or with None remove it: once this returns, no call is left.

        Args:
            listener: A quick function without arguments. It is called at once if the event is set
                already.
        """
        with self._lock:
            self._listener = listener
            if listener is not None and self.is_set():
                listener()


@dataclass
class Signals:
    """Events that the host sets, from another thread, while a search runs."""

    stop: Event = field(default_factory=Signal)
    """Set when the engine must answer now."""
    ponderhit: Event = field(default_factory=Signal)
    """Set when the opponent has played the turn that `Limits.ponder` assumed."""


@dataclass(frozen=True)
class Candidate:
    """A turn that the search has considered."""

    turn: str
    """The turn."""
    value: float
    """The expected result for the player to move: 0 for a loss, 0.5 for a draw, 1 for a win."""
    visits: int
    """How many playouts went into this turn."""
    line: tuple[str, ...]
    """The expected continuation. It begins with the turn itself."""
    result: float | None = None
    """The proved result, 0, 0.5 or 1; None if the search has not proved one."""


@dataclass(frozen=True)
class Info:
    """A progress report of a running search."""

    nodes: int
    """Playouts so far."""
    seconds: float
    """Seconds since the search began."""
    best: Candidate
    """The best turn so far."""
    others: tuple[Candidate, ...] = ()
    """The next best turns; only if the host asked for several lines (`MultiPV`)."""


@dataclass(frozen=True)
class Choice:
    """The answer of a search."""

    turn: str
    """The turn to play."""
    value: float
    """The expected result for the player to move, 0 to 1, as in `Candidate`."""
    visits: int
    """How many playouts went into this turn."""
    pv: tuple[str, ...] = ()
    """The expected continuation. It begins with `turn`."""
    candidates: tuple[Candidate, ...] = ()
    """All candidates, most promising first; `turn` is the first of them."""

    @property
    def ponder(self) -> str | None:
        """The reply that the search expects: the second turn of `pv`, or None."""
        return self.pv[1] if len(self.pv) > 1 else None


InfoListener = Callable[[Info], None]
"""The type of `on_info`: a function that an engine calls with each progress report."""


class Engine(ABC):
    """The base class of engines. A subclass needs `name`, `author`, `set_position` and `search`.

    The host calls `set_position` before each `search`, and never calls two methods at the same
    time. Only the events of `Signals` are set while a search runs.

    Example:
        >>> import engine
        >>> from engine.contract import Choice, Engine, Limits, Signals
        >>> class First(Engine):
        ...     name = "First"
        ...     author = "Me"
        ...
        ...     def set_position(self, position):
        ...         self.position = position
        ...
        ...     def search(self, limits, on_info, signals):
        ...         turn = next(self.position.legal_turns())
        ...         return Choice(turn, value=0.5, visits=1)
        >>> first = First()
        >>> first.set_position(engine.game("bluestone").start())
        >>> first.search(Limits(nodes=1), print, Signals()).turn
        '0-0'
    """

    name: ClassVar[str]
    """The engine's name, which hosts show and record."""
    author: ClassVar[str]
    """The engine's author."""
    options: ClassVar[Sequence[Option]] = ()
    """The options that the host may set."""

    def set_option(self, name: str, value: OptionValue) -> None:  # noqa: B027
        """Set one of `options`. The value counts from the next search on.

        Args:
            name: The option's name, spelled as in `options`.
            value: The parsed value; see `Option.parse`.
        """

    def new_game(self) -> None:  # noqa: B027
        """Forget what was learned: the next position belongs to another game."""

    def warm_up(self, game: Game) -> None:  # noqa: B027
        """Do now what would delay the first search, such as compiling or loading a network.

        Args:
            game: The game of the next search.
        """

    @abstractmethod
    def set_position(self, position: Position) -> None:
        """Set the position to search next.

        Args:
            position: A position that is not over. `position.turns` has all turns so far.
        """

    @abstractmethod
    def search(self, limits: Limits, on_info: InfoListener, signals: Signals) -> Choice:
        """Choose a turn in the position that was set last.

        Args:
            limits: The time and the nodes that the search may use.
            on_info: Call this function with a progress report, a few times a second at most.
            signals: Return within 0.1 s after `signals.stop` is set, whatever the limits.

        Returns:
            The choice. If its turn is illegal, or an exception is raised, `engine.ugi` answers with
            the first legal turn.
        """
