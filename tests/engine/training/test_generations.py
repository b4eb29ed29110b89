"""The cycle, with a trainer that makes networks up."""

import itertools
from datetime import UTC, datetime
from pathlib import Path

import pytest

from engine.training.gate import MatchGame
from engine.training.generations import Cycle, Means
from engine.training.journal import Entry, GamesPlayed, Journal, Matched, Refused, Trained, standing
from engine.training.processes import Crew
from engine.training.run_folder import RunFolder
from engine.training.settings import Plan
from tests.engine.training.fakes import AtOnce, FakeTrainer, Onlooker
from tests.engine.training.small import BRIEF, IDENTITY

PLAN = Plan(
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
    """A training in a folder, which may be ended and begun again."""

    def __init__(self, root: Path, plan: Plan = PLAN, trainer: FakeTrainer | None = None) -> None:
        self.folder = RunFolder(root)
        self.folder.make()
        self.plan = plan
        self.trainer = trainer or FakeTrainer()
        self.watch = Onlooker()
        self.executor = AtOnce()

    def go_on(self, questions: int | None = None, generations: int = 2) -> list[Entry]:
        """Until `stop` was asked so often, or so many generations are over; gives the log."""
        journal = Journal(self.folder.log, lambda: datetime(2026, 1, 1, tzinfo=UTC))
        journal.begin(IDENTITY)
        asked = itertools.count()

        def stop() -> bool:
            too_often = questions is not None and next(asked) >= questions
            return too_often or standing(journal.entries).generation > generations

        cycle = Cycle(self.folder, journal, IDENTITY, self.plan, self.watch)
        cycle.run(Means(Crew(self.executor, 1), self.trainer), stop)
        return journal.entries


def match_of(run: Run) -> list[MatchGame]:
    """Of the second generation, by pairs: which is done first is chance."""
    return sorted(run.folder.match_games(2), key=lambda game: (game.pair, game.seat))


def kinds(entries: list[Entry]) -> list[type[Entry]]:
    return [type(entry) for entry in entries]


def test_a_generation_plays_learns_and_has_its_match(tmp_path: Path) -> None:
    run = Run(tmp_path)
    entries = run.go_on()
    assert kinds(entries[1:]) == [GamesPlayed, Trained, Matched] * 2
    assert run.watch.entries == entries[1:]
    games = [entry for entry in entries if isinstance(entry, GamesPlayed)]
    assert [(entry.games, entry.best) for entry in games] == [(12, None), (24, 1)]
    assert run.watch.games[0] == (1, 0, 12)
    assert run.watch.games[-1] == (2, 24, 24)
    assert run.watch.scores[-1].games == 4
    assert run.folder.best.read_bytes() == run.folder.weights(2)


def test_a_lesson_is_of_the_latest_games_and_begins_where_the_last_one_ended(
    tmp_path: Path,
) -> None:
    run = Run(tmp_path)
    entries = run.go_on()
    first, second = run.trainer.lessons
    assert first.before is None
    assert second.before == first.after
    rows = [entry.rows for entry in entries if isinstance(entry, GamesPlayed)]
    assert len(first.samples.result) == rows[0]
    assert rows[1] < len(second.samples.result) < sum(rows)
    assert second.samples.game[-1] == 25  # 24 games, and the last file before them, of two
    assert first.steps == 7


def test_a_candidate_that_wins_too_little_is_not_the_best(tmp_path: Path) -> None:
    run = Run(tmp_path, Plan(**{**vars(PLAN), "needed": 1.01}))
    entries = run.go_on()
    assert [entry.accepted for entry in entries if isinstance(entry, Matched)] == [False, False]
    assert [entry.best for entry in entries if isinstance(entry, GamesPlayed)] == [None, None]
    assert not run.folder.best.exists()


def test_a_network_that_the_search_hears_otherwise_has_no_match(tmp_path: Path) -> None:
    run = Run(tmp_path, trainer=FakeTrainer(false=True))
    entries = run.go_on()
    assert kinds(entries[1:]) == [GamesPlayed, Refused] * 2
    assert not run.folder.best.exists()
    before = run.trainer.lessons[1].before
    assert before is not None
    assert not before.exists()


def test_ended_anywhere_it_comes_to_the_same(tmp_path: Path) -> None:
    whole = Run(tmp_path / "whole")
    entries = whole.go_on()
    parts = Run(tmp_path / "parts")
    found, patience = list[Entry](), itertools.cycle((1, 2, 3, 5))
    while standing(found).generation <= 2:
        found = parts.go_on(next(patience))
    assert found == entries
    assert parts.folder.best.read_bytes() == whole.folder.best.read_bytes()
    games = [file.name for file in sorted((tmp_path / "whole" / "games").iterdir())]
    assert games == [file.name for file in sorted((tmp_path / "parts" / "games").iterdir())]
    assert match_of(parts) == match_of(whole)


def test_what_a_kill_left_undone_is_done_at_the_start(tmp_path: Path) -> None:
    run = Run(tmp_path)
    run.go_on(generations=1)
    run.folder.best.unlink()
    (tmp_path / "games" / "games-0002-00000.part").write_bytes(b"half")
    run.go_on(questions=1, generations=2)
    assert run.folder.best.read_bytes() == run.folder.weights(1)


@pytest.mark.parametrize(("generation", "games"), [(1, 100), (2, 160), (3, 256), (9, 1000)])
def test_generations_grow(generation: int, games: int) -> None:
    assert Plan().games_of(generation) == games


def test_small_generations_learn_some_steps_all_the_same() -> None:
    assert Plan().steps_for(rows=100, batch=256) == 500
    assert Plan().steps_for(rows=64_000, batch=256) == 2000
