"""A trainer without torch, and others that look on."""

from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any

import numpy as np

from engine.game import Game
from engine.neural.parameters import Parameters
from engine.training.agreement import Floats, Judge
from engine.training.gate import Score
from engine.training.journal import Entry
from engine.training.learning import LearningProgress, Learnt, Lesson
from tests.engine.neural.reference import judged, random_parameters


def judge_of(parameters: Parameters) -> Judge:
    """The plain network as a trainer's."""

    def judge(game: Game, codes: Any, numbers: Floats) -> tuple[Floats, Floats]:
        both = [judged(game, parameters, *row) for row in zip(codes, numbers, strict=True)]
        policies = np.array([policy for policy, _ in both], np.float32)
        return policies, np.array([value for _, value in both], np.float32)

    return judge


class FakeTrainer:
    """Answers with random weights; `false` ones are not those that it judges by. `lessons` are what
    it was asked for.
    """

    def __init__(self, *, false: bool = False) -> None:
        self.lessons: list[Lesson] = []
        self._false = false

    def __call__(
        self, lesson: Lesson, report: Callable[[LearningProgress], None], stop: Callable[[], bool]
    ) -> Learnt | None:
        self.lessons.append(lesson)
        if stop():
            return None
        progress = LearningProgress(lesson.steps, lesson.steps, 2.0, 0.25, 0.2, 0.15)
        report(progress)
        lesson.after.write_bytes(b"state")
        told = random_parameters(lesson.game, lesson.layers, lesson.seed)
        meant = random_parameters(lesson.game, lesson.layers, lesson.seed + self._false)
        return Learnt(told, judge_of(meant), progress)


class AtOnce(Executor):
    """Does a task when it is asked to, in this thread; `done` counts."""

    def __init__(self) -> None:
        self.done = 0

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> "Future[Any]":
        future = Future[Any]()
        self.done += 1
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:  # noqa: BLE001 - as executors do
            future.set_exception(error)
        return future


class Onlooker:
    """Keeps what it was told."""

    def __init__(self) -> None:
        self.games: list[tuple[int, int, int]] = []
        self.steps: list[int] = []
        self.scores: list[Score] = []
        self.entries: list[Entry] = []

    def played(self, generation: int, games: int, of: int) -> None:
        self.games.append((generation, games, of))

    def learnt(self, generation: int, progress: LearningProgress) -> None:
        del generation
        self.steps.append(progress.step)

    def matched(self, generation: int, score: Score, of: int) -> None:
        del generation, of
        self.scores.append(score)

    def finished(self, entry: Entry) -> None:
        self.entries.append(entry)
