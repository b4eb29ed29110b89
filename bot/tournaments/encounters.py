"""The rounds of an event for each player, and how unplayed rounds count in tie-breaks.

The rules are FIDE Handbook C.07, articles 15 and 16, in the edition in force since 1 March 2026.
Earlier editions had virtual opponents. In this one an unplayed round counts as a game against a
dummy with the player's own score, or less (16.4).
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from bot.tournaments.model import Bye, Pairing
from bot.tournaments.state import Tournament

WIN: Final = 1.0
DRAW: Final = 0.5


@dataclass(frozen=True)
class Encounter:
    """One round of one player: a pairing, a bye, or an absence. The last two have no opponent.

    `points` are match points: 1, 0.5 or 0. A pairing is not played if none of its games began.
    """

    round: int
    opponent: str | None
    points: float
    is_played: bool

    @property
    def is_requested_bye(self) -> bool:
        """16.1.1: a bye of half a point or none. Each round after a withdrawal is one too."""
        return self.opponent is None and self.points <= DRAW

    @property
    def is_voluntary(self) -> bool:
        """16.1.2: a requested bye, or a pairing that the player lost by absence."""
        is_lost = not self.is_played and self.opponent is not None and self.points < DRAW
        return self.is_requested_bye or is_lost


@dataclass(frozen=True)
class Contribution:
    """What one round adds to Buchholz: the score of the opponent, or of a dummy.

    `points` are those that the player took in that round.
    """

    score: float
    points: float
    is_voluntary: bool


@dataclass(frozen=True)
class Record:
    """The rounds of all players, and the scores that tie-breaks take from them.

    In a Swiss (`is_swiss`) unplayed rounds are adjusted (article 16). In a round-robin they count
    like games (15.2).
    """

    rounds: int
    of: dict[str, list[Encounter]] = field(repr=False)
    is_swiss: bool = True

    def points(self, player: str) -> float:
        return self._points[player]

    @cached_property
    def _points(self) -> dict[str, float]:
        return {name: sum(each.points for each in found) for name, found in self.of.items()}

    def wins(self, player: str) -> int:
        """7.1: the number of rounds with the points of a win, played or not."""
        return sum(each.points == WIN for each in self.of[player])

    def met(self, player: str, opponent: str) -> list[float]:
        """The player's points in each pairing with this opponent that counts as played (6.1.1)."""
        return self._met[player].get(opponent, [])

    @cached_property
    def _met(self) -> dict[str, dict[str, list[float]]]:
        found: dict[str, dict[str, list[float]]] = {name: {} for name in self.of}
        for name, encounters in self.of.items():
            for each in encounters:
                if each.opponent is not None and (each.is_played or not self.is_swiss):
                    found[name].setdefault(each.opponent, []).append(each.points)
        return found

    def contributions(self, player: str) -> Sequence[Contribution]:
        return self._contributions[player]

    @cached_property
    def _contributions(self) -> dict[str, tuple[Contribution, ...]]:
        return {name: tuple(self._contributed(name)) for name in self.of}

    def _contributed(self, player: str) -> Iterator[Contribution]:
        for each in self.of[player]:
            if self.is_swiss or each.opponent is not None:
                score = self._opponents_score(player, each)
                yield Contribution(score, each.points, self.is_swiss and each.is_voluntary)

    def _opponents_score(self, player: str, encounter: Encounter) -> float:
        """The score of the opponent; in an unplayed round that of a dummy (16.4).

        The dummy has the player's own score, but at most the score of the opponent who was paired
        (16.4.1), or half a point per round for a bye (16.4.2).
        """
        if encounter.opponent is None:
            return min(self.points(player), DRAW * self.rounds)
        score = self.adjusted(encounter.opponent)
        if encounter.is_played or not self.is_swiss:
            return score
        return min(self.points(player), score)

    def adjusted(self, player: str) -> float:
        """16.3: the score that opponents count for this player.

        A requested bye counts as a draw if only voluntary unplayed rounds follow it.
        """
        return self._adjusted[player]

    @cached_property
    def _adjusted(self) -> dict[str, float]:
        return {name: self._as_opponents_see(name) for name in self.of}

    def _as_opponents_see(self, player: str) -> float:
        total, is_at_end = 0.0, self.is_swiss
        for each in reversed(self.of[player]):
            total += DRAW if is_at_end and each.is_requested_bye else each.points
            is_at_end = is_at_end and each.is_voluntary
        return total


def record_of(tournament: Tournament, *, is_swiss: bool) -> Record:
    """The rounds of all complete or stopped pairings, and all byes.

    In a Swiss, a player without a pairing and without a bye in a round gets a bye of 0 points.
    """
    found: defaultdict[str, list[Encounter]] = defaultdict(list)
    busy: set[tuple[int, str]] = set()
    for pairing in tournament.pairings.values():
        busy |= {(pairing.round, name) for name in pairing.players}
        if tournament.is_complete(pairing):
            for name, encounter in _both(tournament, pairing):
                found[name].append(encounter)
    for bye in tournament.byes:
        busy.add((bye.round, bye.player))
        found[bye.player].append(_bye(bye))
    names, rounds = [entrant.name for entrant in tournament.entrants], tournament.round
    for name in names:
        if is_swiss:
            absent = [n for n in range(1, rounds + 1) if (n, name) not in busy]
            found[name] += [Encounter(number, None, 0.0, False) for number in absent]
        found[name].sort(key=lambda each: each.round)
    return Record(rounds, {name: found[name] for name in names}, is_swiss)


def _both(tournament: Tournament, pairing: Pairing) -> list[tuple[str, Encounter]]:
    one, other = pairing.players
    first, second = tournament.match_points(pairing)
    is_played = tournament.was_played(pairing)
    return [
        (one, Encounter(pairing.round, other, first, is_played)),
        (other, Encounter(pairing.round, one, second, is_played)),
    ]


def _bye(bye: Bye) -> Encounter:
    return Encounter(bye.round, None, bye.points, False)
