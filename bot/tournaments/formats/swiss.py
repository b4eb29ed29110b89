"""Swiss: players with similar scores meet, by FIDE's Dutch system (C.04.3)."""

import random
from collections.abc import Collection
from typing import Annotated, Final, Literal

from pydantic import Field

from bot import __version__
from bot.tournaments.dutch.card import Card, CardLine, Pair, RoundToPair, Unpairable
from bot.tournaments.dutch.pairing import pair
from bot.tournaments.formats.base import (
    ALL_PLAYED,
    FEWEST,
    TOO_FEW,
    Draw,
    Forbidden,
    ReasonedFormat,
)
from bot.tournaments.model import Bye, Pairing
from bot.tournaments.state import Tournament


def cards(tournament: Tournament) -> tuple[Card, ...]:
    """The card of each entrant, in the initial order, with a line for each complete round.

    A late entrant was absent in the rounds before.
    """
    numbers = {each.name: place for place, each in enumerate(tournament.entrants, start=1)}
    past = tournament.round - (not tournament.is_round_complete())
    rounds: list[dict[str, CardLine]] = [{} for _ in range(past)]
    for bye in tournament.byes:
        if bye.round <= past:
            rounds[bye.round - 1][bye.player] = CardLine(bye.points, is_bye=True)
    for pairing in tournament.pairings.values():
        if pairing.round <= past:
            rounds[pairing.round - 1].update(_lines(tournament, pairing, numbers))
    return tuple(
        Card(
            number,
            tuple(lines.get(name, CardLine()) for lines in rounds),
            name in tournament.withdrawn,
        )
        for name, number in numbers.items()
    )


def _lines(
    tournament: Tournament, pairing: Pairing, numbers: dict[str, int]
) -> dict[str, CardLine]:
    points, played = tournament.match_points(pairing), tournament.was_played(pairing)
    return {
        name: CardLine(share, numbers[other], sat_first=seat == 0, was_played=played)
        for seat, (name, other, share) in enumerate(
            zip(pairing.players, pairing.players[::-1], points, strict=True)
        )
    }


PAIRED_BY: Final = (
    f"FIDE Dutch System (C.04.3), edition of February 2026, by bluestone {__version__}"
)
"""The pairing system, its edition and the program, for the first event of a Swiss."""


class Swiss(ReasonedFormat):
    """A round is paired when the previous one is over.

    With an odd number of players one has a bye of `bye_points`; no player has two. A late entrant
    counts as absent before, and a player who withdrew is not paired again. The tournament ends
    early if a round cannot be paired.
    """

    kind: Literal["swiss"] = "swiss"
    rounds: Annotated[int, Field(ge=1, le=100)]
    bye_points: Annotated[float, Field(ge=0, le=1, multiple_of=0.5)] = 1.0
    forbidden: Forbidden = frozenset()

    def due(self, tournament: Tournament, free: Collection[str]) -> Draw | None:
        """The next round, if the last one is over and the round can be paired."""
        del free
        if not tournament.is_round_complete() or tournament.round >= self.rounds:
            return None
        try:
            pairs = self._pairs(tournament)
        except Unpairable:
            return None
        return self._draw(tournament, pairs)

    def why_over(self, tournament: Tournament) -> str | None:
        """Whether all rounds are played or the next one cannot be paired; None while it runs."""
        if not tournament.is_round_complete():
            return None
        if tournament.round >= self.rounds:
            return ALL_PLAYED
        return self._why_unpairable(tournament)

    def _why_unpairable(self, tournament: Tournament) -> str | None:
        number = tournament.round + 1
        if len(tournament.players) < FEWEST:
            return f"round {number} cannot be paired: {TOO_FEW}"
        try:
            self._pairs(tournament)
        except Unpairable:
            return (
                f"round {number} cannot be paired: "
                f"no pairing of {len(tournament.players)} players keeps to the rules"
            )
        return None

    def _pairs(self, tournament: Tournament) -> list[Pair]:
        if len(tournament.players) < FEWEST:
            raise Unpairable
        return pair(self.round_to_pair(tournament))

    def round_to_pair(self, tournament: Tournament) -> RoundToPair:
        """The input of the pairing of the round after the complete ones."""
        past = tournament.round - (not tournament.is_round_complete())
        return RoundToPair(
            number=past + 1,
            rounds=self.rounds,
            cards=cards(tournament),
            forbidden=self._forbidden_numbers(tournament),
            first_sits_first=_lot(tournament),
        )

    def _draw(self, tournament: Tournament, pairs: list[Pair]) -> Draw:
        names = [each.name for each in tournament.entrants]
        number = tournament.round + 1
        return Draw(
            number,
            tuple((names[one - 1], names[two - 1]) for one, two in pairs if two is not None),
            tuple(
                Bye(round=number, player=names[one - 1], points=self.bye_points)
                for one, two in pairs
                if two is None
            ),
        )

    def _forbidden_numbers(self, tournament: Tournament) -> frozenset[frozenset[int]]:
        numbers = {each.name: place for place, each in enumerate(tournament.entrants, start=1)}
        return frozenset(
            frozenset(numbers[name] for name in pair)
            for pair in self.forbidden
            if pair <= numbers.keys()
        )


def _lot(tournament: Tournament) -> bool:
    """The initial colour, drawn at random from the seed (C.04.3, article 5.1)."""
    return random.Random(f"swiss {tournament.began.seed}").random() < 0.5
