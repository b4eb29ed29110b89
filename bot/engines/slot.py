"""What a pool holds: a place for a process, and who waits for one."""

from dataclasses import dataclass

import engine
from bot.engines.pondering import Pondering
from bot.engines.process import EngineProcess
from bot.engines.questions import Patience


@dataclass(frozen=True)
class Task:
    """Whose turn a process is asked for, and in which game."""

    user: str
    game_id: str


@dataclass(frozen=True, eq=False)
class Waiting:
    """Somebody who is asked for a turn in `position`, and has no process yet."""

    task: Task
    position: engine.Position
    patience: Patience | None


@dataclass(eq=False)
class Slot:
    """A place for one process; `process` is None while it is being started.

    `patience` is that of the turn on which it is at work, `pondering` its search on the opponent's
    time. It is `breaking` while it stops such a search, for somebody who waits.
    """

    process: EngineProcess | None = None
    busy: bool = False
    task: Task | None = None
    game: engine.Game | None = None
    patience: Patience | None = None
    pondering: Pondering | None = None
    breaking: bool = False

    @property
    def free(self) -> bool:
        return self.process is not None and not self.busy and self.pondering is None

    @property
    def ponders(self) -> bool:
        """Whether its only work can be taken from it."""
        return self.pondering is not None and not self.busy
