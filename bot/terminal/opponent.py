"""Who sits on the other side of a game in the terminal."""

from dataclasses import dataclass
from typing import Protocol

import engine
from bot.records.model import EngineSettings


@dataclass(frozen=True)
class EngineTurn:
    """A turn that an engine chose; `value` is its own chance to win.

    `failure` says why the engine itself gave none, and another mover stepped in.
    """

    turn: str
    time_ms: int
    value: float | None = None
    visits: int | None = None
    pv: tuple[str, ...] = ()
    source: str = "engine"
    failure: str | None = None


class Opponent(Protocol):
    """An engine that is asked for turns, one at a time."""

    @property
    def settings(self) -> EngineSettings: ...

    def choose(self, position: engine.Position) -> EngineTurn:
        """The engine's turn; the position is not over."""
