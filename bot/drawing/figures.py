"""The figures of documents. A manifest names each figure and its position."""

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

import engine
from bot.drawing.board_layers import Annotations
from bot.drawing.board_svg import board_svg
from bot.drawing.paper import paper_named
from bot.drawing.sheet import as_svg, board_sheet
from bot.errors import ConfigurationError


class Figure(BaseModel):
    """A drawing of the position after some turns, which are separated by blanks."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    file: str = Field(pattern=r"^[a-z0-9-]+\.svg$")
    title: str
    game: str
    board: str | None = None
    rules: str | None = None
    options: dict[str, str | int] = {}
    turns: str = ""
    marks: dict[str, str] = {}
    highlighted: tuple[str, ...] = ()
    connected: tuple[str, ...] = ()
    last_turn: bool = False
    coordinates: bool = False
    track: bool = False
    paper: str | None = None

    def position(self) -> engine.Position:
        """Raises ConfigurationError if the game does not exist, or a turn is not legal."""
        try:
            game = engine.game_of(self.game, self.board, self.rules, self.options)
            return game.replay(self.turns.split())
        except engine.EngineError as error:
            raise ConfigurationError(f"{self.file}: {error}") from error

    def svg(self) -> str:
        """Raises ConfigurationError as `position` does, and for marks outside the board."""
        notes = Annotations(
            texts=self.marks,
            highlighted=self.highlighted,
            connected=self.connected,
            last_turn=self.last_turn,
            coordinates=self.coordinates,
            track=self.track,
        )
        position = self.position()
        try:
            if self.paper is not None:
                return as_svg(board_sheet(position, paper_named(self.paper), notes, self.title))
            return board_svg(position, notes, self.title)
        except ConfigurationError as error:
            raise ConfigurationError([f"{self.file}: {text}" for text in error.problems]) from error


class FigureManifest(BaseModel):
    """All figures of a document, and their folder relative to the manifest."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    folder: str = "."
    figure: tuple[Figure, ...]

    def drawings(self, beside: Path) -> Iterator[tuple[Path, str]]:
        """Yield the path and the content of each figure."""
        for figure in self.figure:
            yield beside.parent / self.folder / figure.file, figure.svg()


def read_manifest(path: Path) -> FigureManifest:
    """Raises ConfigurationError with all errors of the file."""
    try:
        raw: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
        return FigureManifest.model_validate(raw)
    except OSError as error:
        raise ConfigurationError(f"{path}: cannot be read: {error.strerror}") from error
    except ValidationError as error:
        problems = error.errors(include_url=False, include_context=False)
        raise ConfigurationError(
            [f"{path}: {'.'.join(map(str, one['loc']))}: {one['msg']}" for one in problems]
        ) from error
    except ValueError as error:
        raise ConfigurationError(f"{path}: not TOML in UTF-8: {error}") from error
