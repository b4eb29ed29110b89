"""Suites of openings: files with one a line, checked by the rules."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import engine
from bot.errors import ConfigurationError, HostError
from bot.matches.openings import Search
from bot.records.jsonl import DamagedLine, read_records
from bot.tournaments.openings import Line, checked

MOST_BYTES: Final = 16 * 1024 * 1024
MOST_PROBLEMS: Final = 20


@dataclass(frozen=True)
class Numbered:
    """An opening as it stands in a file."""

    line: int
    turns: Line


def read_suite(path: Path, game: engine.Game) -> list[Line]:
    """The openings of a file: turns with blanks between them and comments after `#`, or records as
    JSON Lines, of which the turns marked as an opening count, or else all.

    Raises ConfigurationError, as FILE:LINE with what is wrong; HostError if it cannot be read.
    """
    read = _of_records if path.suffix in (".jsonl", ".json") else _of_text
    problems: list[str] = []
    found: dict[Line, int] = {}
    for each in read(path, game, problems.append):
        where = f"{path}:{each.line}"
        problem, turns = checked(game, each.turns)
        if problem is None and turns in found:
            problem = f"the same opening as in line {found[turns]}"
        if problem is not None:
            problems.append(f"{where}: {problem}")
        else:
            found[turns] = each.line
    if not (found or problems):
        problems.append(f"{path}: holds no opening")
    if problems:
        raise ConfigurationError(_the_first(problems))
    return list(found)


def suite_text(game: engine.Game, plies: int, seed: int, search: Search) -> str:
    """The openings that were found, as such a file."""
    options = "".join(f", {name} {value}" for name, value in game.options)
    heading = (
        f"# {game.name}, {game.board.name}, {game.rule_set}{options}; {plies} plies, seed {seed}\n"
        f"# the first player's chance is at most {search.within:g} away from one half\n"
    )
    lines = (f"{' '.join(each.turns)}  # {each.chance:.3f}\n" for each in search.found)
    return heading + "".join(lines)


# ---- inside ------------------------------------------------------------------------------------


def _of_text(path: Path, game: engine.Game, complain: Callable[[str], None]) -> Iterator[Numbered]:
    del game, complain
    for number, line in enumerate(_text(path).splitlines(), start=1):
        turns = tuple(line.partition("#")[0].split())
        if turns:
            yield Numbered(number, turns)


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
        if len(data) > MOST_BYTES:
            raise ConfigurationError(f"{path}: longer than {MOST_BYTES >> 20} MB")
        return data.decode("utf-8-sig")  # some editors begin a file with a mark
    except FileNotFoundError as error:
        raise ConfigurationError(f"{path}: no such file") from error
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"{path}: not UTF-8 text: {error.reason}") from error
    except OSError as error:
        raise HostError(f"{path}: cannot be read: {error.strerror}") from error


def _of_records(
    path: Path, game: engine.Game, complain: Callable[[str], None]
) -> Iterator[Numbered]:
    for number, record in enumerate(read_records(path), start=1):
        if isinstance(record, DamagedLine):
            complain(f"{path}:{record.number}: {record.reason}")
            continue
        if (record.game, record.board) != (game.name, game.board.name):
            what = f"{record.game} on {record.board}, not {game.name} on {game.board.name}"
            complain(f"{path}:{number}: a game of {what}")
            continue
        marked = tuple(each.turn for each in record.turns if each.source == "opening")
        yield Numbered(number, marked or tuple(each.turn for each in record.turns))


def _the_first(problems: Sequence[str]) -> list[str]:
    more = len(problems) - MOST_PROBLEMS
    return [*problems[:MOST_PROBLEMS], *([f"and {more} more"] if more > 0 else [])]
