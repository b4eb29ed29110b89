"""Knockout, single and double: who loses a match, or two, is out."""

from abc import abstractmethod
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Annotated, ClassVar, Final, Literal

from pydantic import Field

from bot.tournaments.formats.base import TOO_FEW, Draw, ReasonedFormat
from bot.tournaments.formats.brackets import Match, Outcome, Place, Rounds, double, seeded, single
from bot.tournaments.formats.outcomes import seat_balance
from bot.tournaments.model import Bye, Pairing
from bot.tournaments.state import Tournament

TIE_BREAKS: Final = 2


@dataclass(frozen=True)
class _Standing:
    """Where a bracket stands: the matches of the round that is not decided yet, or its winner."""

    round: int
    undecided: tuple[tuple[str, str], ...] = ()
    going_on: tuple[str, ...] = ()
    """Who goes on from this round without an opponent."""
    winner: Place = None
    decided: tuple[tuple[Outcome, ...], ...] = ()
    """How the matches of all rounds before ended."""


class _Bracketed(ReasonedFormat):
    """What both knockouts have in common. A round is paired when the one before is over; then what
    is tied in it is paired again, up to `tie_breaks` times; then the higher seed goes on.
    """

    lives: ClassVar[int] = 1
    """With so many defeats somebody is out."""
    tie_breaks: Annotated[int, Field(ge=0, le=20)] = TIE_BREAKS

    @abstractmethod
    def _rounds(self, tournament: Tournament) -> Rounds: ...

    def due(self, tournament: Tournament, free: Collection[str]) -> Draw | None:
        """The matches of the next round, or further pairings of those that are tied."""
        del free
        if not tournament.is_round_complete():
            return None
        standing = self._standing(tournament)
        if not standing.undecided:
            return None
        is_new = not tournament.pairings_of_round(standing.round)
        return Draw(
            standing.round,
            tuple(self._seated(tournament, standing.round, pair) for pair in standing.undecided),
            _byes(standing) if is_new else (),
        )

    def why_over(self, tournament: Tournament) -> str | None:
        """Somebody has won it, or nobody is left to do so."""
        if not tournament.is_round_complete():
            return None
        standing = self._standing(tournament)
        if standing.undecided:
            return None
        return TOO_FEW if standing.winner is None else f"{standing.winner} has won"

    def winner(self, tournament: Tournament) -> str | None:
        """Who has won it all, if somebody has."""
        return self._standing(tournament).winner

    def eliminated(self, tournament: Tournament) -> set[str]:
        """Who has lost too often to go on."""
        standing = self._standing(tournament)
        defeats = Counter(each.loser for outcomes in standing.decided for each in outcomes)
        return {name for name, lost in defeats.items() if name is not None and lost >= self.lives}

    def places(self, tournament: Tournament) -> list[list[str]]:
        """Groups of players who came equally far, the best first: those who are in it, the fewer
        defeats the better, then those who are out by the rounds of their last defeats.
        """
        return self._places(self._standing(tournament), tournament)

    def _places(self, standing: _Standing, tournament: Tournament) -> list[list[str]]:
        defeats: defaultdict[Place, list[int]] = defaultdict(list)
        for number, outcomes in enumerate(standing.decided):
            for each in outcomes:
                defeats[each.loser].append(number)
        groups: defaultdict[tuple[bool, int], list[str]] = defaultdict(list)
        for entrant in tournament.began.entrants:
            lost = defeats[entrant.name]
            if standing.winner is None:
                is_in = len(lost) < self.lives
            else:
                is_in = standing.winner == entrant.name
            groups[is_in, -len(lost) if is_in else lost[-1]].append(entrant.name)
        return [groups[far] for far in sorted(groups, reverse=True)]

    def _standing(self, tournament: Tournament) -> _Standing:
        rounds, decided = self._rounds(tournament), list[tuple[Outcome, ...]]()
        try:
            matches = next(rounds)
            while True:
                number = len(decided) + 1
                outcomes = [self._outcome(tournament, number, match) for match in matches]
                if None in outcomes:
                    return _undecided(tuple(decided), matches, outcomes)
                decided.append(tuple(each for each in outcomes if each is not None))
                matches = rounds.send(list(decided[-1]))
        except StopIteration as end:
            return _Standing(len(decided), winner=end.value, decided=tuple(decided))

    def _outcome(self, tournament: Tournament, number: int, match: Match) -> Outcome | None:
        one, two = match
        if one is None or two is None:
            return Outcome(one if two is None else two, None)
        pairings = _pairings(tournament, number, one, two)
        for pairing in pairings:
            if not tournament.is_complete(pairing):
                return None
            if (winner := _winner(tournament, pairing)) is not None:
                return Outcome(winner, two if winner == one else one)
        if len(pairings) > self.tie_breaks:
            return _outcome_of(one, two, _lower_seed(tournament, one, two))
        if (gone := _first_to_withdraw(tournament, one, two)) is not None:
            return _outcome_of(one, two, gone)
        return None

    def _seated(
        self, tournament: Tournament, number: int, pair: tuple[str, str]
    ) -> tuple[str, str]:
        """In a tie-break the seats change; else who sat first less often sits first, and of two
        alike the higher seed in odd rounds.
        """
        if before := _pairings(tournament, number, *pair):
            first, second = before[-1].players
            return second, first
        balance = seat_balance(tournament)
        lower = _lower_seed(tournament, *pair)
        first, second = sorted(
            pair, key=lambda name: (balance[name], (name == lower) == number % 2)
        )
        return first, second


class Knockout(_Bracketed):
    """The first meets the last, with byes for the strongest up to a power of two."""

    kind: Literal["knockout"] = "knockout"
    third_place: bool = False

    def _rounds(self, tournament: Tournament) -> Rounds:
        return single(_bracket(tournament), third=self.third_place)

    def _places(self, standing: _Standing, tournament: Tournament) -> list[list[str]]:
        groups = super()._places(standing, tournament)
        last = standing.decided[-1] if standing.decided else ()
        if not self.third_place or standing.winner is None or len(last) < 2:
            return groups
        ordered = [name for outcome in last for name in outcome if name is not None]
        others = [[name for name in group if name not in ordered] for group in groups]
        return [*([name] for name in ordered), *filter(None, others)]


class DoubleKnockout(_Bracketed):
    """Who loses goes on in the losers' bracket, and is out with a second loss.

    With `reset` the grand final is played again if it is the first loss of the one from the
    winners' bracket.
    """

    lives: ClassVar[int] = 2
    kind: Literal["double-knockout"] = "double-knockout"
    reset: bool = True

    def _rounds(self, tournament: Tournament) -> Rounds:
        return double(_bracket(tournament), reset=self.reset)


def _bracket(tournament: Tournament) -> list[Place]:
    return seeded([each.name for each in tournament.began.entrants])


def _undecided(
    decided: tuple[tuple[Outcome, ...], ...],
    matches: list[Match],
    outcomes: list[Outcome | None],
) -> _Standing:
    both = list(zip(matches, outcomes, strict=True))
    return _Standing(
        len(decided) + 1,
        decided=decided,
        undecided=tuple(
            (one, two)
            for (one, two), outcome in both
            if outcome is None and one is not None and two is not None
        ),
        going_on=tuple(_unopposed(both)),
    )


def _unopposed(both: list[tuple[Match, Outcome | None]]) -> Iterator[str]:
    for _, outcome in both:
        if outcome is not None and outcome.winner is not None:
            yield outcome.winner


def _byes(standing: _Standing) -> tuple[Bye, ...]:
    return tuple(Bye(round=standing.round, player=name) for name in standing.going_on)


def _pairings(tournament: Tournament, number: int, one: str, two: str) -> list[Pairing]:
    both = {one, two}
    return [each for each in tournament.pairings_of_round(number) if set(each.players) == both]


def _winner(tournament: Tournament, pairing: Pairing) -> str | None:
    one, two = tournament.score(pairing)
    if one == two:
        return None
    return pairing.players[0 if one > two else 1]


def _outcome_of(one: str, two: str, loser: str) -> Outcome:
    return Outcome(two if loser == one else one, loser)


def _lower_seed(tournament: Tournament, one: str, two: str) -> str:
    names = [each.name for each in tournament.began.entrants]
    return max(one, two, key=names.index)


def _first_to_withdraw(tournament: Tournament, one: str, two: str) -> str | None:
    """The one who did so first: nobody's later withdrawal changes who went on then."""
    return next((name for name in tournament.withdrawn if name in (one, two)), None)
