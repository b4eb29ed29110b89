"""The folder of a training: the names of its files, and how they are read and written."""

import json
import os
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

from engine.neural.parameters import Parameters, save_parameters
from engine.training.errors import TrainingError
from engine.training.gate import MatchGame
from engine.training.journal import append_line, read_lines, record_of
from engine.training.records import GameArrays, save_games


class RunFolder:
    """The files of a training. Numbers in names have leading zeros, so names sort by age."""

    def __init__(self, root: Path) -> None:
        self.log = root / "log.jsonl"
        self.best = root / "best.npz"
        self.plot = root / "elo.svg"
        self.checkpoint = root / "nets" / "checkpoint.pt"
        self._games = root / "games"
        self._nets = root / "nets"
        self._matches = root / "matches"

    def make(self) -> None:
        """Create the folders. Raises OSError."""
        for folder in (self._games, self._nets, self._matches):
            folder.mkdir(parents=True, exist_ok=True)

    def check_unused(self) -> None:
        """Raise TrainingError if there are games. Call this only for a log without entries."""
        if self.game_files():
            raise TrainingError(
                f"{self.log}: it has no entry, but the folder has games of a training"
            )

    def games(self, generation: int, number: int) -> Path:
        return self._games / f"games-{generation:04d}-{number:05d}.npz"

    def net(self, generation: int) -> Path:
        """The file with a generation's weights as the search reads them."""
        return self._nets / f"net-{generation:04d}.npz"

    def state(self, generation: int) -> Path:
        """The file with a generation's weights from which later training continues."""
        return self._nets / f"net-{generation:04d}.pt"

    def match(self, generation: int) -> Path:
        return self._matches / f"match-{generation:04d}.jsonl"

    def save_games(self, generation: int, number: int, games: GameArrays, board: str) -> None:
        save_games(self.games(generation, number), games, board)

    def game_files(self, generation: int | None = None) -> list[Path]:
        """Return the files with games of a generation, or of all generations, oldest first."""
        which = "*" if generation is None else f"{generation:04d}-*"
        return sorted(self._games.glob(f"games-{which}.npz"))

    def save_net(self, generation: int, parameters: Parameters) -> Path:
        """Write the weights atomically; return the file."""
        path = self.net(generation)
        part = path.with_suffix(".part")
        save_parameters(part, parameters)
        with part.open("rb") as file:
            os.fsync(file.fileno())
        part.replace(path)
        return path

    def save_start(self, content: bytes) -> None:
        """Save the file of the network with which the training begins, as generation 0."""
        _write(self.net(0), content)

    def weights(self, generation: int) -> bytes:
        """Return the content of a generation's weights file. TrainingError if it is unreadable."""
        try:
            return self.net(generation).read_bytes()
        except OSError as error:
            raise TrainingError(
                f"{self.net(generation)}: it cannot be read: {error.strerror}"
            ) from error

    def publish(self, generation: int) -> None:
        """Copy the weights of that generation to the file `best`."""
        weights = self.weights(generation)
        if self.best.exists() and self.best.read_bytes() == weights:
            return
        _write(self.best, weights)

    def add_match_games(self, generation: int, games: Iterable[MatchGame]) -> None:
        """Add the games of one pair as one line, so that the file has both or neither."""
        pair = [asdict(game) for game in games]
        append_line(self.match(generation), {"pair": pair[0]["pair"], "games": pair})

    def match_games(self, generation: int) -> list[MatchGame]:
        """Return the finished games of a match. TrainingError names a file with other content."""
        path = self.match(generation)
        try:
            lines = [json.loads(line) for line in read_lines(path)]
            return [_match_game(fields) for line in lines for fields in line["games"]]
        except (ValueError, KeyError, TypeError) as error:
            raise TrainingError(f"{path}: it has no games of a match: {error}") from error


def _write(path: Path, content: bytes) -> None:
    """Write the file atomically; it is on disk when this returns."""
    part = path.with_suffix(".part")
    with part.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)


def _match_game(fields: dict[str, object]) -> MatchGame:
    turns = fields["turns"]
    if not isinstance(turns, list):
        raise TypeError("turns are not a list")
    return record_of(MatchGame, {**fields, "turns": tuple(turns)})
