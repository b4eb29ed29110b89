"""Compares a network's judgement of positions with searches that use it and that do not."""

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
    """What a search expects for the player to move, 0 to 1.

    `best` is the value of its best turn, None while no turn is visited to its end. `mean` is the
    mean of all its playouts.
    """

    best: float | None
    mean: float


class Ranks(NamedTuple):
    """The ranks of a stone among `choices`, from 1, by the network's policy and by AMAF values."""

    policy: float
    amaf: float
    choices: int


@dataclass(frozen=True)
class Assessor:
    """Evaluates and searches positions with and without a network; no game may be over."""

    game: Game
    network: Network

    def judged(self, position: Position) -> Activations:
        """Return the output of the network alone."""
        work = activations(self.network, self.game.mechanics.n_steps)
        judge(self.game.record, position.record(), self.network, work)
        return work

    def expected(self, position: Position) -> float:
        """Return what the network expects for the player to move, 0 to 1."""
        return float(self.judged(position).expected[0])

    def searcher(self, seed: int, *, with_network: bool) -> Searcher:
        """Return a searcher with one thread and an empty tree."""
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
        """Yield what one search expects after each of `playouts`, which must be ascending."""
        searcher = self.searcher(seed, with_network=with_network)
        searcher.move_to(position)
        for wanted in playouts:
            searcher.grow(wanted - searcher.visits)
            yield expectation(searcher, position.to_play)

    def choice(self, position: Position, playouts: int, seed: int, *, with_network: bool) -> int:
        """Return the first step of such a search's best turn; negative for a pass or no turn."""
        searcher = self.searcher(seed, with_network=with_network)
        searcher.move_to(position)
        searcher.grow(playouts)
        found = searcher.candidates(1)
        return steps_of(position, found[0].turn)[0] if found else -1

    def ranks(self, position: Position, stone: int, playouts: int, seed: int) -> Ranks:
        """Return the ranks of `stone` by the policy and by AMAF values.

        The AMAF values are those of a search of `playouts` playouts without the network.
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
    """Return the assessor of the network in the file `weights`.

    Without a file it is that of the shipped network, None if there is none. Raises UnfitWeights.
    """
    network = network_from(game, weights)
    return None if network is None else Assessor(game, network)


def expectation(searcher: Searcher, player: int) -> Expectation:
    """Return what the search expects for `player`, who must be the player to move."""
    found = searcher.candidates(1)
    best = found[0].value if found else None
    if searcher.solved and best is not None:
        return Expectation(best, best)
    tree = searcher.tree
    # At the root, points are counted as if the second player had made the step that led there.
    second = float(tree.points[ROOT] / (WIN * max(1, tree.visits[ROOT])))
    return Expectation(best, second if player == 2 else 1.0 - second)


def amaf_values(tree: Tree, player: int) -> NDArray[np.float64]:
    """Return the AMAF mean of each placement at the root, a half if unknown; shape (n_steps,)."""
    table = int(tree.table[ROOT])
    visits, points = tree.amaf_visits[table, player - 1], tree.amaf_points[table, player - 1]
    return np.where(visits > 0, points / (WIN * np.maximum(visits, 1)), 0.5)


def rank(worths: NDArray[np.float32] | NDArray[np.float64], place: int) -> float:
    """Return the rank of `worths[place]`, 1 for the highest; equal worths share their mean rank."""
    better = int((worths > worths[place]).sum())
    equal = int((worths == worths[place]).sum())
    return better + (equal + 1) / 2
