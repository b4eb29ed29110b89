"""Pairs a round by FIDE's Dutch system, bracket by bracket (C.04.3, 1.9 and 2 to 4)."""

from itertools import groupby

from bot.tournaments.dutch.card import Pair, RoundToPair, Unpairable
from bot.tournaments.dutch.matching import Matcher
from bot.tournaments.dutch.players import FIRST, NEITHER, PairedPlayer, present
from bot.tournaments.dutch.weights import Criteria


def seated(
    one: PairedPlayer, two: PairedPlayer, *, first_sits_first: bool
) -> tuple[PairedPlayer, PairedPlayer]:
    """The two players in the order of their seats (C.04.3, article 5)."""
    higher, lower = sorted((one, two), key=lambda each: (-each.score, each.order))
    seat = _seat_of_higher(higher, lower)
    if seat == NEITHER:
        gets_initial = higher.order % 2 == 0
        seat = FIRST if gets_initial == first_sits_first else -FIRST
    return (higher, lower) if seat == FIRST else (lower, higher)


def _seat_of_higher(higher: PairedPlayer, lower: PairedPlayer) -> int:
    """The seat of the higher player by articles 5.2.1 to 5.2.4.

    Returns NEITHER if neither player has a preference.
    """
    one, two = higher.colours, lower.colours
    if one.preference != two.preference or one.preference == NEITHER:
        return one.preference or -two.preference
    if _is_stronger(higher, lower):
        return one.preference
    if _is_stronger(lower, higher):
        return -two.preference
    for mine, theirs in zip(higher.history, lower.history, strict=False):
        if mine != theirs:
            return theirs
    return one.preference


def _is_stronger(player: PairedPlayer, other: PairedPlayer) -> bool:
    one, two = player.colours, other.colours
    if one.is_absolute:
        return not two.is_absolute or one.imbalance > two.imbalance
    return one.is_strong and not two.is_strong


def boards(pairs: list[tuple[PairedPlayer, PairedPlayer | None]]) -> list[Pair]:
    """The pairs as numbers, ordered by the points of their players; the bye comes last."""
    return [
        (one.number, None if two is None else two.number) for one, two in sorted(pairs, key=_place)
    ]


def _place(pair: tuple[PairedPlayer, PairedPlayer | None]) -> tuple[bool, float, float, int]:
    ranked = sorted((-each.card.points, each.order) for each in pair if each is not None)
    return pair[1] is None, ranked[0][0], ranked[-1][0], ranked[0][1]


Weights = dict[tuple[int, int], int]
"""The weights of pairs of places, the lower place first. Pairs that are missing weigh nothing."""


def pair(to_pair: RoundToPair) -> list[Pair]:
    """Pair a round. Returns the pairs in the order of their boards.

    Raises Unpairable if no pairing satisfies the absolute criteria.
    """
    players = present(to_pair)
    pairs: list[tuple[PairedPlayer, PairedPlayer | None]] = []
    for one, two in _Round(to_pair, players).pairs() if players else []:
        if two == len(players):
            pairs.append((players[one], None))
        else:
            first = to_pair.first_sits_first
            pairs.append(seated(players[one], players[two], first_sits_first=first))
    return boards(pairs)


class _Round:
    """The pairing of one round. Players are places from 0, in the order of C.04.3, 1.2.

    If the number of players is odd, the place after the last player is the bye.
    """

    def __init__(self, to_pair: RoundToPair, players: list[PairedPlayer]) -> None:
        self._players = players
        self._criteria = Criteria(players, to_pair.number - 1)
        self._groups = [
            list(group)
            for _, group in groupby(range(len(players)), key=lambda at: players[at].score)
        ]
        self._bye = len(players)
        self._allowed = _allowed(to_pair, players)
        self._open = list(range(len(players) + len(players) % 2))
        self._pairs: list[tuple[int, int]] = []

    def pairs(self) -> list[tuple[int, int]]:
        """The pairs, as places. Raises Unpairable."""
        latest = self._leave_bye_to_lowest()
        moved_down: list[int] = []
        for number, group in enumerate(self._groups):
            following = self._groups[number + 1] if number + 1 < len(self._groups) else []
            weights = self._weights_of(moved_down, group, following)
            weights |= self._bye_weights(moved_down + group, latest)
            latest = self._pair_bracket(weights, moved_down, group)
            still_open = {*self._open}
            moved_down = [at for at in moved_down + group if at in still_open]
        return self._pairs + [(at, self._bye) for at in moved_down]

    def _leave_bye_to_lowest(self) -> dict[int, int]:
        """Allow the bye only to the players of the lowest score that can have it (C5).

        Returns a pairing that keeps this, with the maximum number of pairs in the first bracket.
        """
        players, top = self._players, self._groups[0]
        weights = {(one, two): 1 for one in top for two in self._allowed[one] if two <= top[-1]}
        below = len(players)
        for group in self._groups:
            below -= len(group)
            weights |= {(at, self._bye): -below * len(top) for at in group}
        latest = self._match(weights)
        if self._bye in latest:
            score = players[latest[self._bye]].score
            for player, allowed in zip(players, self._allowed, strict=True):
                if allowed and allowed[-1] == self._bye and player.score != score:
                    allowed.pop()
        return latest

    def _bye_weights(self, bracket: list[int], latest: dict[int, int]) -> Weights:
        """The weights of C9: the bye goes to a player with fewer unplayed games.

        C9 counts only if the player with the bye is the only one who leaves the bracket.
        """
        if any(bracket[-1] < latest[at] < self._bye for at in bracket):
            return {}
        games = {
            at: len(self._players[at].history)
            for at in bracket
            if self._allowed[at] and self._allowed[at][-1] == self._bye
        }
        return {
            (at, self._bye): -self._criteria.bye_unit * sum(more > own for more in games.values())
            for at, own in games.items()
        }

    def _pair_bracket(
        self, weights: Weights, moved_down: list[int], group: list[int]
    ) -> dict[int, int]:
        """Fix the pairs of a bracket: first those of the players moved down, then the remainder.

        Returns a best pairing of all players who were open before the remainder was paired.
        """
        latest = self._match(_prefer_moved_down(weights, moved_down, group))
        for at in moved_down:
            if group[0] <= latest[at] <= group[-1]:
                self._close(at, latest[at])
        still_open = {*self._open}
        rest = [at for at in group if at in still_open]
        pairs = sum(at < latest[at] <= group[-1] for at in rest)
        if pairs:
            unchanged = _first_candidate(weights, rest, pairs, latest)
            latest = unchanged or self._match(_prefer_order(weights, rest, pairs))
            for at in rest:
                if at < latest[at] <= group[-1]:
                    self._close(at, latest[at])
        return latest

    def _weights_of(self, moved_down: list[int], group: list[int], following: list[int]) -> Weights:
        """Weights by the quality criteria. Pairs within `moved_down` cannot occur."""
        players, weight = self._players, self._criteria.weight
        last = group[-1]
        last_of_all = following[-1] if following else last
        return {
            (one, two): weight(players[one], players[two], in_bracket=two <= last)
            for one in moved_down + group + following
            for two in self._allowed[one]
            if group[0] <= two <= last_of_all
        }

    def _close(self, one: int, two: int) -> None:
        self._pairs.append((one, two))
        self._open.remove(one)
        self._open.remove(two)

    def _match(self, weights: Weights) -> dict[int, int]:
        """The best pairing of all open places."""
        place = {at: number for number, at in enumerate(self._open)}
        edges: list[dict[int, int]] = [{} for _ in place]
        for one, row in zip(self._open, edges, strict=True):
            if one == self._bye:
                continue
            for two in self._allowed[one]:
                if (other := place.get(two)) is not None:
                    row[other] = edges[other][place[one]] = weights.get((one, two), 0)
        matcher = Matcher(edges)
        if not matcher.solve():
            raise Unpairable
        return {at: self._open[matcher.mate[number]] for at, number in place.items()}


def _allowed(to_pair: RoundToPair, players: list[PairedPlayer]) -> list[list[int]]:
    """For each place, the later places that the absolute criteria allow; the bye comes last."""
    is_last, forbidden = to_pair.number >= to_pair.rounds, to_pair.forbidden
    allowed = [
        [
            other
            for other in range(at + 1, len(players))
            if player.may_meet(players[other], is_last_round=is_last)
            and not (forbidden and frozenset((player.number, players[other].number)) in forbidden)
        ]
        for at, player in enumerate(players)
    ]
    if len(players) % 2:
        for player, others in zip(players, allowed, strict=True):
            if player.may_have_bye:
                others.append(len(players))
    return allowed


# The rules list candidates in a fixed order and take the first of equal quality. Here the order is
# fields of bits below the weights of the criteria (see `weights.py`): the earlier a candidate, the
# larger its sum. From the most to the least important field:
#
# `_prefer_moved_down` (4.4):
# 1. one bit per player moved down, the highest first: whether the bracket pairs the player;
# 2. one field per player moved down, the highest first: the higher the opponent, the larger.
#
# `_prefer_order` (4.2, 4.3). S1 is the upper half of the remainder, S2 the lower half. An exchange
# moves a player of S1 to S2, and one of S2 to S1. The higher player of each pair is then in S1:
# 1. the number of pairs whose higher player comes from S1: few exchanges are better;
# 2. minus the sum of the ranks of the higher players: near exchanges are better;
# 3. one bit per player of S1: the lowest of them are exchanged;
# 4. one bit per player of S2: the highest of them are exchanged;
# 5. one field per player, the highest first: the higher the opponent, the larger (transpositions).


def _prefer_moved_down(base: Weights, moved_down: list[int], group: list[int]) -> Weights:
    """Add the order of C.04.3, 4.4: higher players moved down are paired, with higher opponents."""
    if not moved_down:
        return base
    bits, many = len(group).bit_length(), len(moved_down)
    rank = {at: number for number, at in enumerate(moved_down)}
    result = {}
    for (one, two), weight in base.items():
        shifted = weight << (many + bits * many)
        if one in rank and two <= group[-1]:
            after = many - 1 - rank[one]
            shifted += 1 << after + bits * many
            shifted += group[-1] + 1 - two << bits * after
        result[one, two] = shifted
    return result


def _first_candidate(
    weights: Weights, rest: list[int], pairs: int, latest: dict[int, int]
) -> dict[int, int] | None:
    """The pairing of the upper half of the remainder with the lower half (C.04.3, 3.3).

    Returns None if it is worse than `latest`. In most first rounds it is not, which saves a search.
    """
    last = rest[-1]
    if any(latest[at] <= last for at in rest[2 * pairs :]):
        return None
    candidate = list(zip(rest[:pairs], rest[pairs : 2 * pairs], strict=True))
    found = [(at, latest[at]) for at in rest if at < latest[at] <= last]
    if any(each not in weights for each in candidate):
        return None
    if sum(weights[each] for each in candidate) != sum(weights[each] for each in found):
        return None
    return latest | dict(candidate) | {two: one for one, two in candidate}


def _prefer_order(base: Weights, rest: list[int], pairs: int) -> Weights:
    """Add the order of exchanges and transpositions in the remainder (C.04.3, 4.2 and 4.3)."""
    size = len(rest)
    rank = {at: number for number, at in enumerate(rest)}
    bits, sums = size.bit_length(), (size * size).bit_length()
    width = sums + size + bits * size
    result = {}
    for (one, two), weight in base.items():
        shifted = weight << bits + width
        if one in rank and two in rank:
            high, low = rank[one], rank[two]
            extra = (high < pairs) << sums
            extra -= high
            extra = extra << pairs
            extra -= 1 << high if high < pairs else 0
            extra = extra << size - pairs
            extra += 1 << size - 1 - high if high >= pairs else 0
            extra = extra << bits * size
            extra += (size - low) << bits * (size - 1 - high)
            shifted += extra
        result[one, two] = shifted
    return result
