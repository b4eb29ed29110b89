"""The cycle, with a trainer that makes networks up."""

from dataclasses import replace
from pathlib import Path

import pytest

from engine.neural.parameters import load_parameters
from engine.training.errors import TrainingError
from engine.training.gate import MatchGame
from engine.training.journal import Entry, GamesPlayed, Matched, Refused, Trained
from engine.training.settings import TrainingPlan
from tests.engine.training.fakes import FakeTrainer
from tests.engine.training.runs import PLAN, Run
from tests.engine.training.small import IDENTITY, file_of, weights


def match_of(run: Run) -> list[MatchGame]:
    """Of the second generation, by pairs: which is done first is chance."""
    return sorted(run.folder.match_games(2), key=lambda game: (game.pair, game.seat))


def kinds(entries: list[Entry]) -> list[type[Entry]]:
    return [type(entry) for entry in entries]


def test_a_generation_plays_learns_and_has_its_match(tmp_path: Path) -> None:
    run = Run(tmp_path, FakeTrainer())
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
    trainer = FakeTrainer()
    run = Run(tmp_path, trainer)
    entries = run.go_on()
    first, second = trainer.lessons
    assert first.before is None
    assert second.before == first.after
    rows = [entry.rows for entry in entries if isinstance(entry, GamesPlayed)]
    assert len(first.parts[0].samples.result) == rows[0]
    assert rows[1] < len(second.parts[0].samples.result) < sum(rows)
    assert second.parts[0].samples.game[-1] == 25  # 24 games, and the last file before them, of two
    assert first.steps == 7


def test_a_candidate_that_wins_too_little_is_not_the_best(tmp_path: Path) -> None:
    run = Run(tmp_path, FakeTrainer(), replace(PLAN, needed=1.01))
    entries = run.go_on()
    assert [entry.accepted for entry in entries if isinstance(entry, Matched)] == [False, False]
    assert [entry.best for entry in entries if isinstance(entry, GamesPlayed)] == [None, None]
    assert not run.folder.best.exists()


def test_a_network_with_another_output_in_the_search_has_no_match(tmp_path: Path) -> None:
    trainer = FakeTrainer(false=True)
    run = Run(tmp_path, trainer)
    entries = run.go_on()
    assert kinds(entries[1:]) == [GamesPlayed, Refused] * 2
    assert not run.folder.best.exists()
    before = trainer.lessons[1].before
    assert before is not None
    assert not before.exists()


def test_a_training_interrupted_anywhere_has_the_same_result(tmp_path: Path) -> None:
    whole = Run(tmp_path / "whole", FakeTrainer())
    entries = whole.go_on()
    parts = Run(tmp_path / "parts", FakeTrainer())
    assert parts.in_parts((1, 2, 3, 5)) == entries
    assert parts.folder.best.read_bytes() == whole.folder.best.read_bytes()
    games = [file.name for file in sorted((tmp_path / "whole" / "games").iterdir())]
    assert games == [file.name for file in sorted((tmp_path / "parts" / "games").iterdir())]
    assert match_of(parts) == match_of(whole)


def test_steps_that_a_kill_prevented_are_done_at_the_start(tmp_path: Path) -> None:
    run = Run(tmp_path, FakeTrainer())
    run.go_on(generations=1)
    run.folder.best.unlink()
    (tmp_path / "games" / "games-0002-00000.part").write_bytes(b"half")
    run.go_on(questions=1, generations=2)
    assert run.folder.best.read_bytes() == run.folder.weights(1)


@pytest.mark.parametrize(("generation", "games"), [(1, 100), (2, 160), (3, 256), (9, 1000)])
def test_generations_grow(generation: int, games: int) -> None:
    assert TrainingPlan().games_of(generation) == games


def test_small_generations_learn_some_steps_too() -> None:
    assert TrainingPlan().steps_for(rows=100, batch=256) == 500
    assert TrainingPlan().steps_for(rows=64_000, batch=256) == 2000


FROM_A_NETWORK = replace(IDENTITY, start="some.npz")


def test_a_given_network_is_the_best_at_first_and_is_learnt_on_from(tmp_path: Path) -> None:
    trainer, given = FakeTrainer(), file_of(weights(7))
    plan = replace(PLAN, needed=1.01)
    run = Run(tmp_path, trainer, plan, FROM_A_NETWORK, given)
    entries = run.go_on()
    assert run.folder.best.read_bytes() == given
    games = [entry for entry in entries if isinstance(entry, GamesPlayed)]
    assert [(entry.games, entry.best) for entry in games] == [(24, 0), (24, 0)]
    for lesson in trainer.lessons:
        assert lesson.start is not None
        assert lesson.start.value_bias == load_parameters(run.folder.net(0)).value_bias
    assert [lesson.before for lesson in trainer.lessons] == [None, run.folder.state(1)]
    (first,) = [entry for entry in entries[:4] if isinstance(entry, Matched)]
    assert first.elo == round(run.watch.scores[2].elo, 1)


def test_after_a_refusal_it_is_learnt_on_from_the_best(tmp_path: Path) -> None:
    trainer, given = FakeTrainer(), file_of(weights(7))
    Run(tmp_path, trainer, PLAN, FROM_A_NETWORK, given).go_on(generations=1)
    false = FakeTrainer(false=True)
    run = Run(tmp_path, false, PLAN, FROM_A_NETWORK)
    assert kinds(run.go_on(generations=3)[4:]) == [GamesPlayed, Refused] * 2
    for lesson in false.lessons:
        assert lesson.start is not None
        assert lesson.start.value_bias == load_parameters(run.folder.net(1)).value_bias
    assert not run.folder.state(2).exists()


def test_a_training_from_a_network_interrupted_anywhere_has_the_same_result(tmp_path: Path) -> None:
    given = file_of(weights(7))
    one, other = (
        Run(tmp_path / name, FakeTrainer(), PLAN, FROM_A_NETWORK, given)
        for name in ("whole", "parts")
    )
    assert other.in_parts((1, 2, 3, 5)) == one.go_on()


def test_a_given_network_that_was_damaged_or_is_gone_is_named(tmp_path: Path) -> None:
    run = Run(tmp_path, FakeTrainer(), PLAN, FROM_A_NETWORK, b"PK\x03\x04")
    with pytest.raises(TrainingError, match=r"net-0000\.npz: it is not a file of weights"):
        run.go_on()
    assert not run.folder.best.exists()
    run.folder.net(0).unlink()
    with pytest.raises(TrainingError, match=r"net-0000\.npz: it cannot be read"):
        run.go_on()


PENTS = replace(IDENTITY, board="pent-3,hexhex-3,limping-3")


def test_one_network_learns_several_boards(tmp_path: Path) -> None:
    trainer = FakeTrainer()
    plan = replace(PLAN, first_games=40, games=40, window=40, match_games=12)
    run = Run(tmp_path, trainer, plan, PENTS)
    entries = run.go_on(generations=1)
    (lesson,) = trainer.lessons
    assert [part.game.board.name for part in lesson.parts] == ["pent-3", "hexhex-3", "limping-3"]
    assert [len(set(part.samples.game.tolist())) for part in lesson.parts] == [20, 10, 10]
    assert entries[1] == GamesPlayed(1, 40, lesson.rows, None)
    (match,) = [entry for entry in entries if isinstance(entry, Matched)]
    assert {board: sum(score) for board, score in match.boards.items()} == {
        "pent-3": 4,
        "hexhex-3": 4,
        "limping-3": 4,
    }
    sums = [sum(score[which] for score in match.boards.values()) for which in range(3)]
    assert sums == [match.wins, match.draws, match.losses]


def test_a_training_of_several_boards_interrupted_anywhere_has_the_same_result(
    tmp_path: Path,
) -> None:
    one, other = (Run(tmp_path / name, FakeTrainer(), PLAN, PENTS) for name in ("whole", "parts"))
    assert other.in_parts((1, 2, 3, 5)) == one.go_on()
    assert match_of(other) == match_of(one)
