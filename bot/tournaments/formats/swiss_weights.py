"""What py4swiss weighs pairs by, computed once for all pairs of players who are alike.

Nine tenths of its time go into weights, and in no criterion do two players differ who have the same
score, colours and floats: with 200 players this takes a third of the time, and changes no pairing.
"""

from collections.abc import Hashable

from py4swiss.dynamicuint import DynamicUint
from py4swiss.engines.dutch.bracket import bracket_pairer
from py4swiss.engines.dutch.bracket.bracket_matcher import BracketMatcher
from py4swiss.engines.dutch.player import Player


class RememberingMatcher(BracketMatcher):
    """Lives for one bracket, as its base does."""

    def _set_up_computer(self) -> None:
        self._likenesses = {player.id: _likeness(player) for player in self._player_list}
        self._remembered: dict[Hashable, DynamicUint] = {}
        super()._set_up_computer()

    def _get_weight(self, player_1: Player, player_2: Player) -> DynamicUint:
        """A new one each time: the base changes weights in place."""
        key = (
            self._likenesses[player_1.id],
            self._likenesses[player_2.id],
            self._validity_matcher.is_allowed_pair(player_1, player_2),
        )
        if (weight := self._remembered.get(key)) is None:
            weight = self._remembered[key] = super()._get_weight(player_1, player_2)
        return DynamicUint(weight)


def install() -> None:
    """py4swiss makes its matchers itself, and takes none."""
    setattr(bracket_pairer, "BracketMatcher", RememberingMatcher)  # noqa: B010 - not exported


def _likeness(player: Player) -> Hashable:
    return (
        player.role,
        player.points_with_acceleration,
        player.color_preference.side,
        player.color_preference.strength,
        player.color_difference,
        player.color_double,
        player.float_1,
        player.float_2,
        player.bye_received,
        player.top_scorer,
    )
