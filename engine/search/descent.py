"""The way down of a playout: from the root to a leaf, which gets edges if it has enough visits."""

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from engine.kernel.atomics import add, exchange, publish, published
from engine.kernel.bits import int64
from engine.kernel.generic import Memory, Record, is_over, jitable, outcome, play_step
from engine.kernel.halt import Halt
from engine.neural.evaluation import Activations, activations, judge
from engine.neural.network import Network
from engine.search.expansion import (
    make_edges,
    network_priors,
    prove_again,
    revise_priors,
    share_edges,
)
from engine.search.selection import ALL_SOLVED, best_edge, solved_value
from engine.search.tree import (
    DRAWN,
    NOTHING,
    ROOT,
    TAKEN,
    UNSOLVED,
    Int8s,
    Int16s,
    Int32s,
    Tree,
    fullness,
    give_table,
    make_child,
)
from engine.search.tuning import Tuning

LONGEST_PATH: Final = 512
"""Nodes of a path, with the root; deeper, a playout leaves the tree."""
LEFT, SHARED, GREW = 0, 1, 2
"""Results of `grow`: the leaf got no edges, those of its twin, or its own."""


class Scratch(NamedTuple):
    """The buffers of one thread: the path of a playout, and the stones that it credits.

    `path`, `path_steps` and `movers` have, for each node of the path, its number, the step that led
    to it and the player who made the step. `standing` is 1 for each credited stone and `credit` the
    points that it won; both have the shape (2 players, n_steps). `thoughts` are the buffers of the
    network, `proofs` those of the game's prover. All threads of a search share one `halt`.
    """

    path: Int32s
    path_steps: Int16s
    movers: Int8s
    steps: Int16s
    owner: Int8s
    standing: Int32s
    credit: Int32s
    rng: npt.NDArray[np.uint64]
    thoughts: Activations
    proofs: Memory
    halt: Halt


def scratch(n_steps: int, seed: int, network: Network, proofs: Memory, halt: Halt) -> Scratch:
    return Scratch(
        path=np.zeros(LONGEST_PATH, np.int32),
        path_steps=np.zeros(LONGEST_PATH, np.int16),
        movers=np.zeros(LONGEST_PATH, np.int8),
        steps=np.zeros(n_steps + 2, np.int16),
        owner=np.zeros(n_steps, np.int8),
        standing=np.zeros((2, n_steps), np.int32),
        credit=np.zeros((2, n_steps), np.int32),
        rng=np.array([seed], np.uint64),
        thoughts=activations(network, n_steps),
        proofs=proofs,
        halt=halt,
    )


@jitable
def descend(
    board: Record, state: Record, tree: Tree, work: Scratch, tuning: Tuning, network: Network
) -> tuple[int, bool]:
    """Follow the best edges from the root to a leaf, count the visits, and grow the leaf.

    With a network, the descent ends at the leaf that the network evaluates. Returns the length of
    the path and whether the network evaluated its end.
    """
    node, length, table = ROOT, 1, NOTHING
    judges = network.layers.shape[0] > 0
    work.path[0] = ROOT
    work.movers[0] = 0
    visits = add(tree.visits, ROOT, 1)
    while length < LONGEST_PATH and tree.solved[node] == UNSOLVED:
        if is_over(board, state):
            winner = outcome(board, state)
            tree.solved[node] = DRAWN if winner == 0 else winner
            break
        if published(tree.first_edge, node) < 0:
            grown = grow(board, state, tree, work, tuning, network, length, visits)
            if grown != SHARED and judges:
                return length, True
            if grown == LEFT or tree.solved[node] != UNSOLVED:
                break
        if tuning.priors and visits == tuning.revision_visits:
            revise_priors(board, state, tree, node, work.steps)
        nodes = nodes_to_prove(visits, tuning) if node != ROOT else 0
        if nodes > 0:
            prove_again(board, state, tree, node, work.steps, work.proofs, nodes, work.halt)
            if tree.solved[node] != UNSOLVED:
                break
        table = reading_table(tree, node, visits, table, tuning)
        edge = best_edge(tree, node, table, tuning)
        if edge == ALL_SOLVED:
            tree.solved[node] = solved_value(tree, node)
            break
        child = make_child(tree, edge)
        if child != NOTHING and tree.solved[child] == tree.mover[node]:
            tree.solved[node] = tree.mover[node]
            break
        step = int64(tree.step[edge])
        if child == NOTHING:
            play_step(board, state, step)
            return length, last_look(board, state, work, network)
        work.movers[length] = state.player
        work.path[length] = child
        work.path_steps[length] = step
        length += 1
        visits = add(tree.visits, child, 1)
        play_step(board, state, step)
        node = child
    return length, False


@jitable
def nodes_to_prove(visits: int, tuning: Tuning) -> int:
    """Return how many positions the game may look at for a proof at these visits, mostly 0.

    The numbers of visits at which it looks are ten times as far from one to the next, so most of
    the time goes to playouts.
    """
    due = tuning.proof_visits
    while 0 < due < visits:
        due *= 10
    return tuning.nodes_per_visit * visits if due == visits and tuning.proof_nodes > 0 else 0


@jitable
def last_look(board: Record, state: Record, work: Scratch, network: Network) -> bool:
    """Evaluate a position for which no node is left; return whether a network did so."""
    if network.layers.shape[0] == 0 or is_over(board, state):
        return False
    judge(board, state, network, work.thoughts)
    return True


@jitable
def grow(
    board: Record,
    state: Record,
    tree: Tree,
    work: Scratch,
    tuning: Tuning,
    network: Network,
    length: int,
    visits: int,
) -> int:
    """Give the leaf at the end of the path edges, and let the network, if any, evaluate it.

    `visits` are those before this playout. The leaf gets edges if they suffice, memory is left and
    no other thread is making them. A leaf that gets the edges of its twin is not evaluated: its
    position was already. Returns GREW, SHARED or LEFT.
    """
    node = int64(work.path[length - 1])
    judges = network.layers.shape[0] > 0
    grows = node == ROOT or visits >= visits_to_expand(tree, tuning)
    grows = grows and exchange(tree.first_edge, node, NOTHING, TAKEN)
    first = NOTHING
    if grows:
        if length >= 3 and work.movers[length - 1] == work.movers[length - 2]:
            before = int64(work.path[length - 3])
            stones = int64(work.path_steps[length - 2]), int64(work.path_steps[length - 1])
            if share_edges(tree, before, stones[0], stones[1], node):
                return SHARED
        knows = tuning.priors and not judges
        nodes, halt = tuning.proof_nodes, work.halt
        first = make_edges(
            board, state, tree, node, work.steps, work.rng, knows, work.proofs, nodes, halt
        )
    if judges:
        judge(board, state, network, work.thoughts)
        if first != NOTHING:
            count, logits = int64(tree.edge_count[node]), work.thoughts.logits
            network_priors(board, state, tree, first, count, work.steps, logits, tuning)
    if grows:
        publish(tree.first_edge, node, first)
    return LEFT if first == NOTHING else GREW


@jitable
def visits_to_expand(tree: Tree, tuning: Tuning) -> int:
    """Return the visits at which a leaf gets edges.

    The number rises as the memory fills, so the tree keeps growing where the search visits most.
    """
    full = fullness(tree)
    if full < 0.5:
        return tuning.expand_visits
    return max(tuning.expand_visits, 1) * (4 if full < 0.75 else 16)


@jitable
def reading_table(tree: Tree, node: int, visits: int, inherited: int, tuning: Tuning) -> int:
    """Return the table to read at `node`, NOTHING if there is none yet.

    It is the node's own table from `tuning.reference_visits` visits on, else the `inherited` one of
    an ancestor. A node that has enough visits for its own table gets one here.
    """
    if tuning.table_visits < 0:
        return NOTHING
    own = published(tree.table, node)
    if own == NOTHING and (node == ROOT or visits >= tuning.table_visits):
        give_table(tree, node)
        own = published(tree.table, node)
    if own < 0:
        return inherited
    if inherited == NOTHING or visits >= tuning.reference_visits:
        return own
    return inherited
