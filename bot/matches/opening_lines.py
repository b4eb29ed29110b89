"""The openings of a tournament, as its settings ask for them: of a suite, or made by its seed."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

from bot.errors import ConfigurationError
from bot.matches.adjudication import Judge, Opinion
from bot.matches.opening_suite import read_suite
from bot.matches.openings import Search, made_openings
from bot.matches.settings import LocalSettings
from bot.matches.venues import Note
from bot.time_source import TimeSource
from bot.tournaments.openings import Lines, opening_plies
from bot.tournaments.settings import SetupTable

MOST_MADE: Final = 500
"""Further pairs of the same players begin again with the first. All are made before the first game,
which takes about half a minute: a search beside games would take time from engines with clocks.
"""
TOLD_EVERY: Final = 50


async def opening_lines(settings: LocalSettings, time: TimeSource, note: Note) -> Lines:
    """Of each setup; empty where games begin at the start. `note` is told how far it is.

    Raises ConfigurationError for a suite that is wrong, HostError if openings cannot be made.
    """
    judge = Judge(time)
    try:
        return await judged_lines(settings, judge, note)
    finally:
        await judge.close()


async def judged_lines(settings: LocalSettings, judge: Opinion, note: Note) -> Lines:
    """As `opening_lines`, by that judge."""
    return [await _of_setup(settings, setup, judge, note) for setup in settings.setups]


async def _of_setup(
    settings: LocalSettings, setup: SetupTable, judge: Opinion, note: Note
) -> list[list[str]]:
    source, game = setup.openings or settings.openings, setup.chosen()
    if source is None:
        return []
    plies = opening_plies(source)
    if plies is None:
        return [list(line) for line in read_suite(Path(source), game)]
    wanted, seed, tell = _wanted(settings), settings.seed, _telling(note)
    search = await made_openings(game, plies, wanted, seed, judge, tell)
    if not search.found:
        raise ConfigurationError(f"{source}: {game.name} on {game.board.name} has none that long")
    return [list(opening.turns) for opening in search.found]


def _telling(note: Note) -> Callable[[Search], None]:
    """Tells of every fiftieth opening."""
    told = 0

    def tell(search: Search) -> None:
        nonlocal told
        if len(search.found) >= told + TOLD_EVERY:
            told = len(search.found)
            note(f"{told} of {search.wanted} openings are made")

    return tell


def _wanted(settings: LocalSettings) -> int:
    """As many as the same two players can need, and no more than are worth the time."""
    options = settings.format.options
    meetings = int(options.get("most", options.get("cycles", 1)))
    return min(MOST_MADE, meetings * ((settings.games_per_pairing + 1) // 2))
