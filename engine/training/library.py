"""Loads the games of a training, by board, from the files of its folder."""

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from engine.game import Game
from engine.training.errors import BROKEN_ARCHIVE, TrainingError
from engine.training.records import GameArrays, joined, load_board_and_games
from engine.training.run_folder import RunFolder
from engine.training.self_play_worker import game_of
from engine.training.settings import Identity
from engine.training.soundness import check_games


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
            raise TrainingError(f"{file}: it holds no games of this training: {error}") from error
        return BoardGames(game, games)

    def _game(self, board: str | None) -> Game:
        if board is None:
            return next(iter(self._games.values()))
        if board not in self._games:
            raise ValueError(f"they are of {board}")
        return self._games[board]
