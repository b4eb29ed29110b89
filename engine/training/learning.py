"""The interface of a trainer, so that the training cycle does not depend on torch."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol

from engine.game import Game
from engine.neural.parameters import Parameters
from engine.training.agreement import Judge
from engine.training.samples import Samples


class LearningProgress(NamedTuple):
    """Figures on held-out games after `step` of `steps` steps.

    - `policy`: the cross entropy of the policy.
    - `agreement`: how often its first choice is that of the search, 0 to 1.
    - `brier`, `search_brier`: the Brier scores of the network's and of the search's values.
    """

    step: int
    steps: int
    policy: float
    agreement: float
    brier: float
    search_brier: float


class BoardSamples(NamedTuple):
    """The samples of one board."""

    game: Game
    samples: Samples


@dataclass(frozen=True)
class Lesson:
    """What a trainer must learn, in `steps` steps; `parts` has at least one board.

    - `before`: the file with the state of an earlier lesson, from which this one begins. If there
      is no such file, it begins with the weights of `start`, or without any.
    - `after`: the file for the state at the end of this lesson.
    - `checkpoint`: the file from which an interrupted lesson continues.
    """

    parts: tuple[BoardSamples, ...]
    layers: int
    steps: int
    seed: int
    before: Path | None
    after: Path
    checkpoint: Path
    start: Parameters | None = None

    @property
    def game(self) -> Game:
        """The game on one of the boards, for what is the same on all."""
        return self.parts[0].game

    @property
    def rows(self) -> int:
        return sum(len(part.samples.result) for part in self.parts)


class Learnt(NamedTuple):
    """A trained network, as weights and as a function, and its last figures."""

    parameters: Parameters
    judge: Judge
    progress: LearningProgress


class Trainer(Protocol):
    """Learns a lesson; returns None if stopped before the end, and continues when called again."""

    def __call__(
        self, lesson: Lesson, report: Callable[[LearningProgress], None], stop: Callable[[], bool]
    ) -> Learnt | None: ...
