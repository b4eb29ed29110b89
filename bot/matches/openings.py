"""The openings of a tournament: random ones that are fair, or those of a file."""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import engine
from bot.errors import ConfigurationError, HostError
from bot.matches.adjudication import Evaluator, ResultJudge
from bot.matches.local_games import Note
from bot.matches.settings import LocalSettings
from bot.records.jsonl import DamagedLine, read_records
from bot.time_source import TimeSource
from bot.tournaments.openings import Line, Lines, candidates, checked, opening_plies
from bot.tournaments.settings import SetupTable

FAIR_WITHIN: Final = 0.1
"""How far from one half the first player's chance may be in a fair opening."""
PATIENCE: Final = 40
"""After this many candidates in a row without a fair one, the bound is widened by `WIDER_BY`."""
WIDER_BY: Final = 0.05


@dataclass(frozen=True)
class Opening:
    """An opening. `chance` is the first player's chance to win, as the judge evaluated it."""

    turns: Line
    chance: float


@dataclass
class OpeningSearch:
    """The progress of the search for openings. `within` is the bound for fair openings."""

    wanted: int
    within: float
    found: list[Opening] = field(default_factory=list)
    tried: int = 0

    @property
    def is_complete(self) -> bool:
        """Whether all wanted openings are found. A small board may not have that many."""
        return len(self.found) >= self.wanted


async def made_openings(
    game: engine.Game,
    plies: int,
    count: int,
    seed: int,
    judge: Evaluator,
    on_progress: Callable[[OpeningSearch], None] = lambda _: None,
    within: float = FAIR_WITHIN,
) -> OpeningSearch:
    """Make `count` openings of random legal turns, in which the judge sees neither side ahead.

    No two openings lead to the same stones. The same seed gives the same openings if the judge
    gives the same answers. If fair openings are rare, `within` grows by 0.05 at a time, and the
    fairest of those already tried come first. Raises HostError if the judge fails.
    """
    search, spare, in_vain = OpeningSearch(count, within), list[Opening](), 0
    for position in candidates(game, plies, seed):
        if search.is_complete:
            break
        opening = Opening(position.turns, await judge.chance(position))
        search.tried += 1
        if _is_fair(opening, search.within):
            search.found.append(opening)
            in_vain = 0
        else:
            spare.append(opening)
            in_vain += 1
        if in_vain >= PATIENCE:
            in_vain = 0
            _widen(search, spare)
        on_progress(search)
    while not search.is_complete and spare:
        _widen(search, spare)
    on_progress(search)
    return search


def _is_fair(opening: Opening, within: float) -> bool:
    return abs(opening.chance - 0.5) <= within + 1e-9


def _widen(search: OpeningSearch, spare: list[Opening]) -> None:
    """Widen the bound, and take the spare openings that are fair now, the fairest first."""
    search.within = round(search.within + WIDER_BY, 4)
    spare.sort(key=lambda opening: abs(opening.chance - 0.5))
    while spare and not search.is_complete and _is_fair(spare[0], search.within):
        search.found.append(spare.pop(0))


MOST_BYTES: Final = 16 * 1024 * 1024
MOST_PROBLEMS: Final = 20


@dataclass(frozen=True)
class NumberedLine:
    """An opening of a file, with its line number."""

    line: int
    turns: Line


def read_suite(path: Path, game: engine.Game) -> list[Line]:
    """The openings of a file.

    A text file has one opening per line: turns separated by blanks, comments after `#`. A file of
    game records (JSON Lines) gives the turns that are marked as an opening, or else all turns.
    Raises ConfigurationError with each error as FILE:LINE, and HostError if it cannot be read.
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
        problems.append(f"{path}: has no openings")
    if problems:
        raise ConfigurationError(_the_first(problems))
    return list(found)


def suite_text(game: engine.Game, plies: int, seed: int, search: OpeningSearch) -> str:
    """The text of a file with the openings that were found."""
    options = "".join(f", {name} {value}" for name, value in game.options)
    heading = (
        f"# {game.name}, {game.board.name}, {game.rule_set}{options}; {plies} plies, seed {seed}\n"
        f"# the first player's chance is at most {search.within:g} away from one half\n"
    )
    lines = (f"{' '.join(each.turns)}  # {each.chance:.3f}\n" for each in search.found)
    return heading + "".join(lines)


# ---- inside ------------------------------------------------------------------------------------


def _of_text(
    path: Path, game: engine.Game, complain: Callable[[str], None]
) -> Iterator[NumberedLine]:
    del game, complain
    for number, line in enumerate(_text(path).splitlines(), start=1):
        turns = tuple(line.partition("#")[0].split())
        if turns:
            yield NumberedLine(number, turns)


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
        if len(data) > MOST_BYTES:
            raise ConfigurationError(f"{path}: longer than {MOST_BYTES >> 20} MB")
        return data.decode("utf-8-sig")  # some editors begin a file with a byte order mark
    except FileNotFoundError as error:
        raise ConfigurationError(f"{path}: no such file") from error
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"{path}: not UTF-8 text: {error.reason}") from error
    except OSError as error:
        raise HostError(f"{path}: cannot be read: {error.strerror}") from error


def _of_records(
    path: Path, game: engine.Game, complain: Callable[[str], None]
) -> Iterator[NumberedLine]:
    for number, record in enumerate(read_records(path), start=1):
        if isinstance(record, DamagedLine):
            complain(f"{path}:{record.number}: {record.reason}")
            continue
        if (record.game, record.board) != (game.name, game.board.name):
            what = f"{record.game} on {record.board}, not {game.name} on {game.board.name}"
            complain(f"{path}:{number}: a game of {what}")
            continue
        marked = tuple(each.turn for each in record.turns if each.source == "opening")
        yield NumberedLine(number, marked or tuple(each.turn for each in record.turns))


def _the_first(problems: Sequence[str]) -> list[str]:
    more = len(problems) - MOST_PROBLEMS
    return [*problems[:MOST_PROBLEMS], *([f"and {more} more"] if more > 0 else [])]


MOST_MADE: Final = 500
"""The most openings that are made. They are made before the first game, which takes up to a minute:
a search during games would take processor time from engines whose clocks run. Further pairs of the
same players use the first openings again.
"""
TOLD_EVERY: Final = 50


async def opening_lines(settings: LocalSettings, time: TimeSource, note: Note) -> Lines:
    """The openings of each setup; empty if its games begin at the start. `note` reports progress.

    Raises ConfigurationError for a wrong file, and HostError if openings cannot be made.
    """
    judge = ResultJudge(time)
    try:
        return await judged_lines(settings, judge, note)
    finally:
        await judge.close()


async def judged_lines(settings: LocalSettings, judge: Evaluator, note: Note) -> Lines:
    """The openings of each setup, as `opening_lines`, with the given judge."""
    return [await _of_setup(settings, setup, judge, note) for setup in settings.setups]


async def _of_setup(
    settings: LocalSettings, setup: SetupTable, judge: Evaluator, note: Note
) -> list[list[str]]:
    source, game = setup.openings or settings.openings, setup.chosen()
    if source is None:
        return []
    plies = opening_plies(source)
    if plies is None:
        return [list(line) for line in _in_order(read_suite(Path(source), game), settings)]
    wanted, seed, tell = _wanted(settings), settings.seed, _telling(note)
    search = await made_openings(game, plies, wanted, seed, judge, tell)
    if not search.found:
        raise ConfigurationError(f"{source}: {game.name} on {game.board.name} has no such openings")
    return [list(opening.turns) for opening in search.found]


def _in_order(lines: list[Line], settings: LocalSettings) -> list[Line]:
    """The openings of a file in the order of the settings, beginning with the chosen one."""
    if settings.openings_order == "random":
        random.Random(f"{settings.seed}/openings").shuffle(lines)
    first = (settings.openings_start - 1) % len(lines)
    return lines[first:] + lines[:first]


def _telling(note: Note) -> Callable[[OpeningSearch], None]:
    """A progress function that reports every fiftieth opening."""
    told = 0

    def tell(search: OpeningSearch) -> None:
        nonlocal told
        if len(search.found) >= told + TOLD_EVERY:
            told = len(search.found)
            note(f"{told} of {search.wanted} openings made")

    return tell


def _wanted(settings: LocalSettings) -> int:
    """The number of openings that two players can use, at most `MOST_MADE`."""
    options = settings.format.options
    meetings = int(options.get("most", options.get("cycles", 1)))
    return min(MOST_MADE, meetings * ((settings.games_per_pairing + 1) // 2))
