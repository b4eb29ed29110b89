"""Levels of play: one engine, which looks less far the lower the level, and judges more coarsely.

Searching less alone leaves even the lowest level strong, because playouts see captures coming. So
the lower levels also judge coarsely (`engine.players.coarse`): what stands out they find, and
what is close they do not tell apart. None plays at random. Numbers of playouts make a
level the same on every machine.

A playout says more in one game than in another, so each game has numbers of its own. They aim at
three quarters of the games against the level below on the game's usual board, with the network
that there is for it: `bluestone bench levels` (docs/performance.md). After very few playouts no
turn may be searched to its end: the network comes in where that is rare.
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
"""From the lowest level up."""


@dataclass(frozen=True)
class Level:
    """`per_stone`: playouts a turn for each stone that could be placed on the empty board, so that
    a large board is not looked at more fleetingly than a small one; None: no bound. `judged`:
    playouts a turn where a network judges positions, which makes them worth more; 0: the level
    plays without the network. `coarseness`: how many standard deviations behind the best a stone
    may seem to be that is still chosen; 0 takes the turn that was searched most.
    """

    per_stone: float | None
    judged: int | None = 0
    coarseness: float = 0.0

    @property
    def uses_network(self) -> bool:
        return self.judged != 0

    def bound(self, game: Game, *, with_network: bool) -> int | None:
        """Playouts a turn, with a network that judges positions or without one."""
        if with_network and self.uses_network:
            return self.judged
        return None if self.per_stone is None else round(self.per_stone * len(game.step_names))

    def bound_on(self, game: Game) -> int | None:
        """Playouts a turn of this game, with the network that there may be for it."""
        return self.bound(game, with_network=shipped_network(game) is not None)


FIRST_LOOK: Final = 4.0
"""For the levels that judge coarsely: enough to have an opinion of each stone."""
FULL: Final = Level(None, judged=None)


def coarse(coarseness: float, per_stone: float = FIRST_LOOK) -> Level:
    """A level that differs from its neighbours by how coarsely it judges."""
    return Level(per_stone, coarseness=coarseness)


USUAL: Final = (
    *(coarse(2.7), coarse(1.5), coarse(0.94), coarse(0.64), coarse(0.39)),
    *(Level(1.5), Level(5.0, judged=10), Level(12.0, judged=22), Level(30.0, judged=48)),
    FULL,
)
"""Bluestone's, and those of games that have none of their own."""
LADDERS: Final[Mapping[str, tuple[Level, ...]]] = {
    "blooms": (
        *(coarse(2.5), coarse(1.85), coarse(1.2), coarse(0.61), coarse(0.33)),
        *(Level(0.42), Level(0.72), Level(2.4, judged=11), Level(5.6, judged=24)),
        FULL,
    ),
    "stargazers": (
        *(coarse(3.2, 8), coarse(1.55, 8), coarse(0.82, 8), coarse(0.4, 8)),
        *(Level(4.5, judged=9), Level(8.0, judged=14)),
        *(Level(13.0, judged=23), Level(26.0, judged=46), Level(80.0, judged=140)),
        FULL,
    ),
}
"""By the name of the game."""


def level(number: int, game: Game) -> Level:
    """The level of that number, from 1, in that game."""
    return LADDERS.get(game.name, USUAL)[number - 1]
