"""Games from files: only sound ones of the training's boards."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.training.errors import TrainingError
from engine.training.library import Library
from engine.training.records import GameArrays
from engine.training.run_folder import RunFolder
from engine.training.self_play_worker import PlayTask, self_play
from tests.engine.training.small import BRIEF, IDENTITY, same, task

BOARDS = replace(IDENTITY, board="pent-3,limping-3")
PENT = self_play(task(games=5))
LIMPING = self_play(PlayTask(replace(IDENTITY, board="limping-3"), 1, 0, 5, None, BRIEF))


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    made = RunFolder(tmp_path / "run")
    made.make()
    return made


def test_the_latest_games_are_oldest_first_and_by_board(folder: RunFolder) -> None:
    other = self_play(task(number=1, games=5))
    folder.save_games(1, 0, PENT, "pent-3")
    folder.save_games(1, 1, LIMPING, "limping-3")
    folder.save_games(2, 0, other, "pent-3")
    library = Library(folder, BOARDS)
    pent, limping = library.latest(15)
    assert pent.games.winner.tolist() == PENT.winner.tolist() + other.winner.tolist()
    assert (pent.game.board.name, limping.game.board.name) == ("pent-3", "limping-3")
    assert same(limping.games, LIMPING)
    (latest,) = library.latest(1)
    assert same(latest.games, other)
    (one,) = library.of(2)
    assert same(one.games, other)


def test_a_file_that_names_no_board_is_of_the_first(folder: RunFolder) -> None:
    np.savez(folder.games(1, 0), **PENT._asdict())
    (found,) = Library(folder, BOARDS).latest(1)
    assert same(found.games, PENT)


def test_games_of_another_board_are_refused(folder: RunFolder) -> None:
    folder.save_games(1, 0, LIMPING, "limping-3")
    with pytest.raises(TrainingError, match=r"games-0001-00000\.npz: .* of limping-3"):
        Library(folder, IDENTITY).latest(1)
    folder.save_games(1, 0, LIMPING, "pent-3")
    with pytest.raises(TrainingError, match=r"games-0001-00000\.npz: .* placements"):
        Library(folder, IDENTITY).latest(1)


def changed(name: str, change: Callable[[np.ndarray], np.ndarray]) -> GameArrays:
    return PENT._replace(**{name: change(getattr(PENT, name).copy())})


def with_first(value: float) -> Callable[[np.ndarray], np.ndarray]:
    def change(array: np.ndarray) -> np.ndarray:
        array[0] = value
        return array

    return change


@pytest.mark.parametrize(
    "games",
    [
        changed("steps", lambda steps: steps[:-1]),
        changed("steps", with_first(9999)),
        changed("steps", with_first(-7)),
        changed("steps", lambda steps: steps.astype("f4")),
        changed("steps", lambda steps: steps[:, None]),
        changed("steps", lambda steps: np.repeat(steps[:1], len(steps))),
        changed("step_start", with_first(-5)),
        changed("step_start", lambda start: start[::-1]),
        changed("winner", lambda winner: 3 - winner),
        changed("winner", lambda winner: winner[:-1]),
        changed("row_start", with_first(3)),
        changed("row_at", with_first(-1)),
        changed("row_at", with_first(30_000)),
        changed("row_value", with_first(float("nan"))),
        changed("row_policy", with_first(30_000)),
        changed("visits", lambda visits: visits[:1]),
    ],
)
def test_damaged_games_are_named(folder: RunFolder, games: GameArrays) -> None:
    folder.save_games(1, 0, games, "pent-3")
    with pytest.raises(TrainingError, match=r"games-0001-00000\.npz"):
        Library(folder, IDENTITY).latest(1)


@pytest.mark.parametrize("content", [b"", b"PK", b"\x80\x04}."])
def test_a_file_of_something_else_is_named(folder: RunFolder, content: bytes) -> None:
    folder.games(1, 0).write_bytes(content)
    with pytest.raises(TrainingError, match=r"games-0001-00000\.npz"):
        Library(folder, IDENTITY).latest(1)
