"""What a network knows of positions, beside what the search finds out, with it and without it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.game import Game, Position
from engine.kernel.generic import WIN
from engine.neural.evaluation import Activations, activations, judge
from engine.neural.network import Network
from engine.search.searcher import Searcher, steps_of
from engine.search.tree import ROOT, Tree
from engine.training.weights import network_from

MEGABYTES: Final = 64


class Expectation(NamedTuple):
    """What a search expects for the player to move, 0 to 1: the value of its best turn (None while
    no turn has been seen to its end), and the mean of all its playouts.
    """

    best: float | None
    mean: float


class Ranks(NamedTuple):
    """Where a stone stands among `choices`, from 1, by the network's policy and by AMAF values."""

    policy: float
    amaf: float
    choices: int


@dataclass(frozen=True)
class Assessor:
    """Asks a network, and searches with and without it, about positions that are not over."""

    game: Game
    network: Network

    def judged(self, position: Position) -> Activations:
        """The answer of the network alone."""
        work = activations(self.network, len(self.game.step_names))
        judge(self.game.record, position.record(), self.network, work)
        return work

    def expected(self, position: Position) -> float:
        """What the network expects for the player to move, 0 to 1."""
        return float(self.judged(position).expected[0])

    def searcher(self, seed: int, *, with_network: bool) -> Searcher:
        """A search of one thread, with an empty tree."""
        return Searcher(
            self.game,
            megabytes=MEGABYTES,
            threads=1,
            seed=seed,
            network=self.network if with_network else None,
        )

    def expectations(
        self, position: Position, playouts: Sequence[int], seed: int, *, with_network: bool
    ) -> Iterator[Expectation]:
        """What one search expects after so many playouts, rising numbers."""
        searcher = self.searcher(seed, with_network=with_network)
        searcher.move_to(position)
        for wanted in playouts:
            searcher.grow(wanted - searcher.visits)
            yield expectation(searcher, position.to_play)

    def choice(self, position: Position, playouts: int, seed: int, *, with_network: bool) -> int:
        """The code of the stone that such a search would place first; negative for a pass."""
        searcher = self.searcher(seed, with_network=with_network)
        searcher.move_to(position)
        searcher.grow(playouts)
        found = searcher.candidates(1)
        return steps_of(self.game, found[0].turn)[0] if found else -1

    def ranks(self, position: Position, stone: int, playouts: int, seed: int) -> Ranks:
        """Where `stone` stands in the policy, and by AMAF values after so many playouts of the
        search without the network.
        """
        steps = self.game.mechanics.steps(position.record())
        stones = np.array([step for step in steps if step >= 0])
        searcher = self.searcher(seed, with_network=False)
        searcher.move_to(position)
        searcher.grow(playouts)
        amaf = amaf_values(searcher.tree, position.to_play)
        logits = self.judged(position).logits
        place = int(np.flatnonzero(stones == stone)[0])
        return Ranks(rank(logits[stones], place), rank(amaf[stones], place), len(stones))


def assessor(game: Game, weights: Path | None) -> Assessor | None:
    """For the network of these weights; None if none are given and none come with the engine.

    Raises UnfitWeights.
    """
    network = network_from(game, weights)
    return None if network is None else Assessor(game, network)


def expectation(searcher: Searcher, player: int) -> Expectation:
    """What the search expects for `player`, who is to move."""
    found = searcher.candidates(1)
    best = found[0].value if found else None
    if searcher.solved and best is not None:
        return Expectation(best, best)
    tree = searcher.tree
    # At the root, results are counted as if the second player had stepped there.
    second = float(tree.points[ROOT] / (WIN * max(1, tree.visits[ROOT])))
    return Expectation(best, second if player == 2 else 1.0 - second)


def amaf_values(tree: Tree, player: int) -> NDArray[np.float64]:
    """The mean result of each placement at the root, a half where there is none; (n_steps,)."""
    table = int(tree.table[ROOT])
    visits, points = tree.amaf_visits[table, player - 1], tree.amaf_points[table, player - 1]
    return np.where(visits > 0, points / (WIN * np.maximum(visits, 1)), 0.5)


def rank(worths: NDArray[np.float32] | NDArray[np.float64], place: int) -> float:
    """The rank of one of them, 1 for the highest; equals share the mean of their ranks."""
    better = int((worths > worths[place]).sum())
    equal = int((worths == worths[place]).sum())
    return better + (equal + 1) / 2
