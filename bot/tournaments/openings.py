"""Openings, the turns that games begin with: what may be one, and random ones made by a seed."""

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
"""Of each setup its openings, as turns."""
LINES: Final[TypeAdapter[Lines]] = TypeAdapter(Lines)
OPENING_LINES: Final = "opening_lines"
"""Where a tournament keeps them in what it was begun with: a file may change, or be gone."""

MOST_PLIES: Final = 60
MOST_TRIES: Final = 5_000
"""Candidates in a row that are no new openings, after which there are taken to be no more."""


def opening_plies(source: str) -> int | None:
    """How many turns `random:PLIES` asks for; None where the source is a file.

    Raises ConfigurationError for a number that is none.
    """
    if not source.startswith("random:"):
        return None
    digits = source.removeprefix("random:")
    if not re.fullmatch(r"[0-9]{1,3}", digits) or not 1 <= int(digits) <= MOST_PLIES:
        raise ConfigurationError(f"{source!r}: write random:PLIES, with 1 to {MOST_PLIES} plies")
    return int(digits)


def checked(game: engine.Game, turns: Sequence[str]) -> tuple[str | None, Line]:
    """What is wrong with an opening, and its turns in canonical form."""
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
    """So many openings of random legal turns, or fewer where there are not as many.

    Nobody has judged who is ahead in them: they are fair to those who play each from both seats.
    """
    found = candidates(game, plies, seed, most_tries)
    return [position.turns for position in islice(found, count)]


def candidates(
    game: engine.Game, plies: int, seed: int, most_tries: int = MOST_TRIES
) -> Iterator[engine.Position]:
    """Positions after random legal turns that are not over, none with the same stones as one
    before; the same ones for the same seed.
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
        position = position.play(position.random_turn(chance))
    return position
