"""The input of a pairing: the rounds of each player, as FIDE's report files state them."""

from dataclasses import dataclass

Pair = tuple[int, int | None]
"""Two numbers, first seat (white) first, or one number and None for the bye."""


class Unpairable(Exception):
    """No complete pairing of the round satisfies the absolute criteria (FIDE C.04.3, C1 to C4)."""


@dataclass(frozen=True)
class CardLine:
    """One round of one player. `is_bye` marks the pairing-allocated bye.

    A round without an opponent and without `is_bye` was an absence, or a bye on request.
    """

    points: float = 0.0
    opponent: int | None = None
    sat_first: bool = False
    was_played: bool = False
    is_bye: bool = False

    @property
    def was_paired(self) -> bool:
        """Whether the player took part in the pairing of the round."""
        return self.opponent is not None or self.is_bye


@dataclass(frozen=True)
class Card:
    """A player's number in the initial order, from 1, and one line for each past round."""

    number: int
    lines: tuple[CardLine, ...]
    is_absent: bool = False
    """Whether the player is not paired in this round."""
    acceleration: tuple[float, ...] = ()
    """Points added for pairing only, by round from the first; missing rounds add nothing."""

    @property
    def points(self) -> float:
        return sum(line.points for line in self.lines)

    def pairing_score(self, rounds: int) -> float:
        """The points after the first `rounds` rounds, with the acceleration of the next one."""
        extra = self.acceleration[rounds] if rounds < len(self.acceleration) else 0.0
        return sum(line.points for line in self.lines[:rounds]) + extra


@dataclass(frozen=True)
class Points:
    """The points of each result. The points of a bye are on the cards."""

    win: float = 1.0
    draw: float = 0.5
    loss: float = 0.0


@dataclass(frozen=True)
class RoundToPair:
    """Everything that a pairing depends on. `number` is the round to pair, from 1.

    `forbidden` has the pairs of players' numbers that must not meet.
    """

    number: int
    rounds: int
    cards: tuple[Card, ...]
    forbidden: frozenset[frozenset[int]] = frozenset()
    first_sits_first: bool = True
    """The initial colour of C.04.3, article 5: that of the first player in the first round."""
    points: Points = Points()
