"""The simplest format there is, for what does not depend on one."""

from collections.abc import Collection

from bot.tournaments.formats.base import Draw
from bot.tournaments.state import Tournament


class Rounds:
    """So many rounds of one pairing, each after the one before."""

    def __init__(self, rounds: int) -> None:
        self._rounds = rounds

    def due(self, tournament: Tournament, free: Collection[str]) -> Draw | None:
        del free
        if tournament.round == self._rounds or not tournament.is_round_complete():
            return None
        return Draw(tournament.round + 1, (("A", "B"),))

    def is_over(self, tournament: Tournament) -> bool:
        return tournament.round == self._rounds and tournament.is_round_complete()
