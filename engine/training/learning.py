"""What a trainer is asked for, and what it gives: all that the cycle knows of torch."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol

from engine.game import Game
from engine.neural.parameters import Parameters
from engine.training.agreement import Judge
from engine.training.samples import Samples


class Progress(NamedTuple):
    """On games held out: cross entropy of the policy, how often its first choice is the search's,
    and the Brier scores of the network's value and of the search's.
    """

    step: int
    steps: int
    policy: float
    agreement: float
    brier: float
    search_brier: float


class Part(NamedTuple):
    """Positions of one board."""

    game: Game
    samples: Samples


@dataclass(frozen=True)
class Lesson:
    """What is to be learnt, in so many steps; there is a part for each board, and at least one.

    `before` is the state to begin from, that of an earlier lesson, if the file is there; else it is
    the weights of `start`, if there are any. `after` is where this lesson leaves its own state, and
    `checkpoint` where it keeps what it needs to go on.
    """

    parts: tuple[Part, ...]
    layers: int
    steps: int
    seed: int
    before: Path | None
    after: Path
    checkpoint: Path
    start: Parameters | None = None

    @property
    def game(self) -> Game:
        """On any of the boards: for what is the same on all."""
        return self.parts[0].game

    @property
    def rows(self) -> int:
        return sum(len(part.samples.result) for part in self.parts)


class Learnt(NamedTuple):
    """A network, in both forms, and its last figures."""

    parameters: Parameters
    judge: Judge
    progress: Progress


class Trainer(Protocol):
    """Learns; None if it was stopped before the end: called again, it goes on."""

    def __call__(
        self, lesson: Lesson, report: Callable[[Progress], None], stop: Callable[[], bool]
    ) -> Learnt | None: ...
