"""Learns lessons with torch; an interrupted lesson continues from its last checkpoint."""

import hashlib
import json
import os
import pickle
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from engine.game import Game
from engine.training.agreement import Floats, Judge
from engine.training.batches import BatchSources, BoardSource, split
from engine.training.errors import BROKEN_ARCHIVE, TrainingError
from engine.training.fitting import Fitting, Learner, judged
from engine.training.learning import LearningProgress, Learnt, Lesson
from engine.training.model import EXACT, HIDDEN, Model, place_of

REPORT_STEPS = 200
"""Steps between two reports."""


@dataclass(frozen=True)
class TorchTrainer:
    """A `Trainer` on a torch device.

    `clock` returns seconds. There is a checkpoint every `checkpoint_s` seconds, and on a stop.
    """

    device: str
    threads: int
    clock: Callable[[], float]
    checkpoint_s: float = 120.0
    fitting: Fitting = field(default_factory=Fitting)

    def __call__(
        self, lesson: Lesson, report: Callable[[LearningProgress], None], stop: Callable[[], bool]
    ) -> Learnt | None:
        torch.set_num_threads(self.threads)
        torch.manual_seed(lesson.seed)
        model = self._begun(lesson)
        learner = Learner(model, self.fitting, lesson.steps)
        chance = np.random.default_rng(lesson.seed)
        source, held_out = self._sources(lesson, chance)
        self._restore(lesson, learner, chance)
        if not self._learn(
            lesson, learner, source, lambda: report(judged(learner, held_out)), stop
        ):
            return None
        progress = judged(learner, held_out)
        report(progress)
        _save(lesson.after, learner.result.state_dict())
        return Learnt(
            learner.result.parameters_of(), judge_of(learner.result, self.device), progress
        )

    def _sources(
        self, lesson: Lesson, chance: np.random.Generator
    ) -> tuple[BatchSources, BatchSources]:
        """Return samples to learn from and held-out ones. TrainingError if the first are empty."""
        halves = [(part.game, split(part.samples)) for part in lesson.parts]
        learning, judging = (
            BatchSources(
                [BoardSource(game, of[which], chance, self.device) for game, of in halves], chance
            )
            for which in (0, 1)
        )
        if not len(learning):
            raise TrainingError("no game has a position to learn from; play more games")
        return learning, judging

    def _begun(self, lesson: Lesson) -> Model:
        """Return a model with its first weights; random ones are the same for the same seed."""
        start = lesson.start
        units = HIDDEN if start is None else len(start.value)
        model = Model(lesson.game, lesson.layers, units)
        if lesson.before is not None and lesson.before.exists():
            with _named(lesson.before):
                model.load_state_dict(_loaded(lesson.before, "cpu"))
        elif start is not None:
            model.take(start)
        model.to(self.device)
        return model

    def _learn(
        self,
        lesson: Lesson,
        learner: Learner,
        source: BatchSources,
        report: Callable[[], None],
        stop: Callable[[], bool],
    ) -> bool:
        """Learn until the end or a stop; return whether the lesson is complete."""
        saved = self.clock()
        while learner.step < learner.steps:
            learner.learn(source)
            if learner.step % REPORT_STEPS == 0:
                report()
            stopped = stop()
            if stopped or self.clock() - saved > self.checkpoint_s:
                self._checkpoint(lesson, learner, source.chance)
                saved = self.clock()
            if stopped:
                return False
        return True

    def _checkpoint(self, lesson: Lesson, learner: Learner, chance: np.random.Generator) -> None:
        state = learner.state() | {
            "lesson": _name(lesson),
            "chance": json.dumps(chance.bit_generator.state),
        }
        _save(lesson.checkpoint, state)

    def _restore(self, lesson: Lesson, learner: Learner, chance: np.random.Generator) -> None:
        """Restore the checkpoint if it is one of this lesson."""
        if lesson.checkpoint.exists():
            with _named(lesson.checkpoint):
                state = _loaded(lesson.checkpoint, self.device)
                if state["lesson"] == _name(lesson):
                    learner.restore(state)
                    chance.bit_generator.state = json.loads(state["chance"])


def judge_of(model: Model, device: str) -> Judge:
    """Return the model as a function that computes with 32 bits throughout."""

    def judge(game: Game, codes: NDArray[np.uint8], numbers: Floats) -> tuple[Floats, Floats]:
        usual, model.precision = model.precision, EXACT
        with torch.no_grad():
            policy, value, _ = model(
                torch.from_numpy(codes.astype(np.int32)).to(device),
                torch.from_numpy(numbers).to(device),
                place_of(game.board, device),
            )
        model.precision = usual
        return policy.cpu().numpy(), torch.sigmoid(value).cpu().numpy()

    return judge


def _name(lesson: Lesson) -> str:
    """Return the name of a lesson; lessons of the same name learn the same."""
    words = lesson.seed, lesson.steps, lesson.layers, lesson.rows, lesson.after.name
    return hashlib.sha256(repr(words).encode()).hexdigest()


def _save(path: Path, state: dict[str, Any]) -> None:
    """Write the file atomically; it is on disk when this returns."""
    part = path.with_suffix(".part")
    with part.open("wb") as file:
        torch.save(state, file)
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """Raise TrainingError, with the file's name, instead of the errors of a damaged file."""
    try:
        yield
    except (*BROKEN_ARCHIVE, pickle.UnpicklingError) as error:
        raise TrainingError(f"{path}: it has no state from which to continue") from error


def _loaded(path: Path, device: str) -> dict[str, Any]:
    state: dict[str, Any] = torch.load(path, map_location=device, weights_only=True)
    return state
