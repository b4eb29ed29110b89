"""Levels of play: one engine that searches less and judges more coarsely on lower levels.

With fewer playouts alone, even the lowest level is strong, because playouts find captures. So the
lower levels also judge coarsely (`engine.players.coarse`): they find outstanding stones, and do not
distinguish close ones. No level plays at random. Levels are defined by numbers of playouts, so a
level is equally strong on every machine.

A playout has more information in one game than in another, so each game has its own numbers. Each
level aims to win three quarters of the games against the level below, on the game's usual board and
with its network: `make lab ARGS=levels` (docs/performance.md). After very few playouts the search
may have visited no turn to its end; the network is used from the level on where that is rare.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from engine.game import Game
from engine.neural.shipped import shipped_network

LEVEL_WORDS: Final = (
    "newcomer: finds what stands out, and takes most other stones for equally good",
    "beginner: avoids poor stones, and often takes a middling one",
    "learner: likes good stones, and is content with fair ones",
    "casual: plays good stones, seldom the best; small mistakes add up",
    "steady: sees at a glance which stones are good, and makes few mistakes",
    "skilled: plays what seems best at a first look, and falls for what comes later",
    "strong: looks ahead a little, and sees simple plans",
    "expert: looks ahead further, and punishes most mistakes",
    "master: looks ahead far enough for most people",
    "champion: full strength, uses all the time it is given",
)
"""Descriptions of the levels, lowest first."""


@dataclass(frozen=True)
class Level:
    """The effort of a level's search, and the coarseness of its judgement.

    - `per_stone`: playouts per turn for each placement on the empty board, so that a large board
      gets as many per stone as a small one. On an unbounded board the game says how many placements
      count. None: no bound.
    - `judged`: playouts per turn with a network, which makes each of them worth more. 0: the level
      plays without the network. None: no bound.
    - `coarseness`: standard deviations that a chosen stone may seem to be behind the best. 0: the
      level takes the turn with most visits.
    """

    per_stone: float | None
    judged: int | None = 0
    coarseness: float = 0.0

    @property
    def uses_network(self) -> bool:
        return self.judged != 0

    def bound(self, game: Game, *, with_network: bool) -> int | None:
        """Return the playouts per turn, with or without a network; None for no bound."""
        if with_network and self.uses_network:
            return self.judged
        return (
            None if self.per_stone is None else round(self.per_stone * game.mechanics.usual_steps)
        )

    def bound_on(self, game: Game) -> int | None:
        """Return the playouts per turn of this game, with the shipped network if there is one."""
        return self.bound(game, with_network=shipped_network(game) is not None)


FIRST_LOOK: Final = 4.0
"""Playouts per stone of the levels that judge coarsely: enough for a worth of each stone."""
FULL: Final = Level(None, judged=None)


def coarse(coarseness: float, per_stone: float = FIRST_LOOK) -> Level:
    """Return a level without a network that judges coarsely."""
    return Level(per_stone, coarseness=coarseness)


USUAL: Final = (
    *(coarse(2.7), coarse(1.5), coarse(0.94), coarse(0.64), coarse(0.39)),
    *(Level(1.5), Level(5.0, judged=10), Level(12.0, judged=22), Level(30.0, judged=48)),
    FULL,
)
"""The levels of Bluestone, and of games that have no levels of their own."""
LADDERS: Final[Mapping[str, tuple[Level, ...]]] = {
    "blooms": (
        *(coarse(2.5), coarse(1.85), coarse(1.2), coarse(0.61), coarse(0.33)),
        *(Level(0.42), Level(0.72), Level(2.4, judged=11), Level(5.6, judged=24)),
        FULL,
    ),
    "freego": (
        *(coarse(2.5), coarse(1.9), coarse(1.4), coarse(1.0), coarse(0.57), coarse(0.29)),
        *(Level(0.5), Level(1.15), Level(3.0)),
        FULL,
    ),
    "hexo": (
        *(coarse(4.5), coarse(1.4, 12), coarse(0.6, 20), coarse(0.05, 40)),
        *(Level(0.1), Level(0.5), Level(2.2), Level(9.0), Level(36.0)),
        FULL,
    ),
    "stargazers": (
        *(coarse(3.2, 8), coarse(1.55, 8), coarse(0.82, 8), coarse(0.4, 8)),
        *(Level(4.5, judged=9), Level(8.0, judged=14)),
        *(Level(13.0, judged=23), Level(26.0, judged=46), Level(80.0, judged=140)),
        FULL,
    ),
}
"""The levels of other games, by the name of the game."""


def level(number: int, game: Game) -> Level:
    """Return level `number` of that game; the lowest is 1."""
    return LADDERS.get(game.name, USUAL)[number - 1]
