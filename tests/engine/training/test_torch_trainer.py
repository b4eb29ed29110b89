"""Learning with torch; where it is not installed, none of this can be tried."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")

from engine.neural.parameters import save_parameters
from engine.training.agreement import agreement
from engine.training.batches import BatchSources, BoardSource
from engine.training.errors import TrainingError
from engine.training.journal import GamesPlayed, Matched, Trained
from engine.training.learning import BoardSamples, Learnt, Lesson
from engine.training.records import load_games
from engine.training.samples import samples_of
from engine.training.self_play_worker import PlayTask, game_of, self_play
from engine.training.torch_trainer import TorchTrainer
from tests.engine.training.runs import Run
from tests.engine.training.small import BRIEF, IDENTITY, file_of, same, task, weights

PENT_4 = replace(IDENTITY, board="pent-4")
GAME = game_of(IDENTITY)
GAMES = self_play(task(games=20))
SMALL = BoardSamples(GAME, samples_of(GAME, GAMES))
LARGER = replace(IDENTITY, board="limping-3")
LARGE_GAMES = self_play(PlayTask(LARGER, 1, 0, 30, None, BRIEF))
LARGE = BoardSamples(game_of(LARGER), samples_of(game_of(LARGER), LARGE_GAMES))


def trainer() -> TorchTrainer:
    return TorchTrainer("cpu", threads=1, clock=lambda: 0.0)


def lesson_in(folder: Path, steps: int = 6) -> Lesson:
    return Lesson(
        parts=(SMALL,),
        layers=2,
        steps=steps,
        seed=5,
        before=None,
        after=folder / "after.pt",
        checkpoint=folder / "checkpoint.pt",
    )


def learn(lesson: Lesson, stop: Callable[[], bool] = lambda: False) -> Learnt | None:
    return trainer()(lesson, lambda _: None, stop)


def stopping_after(steps: int) -> Callable[[], bool]:
    answers = iter([False] * (steps - 1) + [True])
    return lambda: next(answers)


def test_a_lesson_interrupted_anywhere_has_the_same_result(tmp_path: Path) -> None:
    whole = Run(tmp_path / "whole", trainer(), identity=PENT_4)
    entries = whole.go_on(generations=1)
    assert [type(entry) for entry in entries[1:]] == [GamesPlayed, Trained, Matched]
    parts = Run(tmp_path / "parts", trainer(), identity=PENT_4)
    assert parts.in_parts((2, 3, 5), generations=1) == entries
    assert parts.folder.weights(1) == whole.folder.weights(1)
    for one, other in zip(parts.folder.game_files(), whole.folder.game_files(), strict=True):
        assert same(load_games(one), load_games(other))


def test_a_stopped_lesson_continues_where_it_was(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    whole, parts = learn(lesson_in(tmp_path)), lesson_in(tmp_path / "parts")
    assert learn(parts, stopping_after(2)) is None
    assert learn(parts, stopping_after(3)) is None
    found = learn(parts)
    assert whole is not None
    assert found is not None
    for one, other in zip(found.parameters, whole.parameters, strict=True):
        assert np.array_equal(one, other)


def test_start_weights_are_unchanged_if_nothing_is_learnt(tmp_path: Path) -> None:
    given = weights(3)
    learnt = learn(replace(lesson_in(tmp_path, steps=0), start=given))
    assert learnt is not None
    for name, array in given._asdict().items():
        assert np.array_equal(getattr(learnt.parameters, name), array), name
    file = tmp_path / "net.npz"
    file.write_bytes(file_of(given))
    assert agreement(GAME, file, GAMES, SMALL.samples, learnt.judge).is_close


def test_the_state_of_the_earlier_lesson_has_precedence_over_the_start(tmp_path: Path) -> None:
    first = learn(lesson_in(tmp_path))
    assert first is not None
    folder = tmp_path / "next"
    folder.mkdir()
    start = weights(3)._replace(
        hidden=np.zeros((32, 32), np.float32),
        hidden_bias=np.zeros(32, np.float32),
        value=np.zeros(32, np.float32),
    )
    following = replace(lesson_in(folder, steps=0), before=tmp_path / "after.pt", start=start)
    second = learn(following)
    assert second is not None
    for one, other in zip(second.parameters, first.parameters, strict=True):
        assert np.array_equal(one, other)


def test_each_batch_is_of_one_board_and_boards_come_by_their_share() -> None:
    chance = np.random.default_rng(1)
    sources = BatchSources([BoardSource(*part, chance, "cpu") for part in (SMALL, LARGE)], chance)
    widths = [sources.drawn(8).codes.shape[1] for _ in range(400)]
    small, large = (len(part.game.board.cells) for part in (SMALL, LARGE))
    share = len(SMALL.samples.result) / (len(SMALL.samples.result) + len(LARGE.samples.result))
    assert set(widths) == {small, large}
    assert widths.count(small) / 400 == pytest.approx(share, abs=0.08)


def test_a_stopped_lesson_of_two_boards_continues_where_it_was(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    whole, parts = (
        replace(lesson_in(folder, steps=8), parts=(SMALL, LARGE))
        for folder in (tmp_path, tmp_path / "parts")
    )
    assert learn(parts, stopping_after(3)) is None
    found, wanted = learn(parts), learn(whole)
    assert found is not None
    assert wanted is not None
    for one, other in zip(found.parameters, wanted.parameters, strict=True):
        assert np.array_equal(one, other)


def test_a_network_gives_the_same_output_in_the_search_on_every_board(tmp_path: Path) -> None:
    learnt = learn(replace(lesson_in(tmp_path), parts=(SMALL, LARGE)))
    assert learnt is not None
    file = tmp_path / "net.npz"
    save_parameters(file, learnt.parameters)
    for part, games in ((SMALL, GAMES), (LARGE, LARGE_GAMES)):
        assert agreement(part.game, file, games, part.samples, learnt.judge).is_close


def test_games_without_a_position_are_an_error(tmp_path: Path) -> None:
    none = SMALL.samples.taken(np.zeros(len(SMALL.samples.result), bool))
    with pytest.raises(TrainingError, match="no game has a position"):
        learn(replace(lesson_in(tmp_path), parts=(BoardSamples(GAME, none),)))


@pytest.mark.parametrize("name", ["before.pt", "checkpoint.pt"])
@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 broken", b"\x80\x02}q\x00."])
def test_a_damaged_state_is_named(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(TrainingError, match=name):
        learn(replace(lesson_in(tmp_path), before=tmp_path / "before.pt"))
