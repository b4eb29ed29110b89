"""Trainings in folders, which may be ended and begun again."""

import itertools
from datetime import UTC, datetime
from pathlib import Path

from engine.training.generations import Cycle, Means
from engine.training.journal import Entry, Journal, standing
from engine.training.learning import Trainer
from engine.training.processes import Crew
from engine.training.run_folder import RunFolder
from engine.training.settings import Identity, TrainingPlan
from tests.engine.training.fakes import AtOnce, Onlooker
from tests.engine.training.small import BRIEF, IDENTITY

PLAN = TrainingPlan(
    games=24,
    first_games=12,
    growth=2,
    window=25,
    fewest_steps=7,
    match_games=4,
    match_nodes=10,
    needed=0.0,
    self_play=BRIEF,
)


class Run:
    """A training of this trainer; `start` is the file that it begins with, if it does."""

    def __init__(
        self,
        root: Path,
        trainer: Trainer,
        plan: TrainingPlan = PLAN,
        identity: Identity = IDENTITY,
        start: bytes | None = None,
    ) -> None:
        self.folder = RunFolder(root)
        self.folder.make()
        self.identity = identity
        self.plan = plan
        self.trainer = trainer
        self.watch = Onlooker()
        self.executor = AtOnce()
        if start is not None:
            self.folder.save_start(start)

    def go_on(self, questions: int | None = None, generations: int = 2) -> list[Entry]:
        """Until `stop` was asked so often, or so many generations are over; gives the log."""
        journal = Journal(self.folder.log, lambda: datetime(2026, 1, 1, tzinfo=UTC))
        journal.begin(self.identity)
        asked = itertools.count()

        def stop() -> bool:
            too_often = questions is not None and next(asked) >= questions
            return too_often or standing(journal.entries).generation > generations

        cycle = Cycle(self.folder, journal, self.identity, self.plan, self.watch)
        cycle.run(Means(Crew(self.executor, 1), self.trainer), stop)
        return journal.entries

    def in_parts(self, questions: tuple[int, ...], generations: int = 2) -> list[Entry]:
        """Ended after so many questions, and begun again, until the generations are over."""
        found = list[Entry]()
        patience = itertools.cycle(questions)
        while standing(found).generation <= generations:
            found = self.go_on(next(patience), generations)
        return found
