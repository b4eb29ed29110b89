"""Games that compare ways to spend a clock.

Time is counted in playouts, so the result does not depend on the machine.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass

from engine.contract import Limits, Signals
from engine.game import Game, Position
from engine.neural.network import Network
from engine.neural.shipped import shipped_network
from engine.search.budget import TurnPlan, plan
from engine.search.searcher import Searcher
from engine.search.thinking import Thinking
from engine.training.gate import MatchGame
from engine.training.self_play import opened

PACE = 500
"""Playouts per second of simulated time, because plans are in seconds."""
OWN_TURNS = 24
"""Turns for which a clock lasts at the average number of playouts per turn."""
MEGABYTES = 32
RANDOM_TURNS = 4
SEEDS = 63

Shape = Callable[[TurnPlan], TurnPlan]
"""A function that changes the plan for a turn."""


def managed(found: TurnPlan) -> TurnPlan:
    """Return the plan unchanged."""
    return found


def even(found: TurnPlan) -> TurnPlan:
    """Return a plan that uses exactly the recommended time."""
    seconds = found.recommended or 0.0
    return TurnPlan(seconds, seconds, seconds)


class TimedSearcher(Searcher):
    """A searcher whose time `now`, in seconds, advances only by its playouts."""

    now = 0.0

    def halt_in(self, seconds: float | None) -> None:
        """Ignore the machine's clock."""

    def grow(self, playouts: int) -> int:
        done = super().grow(playouts)
        self.now += done / PACE
        return done


class ClockPlayer:
    """One player of a game, with `left` seconds on the clock."""

    def __init__(
        self, game: Game, network: Network | None, seed: int, seconds: float, shape: Shape
    ) -> None:
        self.left = seconds
        self._searcher = TimedSearcher(
            game, megabytes=MEGABYTES, threads=1, seed=seed, network=network
        )
        self._shape = shape

    def turn(self, position: Position) -> str | None:
        """Return the best turn and use up time; None if no turn is visited to its end."""
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
    """A game, and the playouts that each player used of the `playouts` on the clock.

    `used` begins with the player whose plans are managed.
    """

    game: MatchGame
    used: tuple[int, int]
    playouts: int

    @property
    def own_turns(self) -> float:
        """The mean number of turns of a player."""
        return len(self.game.turns) / 2


def play_pair(game: Game, nodes: int, pair: int, seed: int) -> tuple[ClockGame, ClockGame]:
    """Play managed plans against even division, with `nodes` playouts per turn on average.

    The two games have one opening; the players change seats. They are the same for the same
    arguments.
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
