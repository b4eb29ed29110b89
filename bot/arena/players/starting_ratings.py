"""Where the ratings of some accounts start: those of bots whose strength is known.

They are stored when an account is created and never change. So ratings stay a function of what is
stored: a later version with other measurements gives the same ratings for the same games. The core
stores them, because accounts are also created where no capability is open.
"""

import json
from collections.abc import Mapping

from bot.arena.store import facts
from bot.arena.store.connection import Connection
from bot.tournaments.glicko2 import Rating


def put(connection: Connection, account: str, ratings: Mapping[str, Rating]) -> None:
    """Store where a new account starts, by the names of games."""
    for game, start in ratings.items():
        facts.put(connection, _name(account, game), json.dumps([start.rating, start.deviation]))


def find(connection: Connection, account: str, game: str) -> Rating | None:
    """The rating of an account before its first rated game of these rules; None if not known."""
    found = facts.find(connection, _name(account, game))
    if found is None:
        return None
    rating, deviation = json.loads(found)
    return Rating(rating, deviation)


def _name(account: str, game: str) -> str:
    return f"starting_rating {account} {game}"
