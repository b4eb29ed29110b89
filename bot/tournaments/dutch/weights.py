"""The quality criteria of C.04.3 as weights: the better pairing has the higher sum of weights.

Each criterion has a field of bits in the weight, wide enough for a sum over all pairs, and the more
important criterion has the higher field.
"""

from collections import Counter
from collections.abc import Sequence

from bot.tournaments.dutch.players import DOWN, NEITHER, UP, Colours, Kind, PairedPlayer

# The problem: C.04.3 describes the pairing of a bracket as a search. It lists candidates in a fixed
# order and takes the first one that no other candidate beats in the quality criteria, compared one
# after the other. The number of candidates grows like a factorial, so a program cannot list them.
#
# The idea: comparing sums criterion by criterion is comparing numbers digit by digit. Each
# criterion becomes a field of bits in the weight of a pair. A field is wide enough for the sum over
# all pairs, so no carry reaches the more important field above it. The best pairing is then a
# matching of maximum weight, which `matching.py` finds in polynomial time. Criteria about scores
# ("the scores of the players who float, highest first") need a part of the field for each score:
# `_units` says where it begins.
#
# Three facts complete the picture:
# - `pairing.py` matches all open players each time, not only the bracket. Pairs below the next
#   bracket weigh nothing, but a matching must be perfect: so the rest can always be paired (C4).
# - Pairs in the next bracket have the field of C8 alone. It lies below C5 and C6 and above C9.
# - The fixed order of candidates (4.2 to 4.4) decides among equal pairings. `pairing.py` appends
#   it as still lower fields, in `_prefer_moved_down` and `_prefer_order`.
#
# Rejected:
# - Listing candidates in the order of the rules. It is simple, and too slow for large brackets.
# - Floating-point weights. A weight has many more bits than the 53 of a float; Python's integers
#   have no limit.
# - One matching for the whole round. Brackets are paired from the top, and the players who move
#   down from one bracket decide what the next one consists of.


class Criteria:
    """Weights of the pairs of one round."""

    def __init__(self, players: Sequence[PairedPlayer], past_rounds: int) -> None:
        self._count_bits = len(players).bit_length()
        self._floats = min(past_rounds, 2)
        self._units: dict[float, int] = {}
        """For each score, a 1 at the lowest bit of its part of a field of scores."""
        shift = 0
        for score, number in sorted(Counter(each.score for each in players).items()):
            self._units[score] = 1 << shift
            shift += (2 * number).bit_length()
        self._score_bits = shift
        self._known: dict[tuple[Kind, Kind, bool], int] = {}
        self.bye_unit = 1 << self._bits_below_bye()
        """A 1 in the field of C9, which only edges to the bye use."""

    def _bits_below_bye(self) -> int:
        return (4 + 2 * self._floats) * self._count_bits + 2 * self._floats * self._score_bits

    def weight(self, higher: PairedPlayer, lower: PairedPlayer, *, in_bracket: bool) -> int:
        """The weight of a pair in this bracket, or in the next one if `in_bracket` is false."""
        key = (higher.kind, lower.kind, in_bracket)
        weight = self._known.get(key)
        if weight is None:
            compute = self._here if in_bracket else self._next
            weight = self._known[key] = compute(higher.kind, lower.kind)
        return weight

    def _next(self, higher: Kind, _lower: Kind) -> int:
        """C8: pairs in the next bracket, and the scores of their higher players."""
        width = self._count_bits + self._bits_below_bye()
        return (1 << self._score_bits | self._units[higher.score]) << width

    def _here(self, higher: Kind, lower: Kind) -> int:
        """C5 and C6: pairs, and their scores; then C10 to C21."""
        bits, unit = self._count_bits, self._units
        weight = 1 << self._score_bits | unit[higher.score]
        weight <<= bits + self._score_bits + bits
        for is_kept in _colours_kept(higher.colours, lower.colours):
            weight = weight << bits | is_kept
        is_float = higher.score > lower.score
        for back in range(self._floats):
            weight = weight << bits
            weight += lower.floats[back] == DOWN
            weight += not is_float and higher.floats[back] == DOWN
            weight = weight << bits | (not (is_float and lower.floats[back] == UP))
        for back in range(self._floats):
            weight <<= self._score_bits
            weight += unit[lower.score] * (lower.floats[back] == DOWN)
            weight += unit[higher.score] * (higher.floats[back] == DOWN)
            weight <<= self._score_bits
            weight += unit[higher.score] * (not (is_float and lower.floats[back] == UP))
        return weight


def _colours_kept(one: Colours, two: Colours) -> tuple[bool, bool, bool, bool]:
    """Whether a pair satisfies C10, C11, C12 and C13."""
    if one.preference != two.preference or one.preference == NEITHER:
        return True, True, True, True
    both_absolute = one.is_absolute and two.is_absolute
    return (
        not (one.imbalance > 1 and two.imbalance > 1),
        not both_absolute or not _repeats(one, two),
        False,
        both_absolute or not (one.is_strong and two.is_strong),
    )


def _repeats(one: Colours, two: Colours) -> bool:
    """Whether one of two players with the same absolute preference gets a seat a third time."""
    if one.imbalance == two.imbalance:
        return one.repeated != NEITHER and one.repeated == two.repeated
    return min(one, two, key=lambda each: each.imbalance).repeated == -one.preference
