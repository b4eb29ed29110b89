"""The openings of a tournament, as its settings ask for them: of a suite, or made by its seed."""

from pathlib import Path
from typing import Final

from bot.errors import ConfigurationError
from bot.matches.event import Lines
from bot.matches.judge import Judge
from bot.matches.opening_suite import opening_plies, read_suite
from bot.matches.openings import made_openings
from bot.matches.settings import LocalSettings
from bot.time_source import TimeSource
from bot.tournaments.settings import SetupTable

MOST_MADE: Final = 100
"""Further pairs of the same players begin again with the first: a search takes time for each."""


async def opening_lines(settings: LocalSettings, time: TimeSource) -> Lines:
    """Of each setup; empty where games begin at the start.

    Raises ConfigurationError for a suite that is wrong, HostError if openings cannot be made.
    """
    judge = Judge(time)
    try:
        return [await _of_setup(settings, setup, judge) for setup in settings.setups]
    finally:
        await judge.close()


async def _of_setup(settings: LocalSettings, setup: SetupTable, judge: Judge) -> list[list[str]]:
    source, game = setup.openings or settings.openings, setup.chosen()
    if source is None:
        return []
    plies = opening_plies(source)
    if plies is None:
        return [list(line) for line in read_suite(Path(source), game)]
    search = await made_openings(game, plies, _wanted(settings), settings.seed, judge)
    if not search.found:
        raise ConfigurationError(f"{source}: {game.name} on {game.board.name} has none that long")
    return [list(opening.turns) for opening in search.found]


def _wanted(settings: LocalSettings) -> int:
    """As many as the same two players can need, and no more than are worth the time."""
    options = settings.format.options
    meetings = int(options.get("most", options.get("cycles", 1)))
    return min(MOST_MADE, meetings * ((settings.games_per_pairing + 1) // 2))
