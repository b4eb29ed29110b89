"""Loads the games of a training, by board, from the files of its folder, and checks them."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.game import Game
from engine.kernel import generic as kernel
from engine.kernel.bits import int64
from engine.kernel.generic import Record, compiled
from engine.training.errors import BROKEN_ARCHIVE, TrainingError
from engine.training.records import GameArrays, arrays_of, joined, load_board_and_games
from engine.training.run_folder import RunFolder
from engine.training.self_play_worker import game_of
from engine.training.settings import Identity

SOUND: Final = -1


class BoardGames(NamedTuple):
    """Games on the board of `game`."""

    game: Game
    games: GameArrays


class Library:
    """The games in a folder, checked as they are loaded.

    All methods raise TrainingError, with the file's name, for a file that has anything but games on
    one of the boards. Files without the name of a board are older than trainings on several boards;
    their games are on the first.
    """

    def __init__(self, folder: RunFolder, identity: Identity) -> None:
        self._folder = folder
        self._games = {board: game_of(identity, board) for board in identity.boards}

    def of(self, generation: int) -> list[BoardGames]:
        """Return all games of a generation."""
        return self._by_board(map(self._loaded, self._folder.game_files(generation)))

    def latest(self, most: int) -> list[BoardGames]:
        """Return the latest games, oldest first: whole files, until there are `most` games."""
        parts, count = list[BoardGames](), 0
        for file in reversed(self._folder.game_files()):
            parts.append(self._loaded(file))
            count += len(parts[-1].games.winner)
            if count >= most:
                break
        return self._by_board(parts[::-1])

    def _by_board(self, parts: Iterable[BoardGames]) -> list[BoardGames]:
        """Join the games by board, in the order of the boards; omit boards without games."""
        found = {game: list[GameArrays]() for game in self._games.values()}
        for game, games in parts:
            found[game].append(games)
        return [BoardGames(game, joined(games)) for game, games in found.items() if games]

    def _loaded(self, file: Path) -> BoardGames:
        try:
            board, games = load_board_and_games(file)
            game = self._game(board)
            check_games(game, games)
        except BROKEN_ARCHIVE as error:
            raise TrainingError(f"{file}: it has no games of this training: {error}") from error
        return BoardGames(game, games)

    def _game(self, board: str | None) -> Game:
        if board is None:
            return next(iter(self._games.values()))
        if board not in self._games:
            raise ValueError(f"they are of {board}")
        return self._games[board]


# Arrays must have legal, complete games of a board, because later replays check nothing.


def check_games(game: Game, games: GameArrays) -> None:
    """Raise ValueError, with the problem, if these are not complete games of this board."""
    _check_types(game, games)
    for holds, part in _PARTS:
        if not holds(games):
            raise ValueError(f"its {part} do not match")
    found = _first_unsound(game.record, game.mechanics.new_state(), games)
    if found != SOUND:
        raise ValueError(f"game {found} is not a game of {game.name} on {game.board.name}")


def _check_types(game: Game, games: GameArrays) -> None:
    n_steps = game.mechanics.n_steps
    wanted = arrays_of([], n_steps)._asdict()
    for name, array in games._asdict().items():
        if (array.dtype, array.ndim) != (wanted[name].dtype, wanted[name].ndim):
            raise ValueError(f"{name} has other content")
    if games.visits.shape[1] != n_steps:
        raise ValueError(f"it has {games.visits.shape[1]} placements, {game.board.name} {n_steps}")


def _have_steps(games: GameArrays) -> bool:
    start = games.step_start
    return len(start) == len(games.winner) + 1 and _leads_through(start, len(games.steps))


def _have_rows(games: GameArrays) -> bool:
    start, count = games.row_start, len(games.row_at)
    is_whole = len(games.row_value) == len(games.row_policy) == count
    return is_whole and len(start) == len(games.winner) + 1 and _leads_through(start, count)


def _leads_through(start: NDArray[np.int64], end: int) -> bool:
    return bool(start[0] == 0 and start[-1] == end and (np.diff(start) >= 0).all())


def _rows_are_in_their_games(games: GameArrays) -> bool:
    """Return whether each row is at a step of its game, and later than the row before."""
    rows = np.diff(games.row_start)
    game = np.repeat(np.arange(len(rows)), rows)
    length = np.repeat(np.diff(games.step_start), rows)
    is_inside = (games.row_at >= 0) & (games.row_at < length)
    is_later = (np.diff(games.row_at) > 0) | (np.diff(game) > 0)
    return bool(is_inside.all() and is_later.all())


def _values_are_chances(games: GameArrays) -> bool:
    policy = games.row_policy
    is_policy = (policy >= -1) & (policy < len(games.visits))
    return bool(is_policy.all() and ((games.row_value >= 0) & (games.row_value <= 1)).all())


_PARTS: Final[tuple[tuple[Callable[[GameArrays], bool], str], ...]] = (
    (_have_steps, "steps"),
    (_have_rows, "rows"),
    (_rows_are_in_their_games, "rows and steps"),
    (_values_are_chances, "values and visits"),
)


@compiled
def _first_unsound(board: Record, state: Record, games: GameArrays) -> int:
    """Return the first game with an illegal step or a wrong result; `SOUND` if there is none."""
    for game in range(games.winner.shape[0]):
        kernel.start(board, state)
        for at in range(games.step_start[game], games.step_start[game + 1]):
            step = int64(games.steps[at])
            if kernel.is_over(board, state) or not kernel.is_legal_step(board, state, step):
                return game
            kernel.play_step(board, state, step)
        if not kernel.is_over(board, state) or kernel.outcome(board, state) != games.winner[game]:
            return game
    return SOUND
