"""What pairings came to, in match points, and who sat where: what formats go by."""

from collections import Counter
from typing import Annotated

from pydantic import Field

from bot.tournaments.model import Name, Pairing
from bot.tournaments.state import PlayedGame, Tournament

Forbidden = frozenset[Annotated[frozenset[Name], Field(min_length=2, max_length=2)]]
"""Pairs of names that never meet."""


def match_points(tournament: Tournament, pairing: Pairing) -> tuple[float, float]:
    """1 to who has more points in its games, 0.5 to both if they have the same, as in a stopped
    pairing of which nothing was played; nothing to either if neither came.
    """
    if tournament.nobody_came(pairing):
        return 0.0, 0.0
    one, two = tournament.score(pairing)
    share = 0.5 if one == two else float(one > two)
    return share, 1.0 - share


def was_played(tournament: Tournament, pairing: Pairing) -> bool:
    """Whether the two met: a pairing of no-shows and of games never played is an unplayed one."""
    return any(_was_played(game) for game in _games(tournament, pairing))


def seat_balance(tournament: Tournament) -> Counter[str]:
    """How many more pairings each player began in the first seat than in the second."""
    balance: Counter[str] = Counter()
    for pairing in tournament.pairings.values():
        if not tournament.is_complete(pairing) or was_played(tournament, pairing):
            first, second = pairing.players
            balance[first] += 1
            balance[second] -= 1
    return balance


def _games(tournament: Tournament, pairing: Pairing) -> list[PlayedGame]:
    numbers = (game.number for game in pairing.games)
    return [tournament.played[number] for number in numbers if number in tournament.played]


def _was_played(game: PlayedGame) -> bool:
    return game.result.reason != "no_show" and bool(game.game_id)
