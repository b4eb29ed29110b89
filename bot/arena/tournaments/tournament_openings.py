"""The openings of a tournament on the arena: listed by its host, or random.

No search rates an opening. Openings are fair because the same two players play each one from both
seats.
"""

from typing import Final

import engine
from bot import wire
from bot.arena.games import referee
from bot.arena.refusals import Refused, sentence
from bot.errors import ConfigurationError
from bot.tournaments.events import Began
from bot.tournaments.openings import (
    LINES,
    OPENING_LINES,
    Line,
    Lines,
    checked,
    opening_plies,
    random_lines,
)
from bot.tournaments.schedule import Openings

MOST_MADE: Final = 100
"""The most random openings; after the last one, games use the first one again."""
TRIES: Final = 300
"""After this many tries in a row without a new opening there are no more."""


def opening_lines(settings: wire.TournamentSettings) -> Lines:
    """The openings of each setup, in canonical form; an empty list if games have no opening.

    This may take seconds. Raises Refused if an opening does not leave a running game on each of the
    setups, or if the number of games per pairing is odd.
    """
    if not settings.openings:
        return []
    if settings.games_per_pairing % 2:
        raise Refused(
            "invalid",
            "openings: two games are played from each one, with the seats changed: "
            f"games_per_pairing must be even, not {settings.games_per_pairing}.",
        )
    games = [referee.game_of(setup) for setup in settings.setups]
    return [[list(line) for line in _lines(settings, game)] for game in games]


def with_openings(settings: wire.TournamentSettings, lines: Lines) -> wire.TournamentSettings:
    """The settings with the listed openings in canonical form."""
    is_listed = isinstance(settings.openings, list) and lines
    return settings.model_copy(update={"openings": lines[0]}) if is_listed else settings


def lines_of(began: Began) -> Openings:
    """Return the openings in the first event of a tournament."""
    lines = LINES.validate_python(began.settings.get(OPENING_LINES, []))
    return [[tuple(line) for line in of_setup] for of_setup in lines]


def _lines(settings: wire.TournamentSettings, game: engine.Game) -> list[Line]:
    if isinstance(settings.openings, str):
        return _made(settings.openings, game, settings.seed)
    return _checked(settings.openings, game)


def _made(source: str, game: engine.Game, seed: int) -> list[Line]:
    try:
        plies = opening_plies(source)
    except ConfigurationError as error:
        raise Refused("invalid", sentence(f"openings: {error}")) from error
    assert plies is not None
    lines = random_lines(game, plies, MOST_MADE, seed, TRIES)
    if not lines:
        raise _refused(source, game, "games are over before that")
    return lines


def _checked(listed: list[list[str]], game: engine.Game) -> list[Line]:
    found: dict[Line, int] = {}
    for place, turns in enumerate(listed):
        problem, line = checked(game, turns)
        if problem is None and line in found:
            problem = f"the same opening as openings.{found[line]}"
        if problem is not None:
            raise _refused(str(place), game, problem)
        found[line] = place
    return list(found)


def _refused(which: str, game: engine.Game, problem: str) -> Refused:
    return Refused(
        "invalid", sentence(f"openings.{which}: {problem}, in {game.name} on {game.board.name}")
    )
