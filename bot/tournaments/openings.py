"""Openings, the turns with which games begin: checking them, and random ones from a seed."""

import random
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from pydantic import TypeAdapter

import engine
from bot.errors import ConfigurationError

Line = tuple[str, ...]
Lines = list[list[list[str]]]
"""The openings of each setup; an opening is a list of turns."""
LINES: Final[TypeAdapter[Lines]] = TypeAdapter(Lines)
OPENING_LINES: Final = "opening_lines"
"""The key under which `Began.settings` stores the openings. A file of openings may change or vanish
later, so they are copied."""

MOST_PLIES: Final = 60
MOST_TRIES: Final = 5_000
"""After this many candidates in a row without a new opening the search for openings stops."""


def opening_plies(source: str) -> int | None:
    """The number of plies in `random:PLIES`; None if the source is the name of a file.

    Raises ConfigurationError if PLIES is not a number from 1 to 60.
    """
    if not source.startswith("random:"):
        return None
    digits = source.removeprefix("random:")
    if not re.fullmatch(r"[0-9]{1,3}", digits) or not 1 <= int(digits) <= MOST_PLIES:
        raise ConfigurationError(f"{source!r}: write random:PLIES, with 1 to {MOST_PLIES} plies")
    return int(digits)


def checked(game: engine.Game, turns: Sequence[str]) -> tuple[str | None, Line]:
    """The error in an opening, or None, and the turns in canonical form."""
    try:
        position = game.replay(turns)
    except engine.IllegalTurn as error:
        return f"turn {error.turn_number}: {error} ({error.rule})", tuple(turns)
    if position.over:
        return "the game is over after it", tuple(turns)
    return None, position.turns


def random_lines(
    game: engine.Game, plies: int, count: int, seed: int, most_tries: int = MOST_TRIES
) -> list[Line]:
    """Up to `count` openings of random legal turns; fewer if no more are found.

    No engine has evaluated them. A pair of games is still fair, because both players play each
    opening from both seats.
    """
    found = candidates(game, plies, seed, most_tries)
    return [position.turns for position in islice(found, count)]


def candidates(
    game: engine.Game, plies: int, seed: int, most_tries: int = MOST_TRIES
) -> Iterator[engine.Position]:
    """Positions after `plies` likely turns; no game is over, no two have the same stones.

    The same seed gives the same positions. Stops after `most_tries` failures in a row.
    """
    chance = random.Random(f"{seed}/{plies}")
    seen: set[frozenset[tuple[str, engine.Stone]]] = set()
    in_vain = 0
    while in_vain < most_tries:
        position = _random_position(game, plies, chance)
        key = frozenset(position.stones.items())
        if position.over or key in seen:
            in_vain += 1
            continue
        in_vain = 0
        seen.add(key)
        yield position


def _random_position(game: engine.Game, plies: int, chance: random.Random) -> engine.Position:
    position = game.start()
    while len(position.turns) < plies and not position.over:
        position = position.play(position.likely_turn(chance))
    return position
