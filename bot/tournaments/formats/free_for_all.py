"""Free-for-all, as in online arenas: players who are free are paired, without rounds."""

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from itertools import combinations
from typing import Annotated, Final, Literal

from pydantic import Field

from bot.tournaments.formats.base import (
    FEWEST,
    NOBODY_MAY_MEET,
    TOO_FEW,
    Draw,
    Forbidden,
    ReasonedFormat,
    seat_balance,
)
from bot.tournaments.model import Pairing
from bot.tournaments.state import Tournament

NEVER: Final = -1
"""The number of the last common pairing of two players who never met."""


class FreeForAll(ReasonedFormat):
    """Pairs free players; the player who has waited longest comes first.

    - Players avoid their last `memory` opponents if another opponent is free. Two players do not
      meet twice in a row while others are playing. Among the rest, the opponent with the most
      similar share of points is chosen.
    - It ends when the host ends it, or when fewer than two players are left and no game runs, or
      when no two players who may meet have fewer than `each` pairings.
    """

    kind: Literal["free-for-all"] = "free-for-all"
    each: Annotated[int, Field(ge=1)] | None = None
    memory: Annotated[int, Field(ge=0, le=100)] = 3
    forbidden: Forbidden = frozenset()

    def due(self, tournament: Tournament, free: Collection[str]) -> Draw | None:
        """Pairs of free players."""
        playing = tournament.busy()
        ready = set(free) - playing
        if len(ready) < FEWEST:  # as after most events: this saves reading all pairings
            return None
        history = _History(tournament)
        waiting = [name for name in self._unfinished(tournament) if name in ready]
        waiting.sort(key=lambda name: (history.last[name], history.met(name)))
        pairs = self._paired(history, waiting, others_play=bool(playing))
        return Draw(tournament.round + 1, tuple(pairs)) if pairs else None

    def why_over(self, tournament: Tournament) -> str | None:
        """Why no two players can be paired any more; None while games run or a pair is possible."""
        if not tournament.is_round_complete():
            return None
        if len(tournament.players) < FEWEST:
            return TOO_FEW
        for pair in combinations(self._unfinished(tournament), 2):
            if frozenset(pair) not in self.forbidden:
                return None
        if self.each is None:
            return NOBODY_MAY_MEET
        return f"nobody can be paired who had fewer than {self.each} pairings"

    def _unfinished(self, tournament: Tournament) -> list[str]:
        had = Counter(n for each in tournament.pairings.values() for n in each.players)
        return [name for name in tournament.players if self.each is None or had[name] < self.each]

    def _paired(
        self, history: "_History", waiting: Sequence[str], *, others_play: bool
    ) -> list[tuple[str, str]]:
        left, pairs = list(waiting), []
        while left:
            one = left.pop(0)
            fitting = [two for two in left if self._may_meet(history, one, two, others_play)]
            if fitting:
                two = min(fitting, key=lambda name: history.unlikeness(one, name, self.memory))
                left.remove(two)
                pairs.append(history.seated(one, two))
        return pairs

    def _may_meet(self, history: "_History", one: str, two: str, others_play: bool) -> bool:
        in_a_row = history.opponent(one) == two and history.opponent(two) == one
        return frozenset((one, two)) not in self.forbidden and not (in_a_row and others_play)


class _History:
    """The past pairings of the players: opponents, points and seats."""

    def __init__(self, tournament: Tournament) -> None:
        self._opponents: dict[str, list[str]] = {name: [] for name in tournament.players}
        self._points: defaultdict[str, float] = defaultdict(float)
        self._complete: Counter[str] = Counter()
        self._met_last: dict[frozenset[str], int] = {}
        self._seats = seat_balance(tournament)
        self._order = {each.name: place for place, each in enumerate(tournament.entrants)}
        self.last: Counter[str] = Counter()
        """The number of each player's last pairing."""
        for pairing in tournament.pairings.values():
            self._add(tournament, pairing)

    def _add(self, tournament: Tournament, pairing: Pairing) -> None:
        points = tournament.match_points(pairing)
        for name, other, share in zip(pairing.players, pairing.players[::-1], points, strict=True):
            self._opponents.setdefault(name, []).append(other)
            self.last[name] = pairing.number
            if tournament.is_complete(pairing):
                self._points[name] += share
                self._complete[name] += 1
        self._met_last[frozenset(pairing.players)] = pairing.number

    def met(self, name: str) -> int:
        return len(self._opponents[name])

    def opponent(self, name: str) -> str | None:
        """The last opponent."""
        return self._opponents[name][-1] if self._opponents[name] else None

    def unlikeness(self, one: str, two: str, memory: int) -> tuple[bool, float, int, int]:
        """A sort key of possible opponents: the lowest is the best choice."""
        recent = memory > 0 and (
            two in self._opponents[one][-memory:] or one in self._opponents[two][-memory:]
        )
        met_last = self._met_last.get(frozenset((one, two)), NEVER)
        apart = abs(self._share(one) - self._share(two))
        return recent, apart, met_last, self._order[two]

    def seated(self, one: str, two: str) -> tuple[str, str]:
        """The two players by seat: the player who had the first seat less often gets it."""
        first, second = sorted((one, two), key=lambda name: (self._seats[name], self._order[name]))
        return first, second

    def _share(self, name: str) -> float:
        return self._points[name] / self._complete[name] if self._complete[name] else 0.5
