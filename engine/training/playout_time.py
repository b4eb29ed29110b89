"""Games in which playouts are the time, so that nothing depends on the machine: what it is worth to
spend a clock in one way or another.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass

from engine.contract import Limits, Signals
from engine.game import Game, Position
from engine.neural.network import Network
from engine.neural.shipped import shipped_network
from engine.search.budget import Plan, plan
from engine.search.searcher import Searcher
from engine.search.thinking import Thinking
from engine.training.gate import MatchGame
from engine.training.self_play import opened

PACE = 500
"""Playouts a second: plans are made in seconds."""
OWN_TURNS = 24
"""A clock holds so many times the playouts that a turn is to have on average."""
MEGABYTES = 32
RANDOM_TURNS = 4
SEEDS = 63

Shape = Callable[[Plan], Plan]
"""What becomes of the plan for a turn."""


def managed(found: Plan) -> Plan:
    """As it is."""
    return found


def even(found: Plan) -> Plan:
    """Every turn gets the recommended time: nothing is saved, nothing is added."""
    seconds = found.recommended or 0.0
    return Plan(seconds, seconds, seconds)


class TimedSearcher(Searcher):
    """`now` is the time, which goes on by its playouts alone."""

    now = 0.0

    def grow(self, playouts: int) -> int:
        done = super().grow(playouts)
        self.now += done / PACE
        return done


class ClockPlayer:
    """One side of a game, with `left` seconds on its clock."""

    def __init__(
        self, game: Game, network: Network | None, seed: int, seconds: float, shape: Shape
    ) -> None:
        self.left = seconds
        self._searcher = TimedSearcher(
            game, megabytes=MEGABYTES, threads=1, seed=seed, network=network
        )
        self._shape = shape

    def turn(self, position: Position) -> str | None:
        """None where no turn was seen to its end."""
        steps = len(position.game.mechanics.steps(position.record()))
        chosen = self._shape(plan(Limits(clock=self.left), steps))
        searcher = self._searcher
        searcher.move_to(position)
        began = searcher.now
        Thinking(searcher, lambda _: None, Signals(), lambda: searcher.now).run(chosen)
        self.left -= searcher.now - began
        found = searcher.candidates(1)
        return found[0].turn if found else None


@dataclass(frozen=True)
class ClockGame:
    """A game, and the playouts that each side has used of `playouts` on its clock, first the side
    whose plans are managed.
    """

    game: MatchGame
    used: tuple[int, int]
    playouts: int

    @property
    def own_turns(self) -> float:
        """Of a side, on average."""
        return len(self.game.turns) / 2


def play_pair(game: Game, nodes: int, pair: int, seed: int) -> tuple[ClockGame, ClockGame]:
    """Managed plans against even division, with `nodes` playouts a turn: two games from one
    opening with the seats changed, the same for the same seed.
    """
    chance = random.Random(f"{seed} clocks {pair}")
    start = opened(game, RANDOM_TURNS, chance, [])
    while start.over:
        start = opened(game, RANDOM_TURNS, chance, [])
    return _played(start, nodes, pair, 1, chance), _played(start, nodes, pair, 2, chance)


def _played(start: Position, nodes: int, pair: int, seat: int, chance: random.Random) -> ClockGame:
    network, seconds = shipped_network(start.game), nodes * OWN_TURNS / PACE
    ours, theirs = (
        ClockPlayer(start.game, network, chance.getrandbits(SEEDS), seconds, shape)
        for shape in (managed, even)
    )
    position = start
    while not position.over:
        player = ours if position.to_play == seat else theirs
        position = position.play(player.turn(position) or position.random_turn(chance))
    one, two = (round((seconds - player.left) * PACE) for player in (ours, theirs))
    turns = position.turns[len(start.turns) :]
    game = MatchGame(pair, seat, position.winner or 0, turns)
    return ClockGame(game, (one, two), nodes * OWN_TURNS)
