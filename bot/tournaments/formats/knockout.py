"""Knockout, single and double: a player who loses one match, or two, is out."""

from abc import abstractmethod
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Annotated, ClassVar, Final, Literal

from pydantic import Field

from bot.tournaments.formats.base import TOO_FEW, Draw, ReasonedFormat, seat_balance
from bot.tournaments.formats.brackets import (
    BracketResult,
    Match,
    Rounds,
    Slot,
    double,
    seeded,
    single,
)
from bot.tournaments.model import Bye, Pairing
from bot.tournaments.state import Tournament

TIE_BREAKS: Final = 2


@dataclass(frozen=True)
class _BracketState:
    """The state of a bracket: the undecided matches of the current round, or the winner."""

    round: int
    undecided: tuple[tuple[str, str], ...] = ()
    advancing: tuple[str, ...] = ()
    """The players who advance from this round without an opponent, or have won already."""
    winner: Slot = None
    decided: tuple[tuple[BracketResult, ...], ...] = ()
    """The results of all rounds before."""


class _Bracketed(ReasonedFormat):
    """The common part of both knockouts.

    A round is paired when the previous one is over. A tied pairing is paired again, up to
    `tie_breaks` times; after that the higher seed advances.
    """

    lives: ClassVar[int] = 1
    """The number of defeats after which a player is out."""
    tie_breaks: Annotated[int, Field(ge=0, le=20)] = TIE_BREAKS

    @abstractmethod
    def _rounds(self, tournament: Tournament) -> Rounds: ...

    def due(self, tournament: Tournament, free: Collection[str]) -> Draw | None:
        """The matches of the next round, or further pairings of tied matches."""
        del free
        if not tournament.is_round_complete():
            return None
        state = self._state(tournament)
        if not state.undecided:
            return None
        is_new = not tournament.pairings_of_round(state.round)
        return Draw(
            state.round,
            tuple(self._seated(tournament, state.round, pair) for pair in state.undecided),
            _byes(state) if is_new else (),
        )

    def why_over(self, tournament: Tournament) -> str | None:
        """The winner as a sentence, or that too few players are left; None while it runs."""
        if not tournament.is_round_complete():
            return None
        state = self._state(tournament)
        if state.undecided:
            return None
        return TOO_FEW if state.winner is None else f"{state.winner} has won"

    def winner(self, tournament: Tournament) -> str | None:
        """The winner of the tournament; None while there is none."""
        return self._state(tournament).winner

    def eliminated(self, tournament: Tournament) -> set[str]:
        """The players who are out."""
        state = self._state(tournament)
        defeats = Counter(each.loser for results in state.decided for each in results)
        return {name for name, lost in defeats.items() if name is not None and lost >= self.lives}

    def places(self, tournament: Tournament) -> list[list[str]]:
        """Groups of players who came equally far, best first.

        Players who are still in come first, fewest defeats first. The others follow by the round of
        their last defeat, the latest first.
        """
        return self._places(self._state(tournament), tournament)

    def _places(self, state: _BracketState, tournament: Tournament) -> list[list[str]]:
        defeats: defaultdict[Slot, list[int]] = defaultdict(list)
        for number, results in enumerate(state.decided):
            for each in results:
                defeats[each.loser].append(number)
        groups: defaultdict[tuple[bool, int], list[str]] = defaultdict(list)
        for entrant in tournament.began.entrants:
            lost, has_won = defeats[entrant.name], state.winner == entrant.name
            is_in = has_won or (state.winner is None and len(lost) < self.lives)
            groups[is_in, -len(lost) if is_in else lost[-1]].append(entrant.name)
        return [groups[far] for far in sorted(groups, reverse=True)]

    def _state(self, tournament: Tournament) -> _BracketState:
        rounds, decided = self._rounds(tournament), list[tuple[BracketResult, ...]]()
        try:
            matches = next(rounds)
            while True:
                number = len(decided) + 1
                results = [self._result(tournament, number, match) for match in matches]
                if None in results:
                    return _undecided(tuple(decided), matches, results)
                decided.append(tuple(each for each in results if each is not None))
                matches = rounds.send(list(decided[-1]))
        except StopIteration as end:
            return _BracketState(len(decided), winner=end.value, decided=tuple(decided))

    def _result(self, tournament: Tournament, number: int, match: Match) -> BracketResult | None:
        one, two = match
        if one is None or two is None:
            return BracketResult(one if two is None else two, None)
        pairings = _pairings(tournament, number, one, two)
        for pairing in pairings:
            if not tournament.is_complete(pairing):
                return None
            if (winner := _winner(tournament, pairing)) is not None:
                return BracketResult(winner, two if winner == one else one)
        if len(pairings) > self.tie_breaks:
            return _result_of(one, two, _lower_seed(tournament, one, two))
        if (gone := _first_to_withdraw(tournament, one, two)) is not None:
            return _result_of(one, two, gone)
        return None

    def _seated(
        self, tournament: Tournament, number: int, pair: tuple[str, str]
    ) -> tuple[str, str]:
        """The two players by seat. In a tie-break they swap the seats of the pairing before.

        Otherwise the player who had the first seat less often gets it. If both had it equally
        often, the higher seed gets it in odd rounds and the lower seed in even rounds.
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
    """Single knockout; with `third_place` the losers of the semifinals play for third place."""

    kind: Literal["knockout"] = "knockout"
    third_place: bool = False

    def _rounds(self, tournament: Tournament) -> Rounds:
        return single(_bracket(tournament), third=self.third_place)

    def _places(self, state: _BracketState, tournament: Tournament) -> list[list[str]]:
        groups = super()._places(state, tournament)
        last = state.decided[-1] if state.decided else ()
        if not self.third_place or state.winner is None or len(last) < 2:
            return groups
        ordered = [name for result in last for name in result if name is not None]
        others = [[name for name in group if name not in ordered] for group in groups]
        return [*([name] for name in ordered), *filter(None, others)]


class DoubleKnockout(_Bracketed):
    """Double knockout: a player who loses continues in the losers' bracket.

    With `reset` the grand final is played again if the player from the winners' bracket loses it.
    """

    lives: ClassVar[int] = 2
    kind: Literal["double-knockout"] = "double-knockout"
    reset: bool = True

    def _rounds(self, tournament: Tournament) -> Rounds:
        return double(_bracket(tournament), reset=self.reset)


def _bracket(tournament: Tournament) -> list[Slot]:
    return seeded([each.name for each in tournament.began.entrants])


def _undecided(
    decided: tuple[tuple[BracketResult, ...], ...],
    matches: list[Match],
    results: list[BracketResult | None],
) -> _BracketState:
    both = list(zip(matches, results, strict=True))
    return _BracketState(
        len(decided) + 1,
        decided=decided,
        undecided=tuple(
            (one, two)
            for (one, two), result in both
            if result is None and one is not None and two is not None
        ),
        advancing=tuple(_unopposed(both)),
    )


def _unopposed(both: list[tuple[Match, BracketResult | None]]) -> Iterator[str]:
    for _, result in both:
        if result is not None and result.winner is not None:
            yield result.winner


def _byes(state: _BracketState) -> tuple[Bye, ...]:
    return tuple(Bye(round=state.round, player=name) for name in state.advancing)


def _pairings(tournament: Tournament, number: int, one: str, two: str) -> list[Pairing]:
    both = {one, two}
    return [each for each in tournament.pairings_of_round(number) if set(each.players) == both]


def _winner(tournament: Tournament, pairing: Pairing) -> str | None:
    one, two = tournament.score(pairing)
    if one == two:
        return None
    return pairing.players[0 if one > two else 1]


def _result_of(one: str, two: str, loser: str) -> BracketResult:
    return BracketResult(two if loser == one else one, loser)


def _lower_seed(tournament: Tournament, one: str, two: str) -> str:
    names = [each.name for each in tournament.began.entrants]
    return max(one, two, key=names.index)


def _first_to_withdraw(tournament: Tournament, one: str, two: str) -> str | None:
    """The player of the two who withdrew first. A later withdrawal does not change who advanced."""
    return next((name for name in tournament.withdrawn if name in (one, two)), None)
