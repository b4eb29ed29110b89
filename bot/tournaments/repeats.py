"""Games that were played before, turn by turn: they tell nothing new, and count once."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from bot.tournaments.state import PlayedGame


@dataclass(frozen=True)
class Repeat:
    """A game and the one before it, both by number, that went the same way."""

    game: int
    first: int


def repeats(games: Iterable[PlayedGame]) -> list[Repeat]:
    """Those between the same seats of the same setup, with the same turns and the same winner.

    By number, so that it does not depend on which game was over first. Games without a turn are no
    repeats: nobody played.
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
    """The same for games of the same turns on the same setup, whoever played them."""
    parts = (game, board, rules, sorted(options.items()), [*turns])
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]


def repeat_key(game: PlayedGame) -> object:
    """The same for games that went the same way."""
    return game.scheduled.seats, game.scheduled.setup, game.fingerprint, game.result.winner
