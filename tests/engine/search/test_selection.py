"""Which edge a playout follows."""

import pytest

from engine.kernel.generic import WIN
from engine.search.selection import ALL_SOLVED, best_edge
from engine.search.tree import (
    EDGES,
    NOTHING,
    REFUTED,
    ROOT,
    Tree,
    allocate,
    make_child,
    reset_edge,
    take,
)
from engine.search.tuning import BY_PRIORS, PLAYOUTS_ALONE, Tuning

STEPS = 9
MOVER = 1


def tree_with(priors: list[int]) -> Tree:
    """A tree whose root has an edge for each prior, without visits."""
    tree = allocate(1, STEPS)
    first = take(tree, EDGES, len(priors), len(tree.step))
    for number, prior in enumerate(priors):
        reset_edge(tree, first + number, number)
        tree.prior[first + number] = prior
    tree.first_edge[ROOT], tree.edge_count[ROOT], tree.mover[ROOT] = first, len(priors), MOVER
    return tree


def visit(tree: Tree, edge: int, visits: int, points: int) -> int:
    child = make_child(tree, edge)
    tree.visits[child] += visits
    tree.points[child] += points
    return child


def followed(tree: Tree, tuning: Tuning) -> int:
    return int(best_edge(tree, ROOT, NOTHING, tuning))


def test_by_priors_the_best_prior_is_followed_first_and_a_poor_one_after_many_losses() -> None:
    tree = tree_with([5, 100, 20])
    assert followed(tree, BY_PRIORS) == 1
    visit(tree, 1, 1, WIN)
    assert followed(tree, BY_PRIORS) == 1
    visit(tree, 1, 30, 0)
    assert followed(tree, BY_PRIORS) == 2
    visit(tree, 1, 300, 0)
    visit(tree, 2, 100, 0)
    assert followed(tree, BY_PRIORS) == 0


def test_by_priors_a_good_result_outweighs_a_good_prior_in_the_end() -> None:
    tree = tree_with([50, 50])
    visit(tree, 0, 1000, 400 * WIN)
    visit(tree, 1, 1000, 600 * WIN)
    assert followed(tree, BY_PRIORS) == 1


@pytest.mark.parametrize("tuning", [BY_PRIORS, PLAYOUTS_ALONE])
def test_edges_with_a_known_result_and_refuted_ones_are_left_out(tuning: Tuning) -> None:
    tree = tree_with([100, 100, 1])
    tree.prior[0] = REFUTED
    tree.solved[visit(tree, 1, 1, 0)] = 3 - MOVER
    assert followed(tree, tuning) == 2
    tree.prior[2] = REFUTED
    assert followed(tree, tuning) == ALL_SOLVED
    tree.solved[tree.child[1]] = MOVER
    assert followed(tree, tuning) == 1
