"""How results are added up along a path of the tree."""

import numpy as np

from engine.kernel.generic import WIN
from engine.kernel.halt import new_halt
from engine.neural.network import no_network
from engine.search.descent import Scratch, scratch
from engine.search.simulation import MOST_COUNTED, add_points, add_to_tables
from engine.search.tree import NOTHING, ROOT, TAKEN, Tree, allocate, new_table, reset_node

STEPS = 9
FIRST, SECOND = 1, 2
"""Nodes below the root: a step of the first player, then one of the second."""


def path() -> tuple[Tree, Scratch]:
    tree, work = (
        allocate(1, STEPS),
        scratch(STEPS, 1, no_network(), np.zeros(0, np.uint8), new_halt()),
    )
    for node in (FIRST, SECOND):
        reset_node(tree, node)
    work.path[:3] = ROOT, FIRST, SECOND
    work.movers[:3] = 0, 1, 2
    return tree, work


def test_a_result_counts_for_the_player_who_made_the_step() -> None:
    tree, work = path()
    for result in (WIN, 70):
        add_points(tree, work, 3, result)
    assert tree.points[FIRST] == WIN + 70
    assert tree.points[SECOND] == 30


def test_points_outgrow_32_bits() -> None:
    tree, work = path()
    tree.points[FIRST] = 2**40
    add_points(tree, work, 3, WIN)
    assert tree.points[FIRST] == 2**40 + WIN


def test_tables_are_counted_while_their_node_is_young() -> None:
    tree, work = path()
    tables = [new_table(tree) for _ in range(2)]
    assert NOTHING not in tables
    tree.table[FIRST], tree.table[SECOND] = tables
    tree.visits[FIRST] = MOST_COUNTED + 1
    work.standing[0, 4], work.credit[0, 4] = 1, 70
    add_to_tables(tree, work, 3)
    assert not tree.amaf_visits[tables[0]].any()
    assert tree.amaf_visits[tables[1], 0, 4] == 1
    assert tree.amaf_points[tables[1], 0, 4] == 70
    assert np.iinfo(tree.amaf_points.dtype).max >= 2 * (MOST_COUNTED + 1) * WIN


def test_a_table_in_the_making_is_not_used_by_other_threads() -> None:
    tree, work = path()
    tree.amaf_visits[:] = 0
    tree.table[FIRST] = TAKEN
    work.standing[0, 4], work.credit[0, 4] = 1, 70
    add_to_tables(tree, work, 3)
    assert not tree.amaf_visits.any()
