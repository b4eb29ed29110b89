"""The players of a pairing: scores, colour preferences and floats (C.04.3, 1)."""

from dataclasses import dataclass
from typing import Final

from bot.tournaments.dutch.card import Card, CardLine, RoundToPair

FIRST, NEITHER, SECOND = 1, 0, -1
"""Seats: the first is FIDE's white."""
DOWN, NO_FLOAT, UP = -1, 0, 1
FLOATS_LOOKED_AT: Final = 2
"""The floats of the last two rounds count (C.04.3, C14 to C21)."""


@dataclass(frozen=True)
class Colours:
    """The colour preference of C.04.3, 1.7, and its strength."""

    preference: int = NEITHER
    imbalance: int = 0
    """How many more games the player had in one seat than in the other."""
    repeated: int = NEITHER
    """The seat of the last two games, if it was the same."""

    @property
    def is_absolute(self) -> bool:
        return self.imbalance > 1 or self.repeated != NEITHER

    @property
    def is_strong(self) -> bool:
        """Whether the preference is strong or absolute."""
        return self.imbalance > 0 or self.repeated != NEITHER


@dataclass(frozen=True)
class Kind:
    """Everything that the quality criteria use. Players of one kind are interchangeable."""

    score: float
    colours: Colours
    floats: tuple[int, ...]
    """The floats of the last rounds, the latest first."""


@dataclass(frozen=True)
class PairedPlayer:
    """A player who is paired in this round."""

    card: Card
    kind: Kind
    order: int
    """The index, from 0, among the players who take part in this or an earlier pairing."""
    history: tuple[int, ...]
    """The seats of the games played, the latest first."""
    opponents: frozenset[int]
    may_have_bye: bool
    is_top_scorer: bool

    @property
    def number(self) -> int:
        return self.card.number

    @property
    def score(self) -> float:
        return self.kind.score

    @property
    def colours(self) -> Colours:
        return self.kind.colours

    def may_meet(self, other: "PairedPlayer", *, is_last_round: bool) -> bool:
        """Whether the absolute criteria C1 and C3 allow the pair. Forbidden pairs are ignored."""
        if other.number in self.opponents:
            return False
        one, two = self.colours, other.colours
        if not (one.is_absolute and two.is_absolute and one.preference == two.preference):
            return True
        return is_last_round and (self.is_top_scorer or other.is_top_scorer)


def present(to_pair: RoundToPair) -> list[PairedPlayer]:
    """The players to pair, by score and number (C.04.3, 1.2)."""
    by_number = {card.number: card for card in to_pair.cards}
    taking_part = [
        card
        for card in sorted(to_pair.cards, key=lambda each: each.number)
        if not card.is_absent or any(line.was_paired for line in card.lines)
    ]
    players = [
        _player(to_pair, by_number, card, order)
        for order, card in enumerate(taking_part)
        if not card.is_absent
    ]
    return sorted(players, key=lambda each: (-each.score, each.order))


def _player(
    to_pair: RoundToPair, by_number: dict[int, Card], card: Card, order: int
) -> PairedPlayer:
    past = to_pair.number - 1
    games = [line for line in reversed(card.lines) if line.was_played]
    history = tuple(FIRST if line.sat_first else SECOND for line in games)
    score = card.pairing_score(past)
    floats = tuple(
        _float(to_pair, by_number, card, at)
        for at in range(past - 1, max(past - 1 - FLOATS_LOOKED_AT, -1), -1)
    )
    return PairedPlayer(
        card=card,
        kind=Kind(score, _colours(history), floats),
        order=order,
        history=history,
        opponents=frozenset(line.opponent for line in games if line.opponent is not None),
        may_have_bye=not any(_excludes_bye(line, to_pair.points.win) for line in card.lines),
        is_top_scorer=2 * score > past * max(to_pair.points.win, to_pair.points.draw),
    )


def _excludes_bye(line: CardLine, win: float) -> bool:
    """C2: whether the round was a bye, or a win without playing."""
    return not line.was_played and (line.is_bye or line.points >= win)


def _colours(history: tuple[int, ...]) -> Colours:
    balance = sum(history)
    repeated = history[0] if len(history) > 1 and history[0] == history[1] else NEITHER
    fewer = SECOND if balance > 0 else FIRST
    if abs(balance) > 1:
        preference = fewer
    elif repeated != NEITHER:
        preference = -repeated
    elif balance:
        preference = fewer
    else:
        preference = -history[0] if history else NEITHER
    return Colours(preference, abs(balance), repeated)


def _float(to_pair: RoundToPair, by_number: dict[int, Card], card: Card, at: int) -> int:
    """The float in the round at an index (C.04.3, 1.4)."""
    line = card.lines[at]
    if not line.was_played or line.opponent is None:
        return DOWN if line.points > to_pair.points.loss else NO_FLOAT
    own, others = card.pairing_score(at), by_number[line.opponent].pairing_score(at)
    return DOWN if own > others else UP if own < others else NO_FLOAT
