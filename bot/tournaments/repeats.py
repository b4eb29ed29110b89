"""Repeated games: a game equal to an earlier one, turn by turn, counts once in statistics."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from bot.tournaments.state import PlayedGame


@dataclass(frozen=True)
class Repeat:
    """The number of a game, and the number of the `first` game that it repeats."""

    game: int
    first: int


def repeats(games: Iterable[PlayedGame]) -> list[Repeat]:
    """The games with the same seats, setup, turns and winner as a game with a lower number.

    The numbers decide, and not which game ended first. Games without a turn are not repeats,
    because they were not played.
    """
    seen: dict[object, int] = {}
    found = []
    for game in sorted(games, key=lambda each: each.scheduled.number):
        number = game.scheduled.number
        first = seen.setdefault(repeat_key(game), number) if game.plies else number
        if first != number:
            found.append(Repeat(number, first))
    return found


def fingerprint(
    game: str, board: str, rules: str, options: Mapping[str, object], turns: Sequence[str]
) -> str:
    """A hash that is equal for games with the same turns on the same setup, by any players."""
    parts = (game, board, rules, sorted(options.items()), [*turns])
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]


def repeat_key(game: PlayedGame) -> object:
    """A key that is equal for games that repeat each other."""
    return game.scheduled.seats, game.scheduled.setup, game.fingerprint, game.result.winner
