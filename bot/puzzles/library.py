"""The puzzles that the package ships: one file of JSON for each game."""

from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Final

import orjson
from pydantic import ValidationError

from bot.errors import ConfigurationError, DataError
from bot.puzzles.model import Puzzle, PuzzleFile, puzzle_fields

_DATA: Final = files("bot.puzzles") / "data"


def games_with_puzzles() -> tuple[str, ...]:
    """Return the names of the games that have shipped puzzles, sorted."""
    names = (each.name for each in _DATA.iterdir())
    return tuple(sorted(name.removesuffix(".json") for name in names if name.endswith(".json")))


@cache
def shipped(game: str) -> tuple[Puzzle, ...]:
    """Return the shipped puzzles of a game, easiest first; empty if there are none."""
    if game not in games_with_puzzles():
        return ()
    return PuzzleFile.model_validate_json((_DATA / f"{game}.json").read_bytes()).puzzles


@cache
def _by_id() -> dict[str, Puzzle]:
    return {puzzle.id: puzzle for game in games_with_puzzles() for puzzle in shipped(game)}


def find(puzzle_id: str) -> Puzzle | None:
    """Return the shipped puzzle of that id, or None."""
    return _by_id().get(puzzle_id)


def read_file(path: Path) -> PuzzleFile:
    """Return a file of puzzles. Raises ConfigurationError without one, DataError if damaged."""
    try:
        return PuzzleFile.model_validate_json(path.read_bytes())
    except FileNotFoundError as error:
        raise ConfigurationError(f"{path}: no such file") from error
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise DataError(f"{path}: not a file of puzzles: {place}: {first['msg']}") from error


def file_lines(content: PuzzleFile) -> Iterator[str]:
    """Yield the lines of a file of puzzles: a JSON document with one puzzle on each line."""
    head = orjson.dumps(content.model_dump(mode="json", exclude={"puzzles"})).decode()
    yield head.removesuffix("}") + ',"puzzles":[\n'
    last = len(content.puzzles) - 1
    for place, puzzle in enumerate(content.puzzles):
        yield orjson.dumps(puzzle_fields(puzzle)).decode() + (",\n" if place < last else "\n")
    yield "]}\n"
