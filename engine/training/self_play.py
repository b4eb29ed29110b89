"""Self-play: games of the search against itself, and what it found before the steps.

Most turns get a short search, only to choose a turn. A share of them gets a long search, from which
the policy is learnt (playout cap randomization: Wu, 2019). The value is learnt from both.
"""

import io
import random
from collections.abc import Iterator
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from engine.contract import Candidate
from engine.game import Game, Position
from engine.kernel.generic import PASS, STOP
from engine.neural.network import Network, network_for
from engine.neural.parameters import load_parameters
from engine.search.searcher import Searcher, steps_of
from engine.search.tree import NOTHING, ROOT, Tree, child_of
from engine.training.records import SearchRow, TrainingGame
from engine.training.settings import SelfPlay

CANDIDATES = 8
"""The number of best turns from which the played one is drawn."""
MEGABYTES = 32
"""The size of the tree of one search."""


def searcher_for(game: Game, weights: bytes | None, seed: int) -> Searcher:
    """Return a searcher with the weights of a file of `engine.neural.parameters`, as bytes.

    Without weights, it searches by playouts alone.
    """
    network = None if weights is None else _network(game, weights)
    return Searcher(game, megabytes=MEGABYTES, threads=1, seed=seed, network=network)


@lru_cache(maxsize=16)  # two for each board of a training
def _network(game: Game, weights: bytes) -> Network:
    return network_for(game, load_parameters(io.BytesIO(weights)))


def play_game(
    game: Game, searcher: Searcher, settings: SelfPlay, chance: random.Random
) -> TrainingGame:
    """Play one game to its end; `chance` draws its random choices."""
    steps, rows = list[int](), list[SearchRow]()
    position = opened(game, settings.random_turns, chance, steps)
    draws = np.random.default_rng(chance.getrandbits(63))
    while not position.over:
        is_full = chance.random() < settings.full_share
        found = look(searcher, position, settings.full if is_full else settings.quick)
        if not found:
            position = play(position, position.random_turn(chance), steps)
            continue
        spread = settings.spread if len(position.turns) < settings.drawn_turns else 0.0
        turn = draw_candidate(found, spread, draws).turn
        if found[0].result is None:
            fewest = settings.fewest_visits if is_full else None
            codes = steps_of(position, turn)
            rows += rows_of(searcher.tree, codes, len(steps), found[0].value, fewest)
        position = play(position, turn, steps)
    return TrainingGame(tuple(steps), tuple(rows), position.winner or 0)


def opened(game: Game, most: int, chance: random.Random, steps: list[int]) -> Position:
    """Return the position after 0 to `most` random turns; add their steps to `steps`."""
    position = game.start()
    for _ in range(chance.randint(0, most)):
        if not position.over:
            position = play(position, position.random_turn(chance), steps)
    return position


def look(searcher: Searcher, position: Position, playouts: int) -> tuple[Candidate, ...]:
    """Return the best turns after `playouts` playouts, including those of earlier searches."""
    kept = searcher.move_to(position)
    searcher.grow(max(1, playouts - kept))
    return searcher.candidates(CANDIDATES)


def draw_candidate(
    candidates: tuple[Candidate, ...], spread: float, rng: np.random.Generator
) -> Candidate:
    """Draw a candidate with a probability proportional to its visits to the power 1 / `spread`.

    Returns the first candidate if `spread` is 0, if that one is a proved win, or without visits.
    """
    if spread == 0 or candidates[0].result == 1:
        return candidates[0]
    visits = np.array([candidate.visits for candidate in candidates], np.float64)
    if not visits.any():
        return candidates[0]
    weights = (visits / visits.max()) ** (1 / spread)
    return candidates[int(rng.choice(len(candidates), p=weights / weights.sum()))]


def rows_of(
    tree: Tree, turn: tuple[int, ...], at: int, value: float, fewest: int | None
) -> Iterator[SearchRow]:
    """Yield what the search found before the first stone of a turn, and before the second.

    `turn` are the steps of the turn and `at` is the number of steps before it. `fewest` are the
    visits from which the second stone has a policy; None: neither stone has one.
    """
    yield SearchRow(at, value, None if fewest is None else child_visits(tree, ROOT))
    if len(turn) < 2 or turn[0] < 0:
        return
    node = int(child_of(tree, ROOT, turn[0]))
    if node == NOTHING or tree.first_edge[node] == NOTHING:
        return
    seen = fewest is not None and tree.visits[node] >= fewest
    yield SearchRow(at + 1, value, child_visits(tree, node) if seen else None)


def child_visits(tree: Tree, node: int) -> NDArray[np.int32]:
    """Return the visits of each placement from `node`, shape (n_steps,), no passes and stops."""
    visits = np.zeros(tree.amaf_visits.shape[2], np.int32)
    first = int(tree.first_edge[node])
    edges = slice(first, first + int(tree.edge_count[node]))
    steps, children = tree.step[edges], tree.child[edges]
    visited = (steps >= 0) & (children != NOTHING)
    visits[steps[visited]] = tree.visits[children[visited]]
    return visits


def play(position: Position, turn: str, steps: list[int]) -> Position:
    """Return the position after `turn`; add its steps to `steps`, including a stop."""
    codes = steps_of(position, turn)
    steps += codes
    if len(codes) == 1 and codes[0] != PASS and goes_on(position, codes[0]):
        steps.append(STOP)
    return position.play(turn)


def goes_on(position: Position, step: int) -> bool:
    """Return whether the turn may have a second stone after the first, `step`."""
    state = position.record()
    position.game.mechanics.try_step(state, step)
    return bool(state["step"] == 1)
