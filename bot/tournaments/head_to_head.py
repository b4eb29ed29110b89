"""A match of two players: the lead of one over the other, and its uncertainty.

The figures are computed from pairs of games, as fastchess and fishtest do.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from bot.tournaments.elo import Estimate
from bot.tournaments.outcomes import Outcome
from bot.tournaments.pentanomial import (
    Pentanomial,
    elo_difference,
    normalised_elo,
    pentanomial,
    superiority,
)
from bot.tournaments.sprt import Bounds, Sprt, log_likelihood_ratio

USUAL: Final = Bounds(0.0, 5.0)
"""The hypotheses of the likelihood ratio in a match without a sequential test."""


@dataclass(frozen=True)
class HeadToHead:
    """The figures of a match from the first player's view. Games that repeat others do not count.

    - `elo`, `normalised`: the difference of the two players in logistic and in normalised Elo; None
      if it cannot be estimated.
    - `is_bounded`: one player won all games. The difference then has no upper bound, and its value
      stands for infinity.
    - `repeated`, `not_played`: games that are left out, because they repeat an earlier game or were
      not played.
    - `superiority`: the likelihood that the first player is stronger.
    - `test`: the sequential test that may end the match. In a match without one, `is_tested` is
      false, and `test` has the likelihood ratio of the usual hypotheses and no verdict.
    """

    players: tuple[str, str]
    counts: Pentanomial
    wins: int
    draws: int
    losses: int
    elo: Estimate | None
    is_bounded: bool
    normalised: Estimate | None
    superiority: float
    test: Sprt
    is_tested: bool
    repeated: int = 0
    not_played: int = 0


def head_to_head(
    games: Sequence[Outcome], players: tuple[str, str], test: Sprt | None = None
) -> HeadToHead:
    """The figures from all games between the two players; `games` may have others too."""
    counts = pentanomial(games, *players)
    points = [game.points_of(players[0]) for game in games if {*game.seats} == {*players}]
    return HeadToHead(
        players=players,
        counts=counts,
        wins=points.count(1),
        draws=points.count(0.5),
        losses=points.count(0),
        elo=elo_difference(counts),
        is_bounded=counts.score in (0, 1),
        normalised=normalised_elo(counts),
        superiority=superiority(counts),
        test=test or _ratio_of(counts),
        is_tested=test is not None,
    )


def _ratio_of(counts: Pentanomial) -> Sprt:
    pairs = Pentanomial(counts.pairs)
    ratio = float(log_likelihood_ratio(np.array(pairs.pairs), USUAL)) if any(pairs.pairs) else 0.0
    return Sprt(USUAL, pairs, ratio, None, elo_difference(pairs))
