"""The Dutch system by caissify-pairings, in Python alone: where py4swiss has no wheel.

Its rules are those of C.04.3 in force since February 2026.
"""

from dataclasses import replace
from itertools import combinations
from typing import Any, Final

import networkx as nx
from caissify_pairings.engines.dutch import DutchEngine, DutchPlayer

from bot.tournaments.formats.swiss_card import Card, Line, Pair, RoundToPair, Unpairable

HISTORY_FROM: Final = 2
"""The engine's first round looks at no criteria, not even at who must not meet."""


def pair(to_pair: RoundToPair) -> list[Pair]:
    """As `SwissPairer`."""
    engine = _Engine(to_pair)
    engine.check_pairable()
    pairs = [(each["white_id"], each["black_id"]) for each in engine.generate_pairings()]
    return sorted(pairs, key=lambda each: _board(to_pair.cards, each))


class _Engine(DutchEngine):
    """With forbidden pairs, which are no opponents: the games that somebody played are counted."""

    def __init__(self, to_pair: RoundToPair) -> None:
        present = [card for card in to_pair.cards if not card.is_absent]
        super().__init__(
            players=[_player(card, to_pair.cards) for card in present],
            previous_pairings=_met(present),
            round_number=max(HISTORY_FROM, to_pair.number),
            total_rounds=max(to_pair.rounds, HISTORY_FROM + (to_pair.number < to_pair.rounds)),
            initial_color="white" if to_pair.first_sits_first else "black",
        )
        self._forbidden = to_pair.forbidden

    def _can_pair(self, p1: DutchPlayer, p2: DutchPlayer) -> bool:
        return frozenset((p1.id, p2.id)) not in self._forbidden and super()._can_pair(p1, p2)

    def _assign_colors(self, p1: DutchPlayer, p2: DutchPlayer) -> tuple[DutchPlayer, DutchPlayer]:
        """The engine takes who has the lower number for the higher ranked (E.4 and E.5), where the
        score comes first (A.2): so the higher ranked gets a lower number, as odd or even as it was.
        """
        higher, lower = sorted((p1, p2), key=lambda each: (-each.score, each.pairing_number))
        first, second = super()._assign_colors(
            replace(higher, pairing_number=2 - higher.pairing_number % 2),
            replace(lower, pairing_number=3),
        )
        return self._player_map[first.id], self._player_map[second.id]

    def check_pairable(self) -> None:
        """Raises Unpairable; the engine itself would put up with a pairing that breaks rules."""
        graph = nx.Graph()
        graph.add_nodes_from(player.id for player in self._players)
        graph.add_edges_from(
            (one.id, two.id)
            for one, two in combinations(self._players, 2)
            if self._can_pair(one, two)
        )
        if len(self._players) % 2:
            graph.add_edges_from((0, one.id) for one in self._players if one.is_bye_eligible)
        if not nx.is_perfect_matching(graph, nx.max_weight_matching(graph, maxcardinality=True)):
            raise Unpairable


def _board(cards: tuple[Card, ...], pair: Pair) -> tuple[bool, float, float, int]:
    """Where a pair stands in the list of a round (C.04.3, D.9): by its higher ranked player."""
    ranked = sorted((-cards[number - 1].points, number) for number in pair if number is not None)
    return pair[1] is None, ranked[0][0], ranked[-1][0], ranked[0][1]


def _player(card: Card, cards: tuple[Card, ...]) -> dict[str, Any]:
    played = [line for line in card.lines if line.was_played]
    return {
        "id": card.number,
        "starting_number": card.number,
        "pairing_number": card.number,
        "score": card.points,
        "color_hist": ["white" if line.sat_first else "black" for line in played],
        "float_history": [_float(card, cards, at) for at in range(len(card.lines))],
        "bye_count": sum(line.is_bye for line in card.lines),
        "forfeit_win_count": sum(_is_default_win(line) for line in card.lines),
    }


def _float(card: Card, cards: tuple[Card, ...], at: int) -> str:
    """C.04.3, 1.4: of a pair with different scores the higher floats down; so does who scores
    without playing.
    """
    line = card.lines[at]
    if not line.was_played or line.opponent is None:
        return "down" if line.points else "none"
    apart = _points_before(card, at) - _points_before(cards[line.opponent - 1], at)
    return "down" if apart > 0 else "up" if apart < 0 else "none"


def _points_before(card: Card, at: int) -> float:
    return sum(line.points for line in card.lines[:at])


def _is_default_win(line: Line) -> bool:
    return line.opponent is not None and not line.was_played and line.points == 1.0


def _met(present: list[Card]) -> set[tuple[int, int]]:
    return {
        (card.number, line.opponent)
        for card in present
        for line in card.lines
        if line.was_played and line.opponent is not None
    }
