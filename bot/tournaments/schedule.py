"""The schedule turns pairings into numbered games with setups, openings and seats."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from bot.tournaments.events import Paired
from bot.tournaments.formats.base import Draw
from bot.tournaments.model import Pairing, ScheduledGame
from bot.tournaments.state import Tournament

Mix = Literal["rotate", "all"]
Openings = Sequence[Sequence[tuple[str, ...]]]
"""The openings of each setup, as turns. Without openings, games begin at the start."""


@dataclass(frozen=True)
class Schedule:
    """The games of a pairing: pairs of two games from one opening, with the seats swapped.

    - With `mix` "all", a pairing plays `games_per_pairing` games on each setup. With "rotate", each
      pair of games uses the next setup, continuing from round to round.
    - The k-th pair of games between the same two players on a setup uses its k-th opening. After
      the last opening the first one follows.
    - If the number of games is odd, the last game has no partner.
    """

    games_per_pairing: int = 2
    setups: int = 1
    mix: Mix = "rotate"
    openings: Openings = ()

    def paired(self, tournament: Tournament, draw: Draw) -> Paired:
        """The games of a draw. The numbers continue those of the tournament."""
        pairing, pair, game = tournament.next_numbers
        pairings = []
        for number, players in enumerate(draw.pairs, start=pairing):
            games = tuple(self._games(tournament, draw.round, players, pair, game))
            pairings.append(Pairing(number=number, round=draw.round, players=players, games=games))
            pair, game = games[-1].pair + 1, games[-1].number + 1
        return Paired(pairings=tuple(pairings), byes=draw.byes)

    def _games(
        self,
        tournament: Tournament,
        round_number: int,
        players: tuple[str, str],
        pair: int,
        game: int,
    ) -> Iterator[ScheduledGame]:
        earlier = tournament.pairs_between(*players)
        for place, setup in enumerate(self._setups_in(round_number)):
            opening = self._opening(setup, earlier[setup])
            earlier[setup] += 1
            for seats in (players, players[::-1])[: self._games_in(place)]:
                yield ScheduledGame(
                    number=game, pair=pair, seats=seats, setup=setup, opening=opening
                )
                game += 1
            pair += 1

    @property
    def _pairs(self) -> int:
        """The number of pairs of games; the last may be a single game."""
        return (self.games_per_pairing + 1) // 2

    def _games_in(self, place: int) -> int:
        is_last = place % self._pairs == self._pairs - 1
        return 1 if is_last and self.games_per_pairing % 2 else 2

    def _setups_in(self, round_number: int) -> list[int]:
        """The setup of each pair of games in a pairing of this round."""
        if self.mix == "all":
            return [setup for setup in range(self.setups) for _ in range(self._pairs)]
        first = (round_number - 1) * self._pairs
        return [(first + place) % self.setups for place in range(self._pairs)]

    def _opening(self, setup: int, pairs_before: int) -> tuple[str, ...]:
        openings = self.openings[setup] if setup < len(self.openings) else ()
        return openings[pairs_before % len(openings)] if openings else ()
