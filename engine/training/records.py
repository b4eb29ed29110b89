"""Games to learn from, as arrays and in files.

A file has the games of one task on one board: the steps of all games, one after the other, and
rows, which have what the search found before some of the steps.
"""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.game import Game
from engine.kernel.generic import PASS, STOP
from engine.notation import PASS_TEXT


class SearchRow(NamedTuple):
    """What a search found before step number `at` of a game.

    `value` is the expected result of the player to move, 0 to 1. `visits` has the visits of each
    placement, shape (n_steps,), or None if they are too few to learn from.
    """

    at: int
    value: float
    visits: NDArray[np.int32] | None


@dataclass(frozen=True)
class TrainingGame:
    """All steps of a game, as codes of the kernel; `winner` is 1, 2, or 0 for a draw."""

    steps: tuple[int, ...]
    rows: tuple[SearchRow, ...]
    winner: int


class GameArrays(NamedTuple):
    """Many games. Game g has the steps from `step_start[g]` to `step_start[g + 1]`, excluded.

    Its rows are those from `row_start[g]` to `row_start[g + 1]`. `row_at` counts steps from the
    beginning of the row's game. `row_policy` is an index into `visits`, or -1; `visits` has the
    shape (rows with a policy, n_steps).
    """

    steps: NDArray[np.int16]
    step_start: NDArray[np.int64]
    winner: NDArray[np.int8]
    row_start: NDArray[np.int64]
    row_at: NDArray[np.int16]
    row_value: NDArray[np.float32]
    row_policy: NDArray[np.int32]
    visits: NDArray[np.uint16]


def arrays_of(games: Sequence[TrainingGame], n_steps: int) -> GameArrays:
    """Return the games as arrays; visits above 65535 are stored as 65535."""
    rows = [row for game in games for row in game.rows]
    looked = [row.visits is not None for row in rows]
    policies = [row.visits for row in rows if row.visits is not None]
    policy = np.where(looked, np.cumsum(looked) - 1, -1)
    return GameArrays(
        steps=np.array([step for game in games for step in game.steps], np.int16),
        step_start=starts(len(game.steps) for game in games),
        winner=np.array([game.winner for game in games], np.int8),
        row_start=starts(len(game.rows) for game in games),
        row_at=np.array([row.at for row in rows], np.int16),
        row_value=np.array([row.value for row in rows], np.float32),
        row_policy=policy.astype(np.int32),
        visits=np.minimum(np.array(policies, np.int32).reshape(-1, n_steps), 65535).astype("u2"),
    )


def starts(counts: Iterable[int]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(list(counts))]).astype(np.int64)


def joined(parts: Sequence[GameArrays]) -> GameArrays:
    """Concatenate the games of all parts."""
    shift = starts(len(part.visits) for part in parts)
    policies = [
        np.where(part.row_policy < 0, -1, part.row_policy + offset)
        for part, offset in zip(parts, shift, strict=False)
    ]
    return GameArrays(
        steps=np.concatenate([part.steps for part in parts]),
        step_start=starts(n for part in parts for n in np.diff(part.step_start)),
        winner=np.concatenate([part.winner for part in parts]),
        row_start=starts(n for part in parts for n in np.diff(part.row_start)),
        row_at=np.concatenate([part.row_at for part in parts]),
        row_value=np.concatenate([part.row_value for part in parts]),
        row_policy=np.concatenate(policies).astype(np.int32),
        visits=np.concatenate([part.visits for part in parts]),
    )


def save_games(path: Path, games: GameArrays, board: str) -> None:
    """Write games of that board to a file, atomically; they are on disk when this returns."""
    part = path.with_suffix(".part")
    with part.open("wb") as out:
        np.savez_compressed(out, **games._asdict(), board=np.array(board))
        out.flush()
        os.fsync(out.fileno())
    part.replace(path)


def load_games(path: Path) -> GameArrays:
    """Load games. Raises one of `engine.training.errors.BROKEN_ARCHIVE` for any other file."""
    return load_board_and_games(path)[1]


def load_board_and_games(path: Path) -> tuple[str | None, GameArrays]:
    """Load games and the name of their board, None in old files; raises as `load_games` does."""
    # NumPy does not close a file that is damaged.
    with path.open("rb") as file, np.load(file) as stored:
        board = str(stored["board"]) if "board" in stored else None
        return board, GameArrays(**{name: stored[name] for name in GameArrays._fields})


def turns_of(game: Game, games: GameArrays, number: int) -> tuple[str, ...]:
    """Return the turns of a game as text, for `game.replay` and `bluestone draw --turns`.

    Raises ValueError for an illegal step.
    """
    steps = games.steps[games.step_start[number] : games.step_start[number + 1]]
    state, turns, turn = game.mechanics.start(), list[str](), list[str]()
    for step in steps.tolist():
        if step == PASS:
            turn.append(PASS_TEXT)
        elif step != STOP:
            turn.append(game.step_names[step])
        if not game.mechanics.try_step(state, step):
            raise ValueError(f"game {number}: step {step} is not legal")
        if state["step"] == 0 or state["over"]:
            turns.append(game.canonical(",".join(turn)))
            turn.clear()
    return tuple(turns)
