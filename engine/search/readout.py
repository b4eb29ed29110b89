"""What the tree found out, as turns. The two orders of two stones are counted together."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from engine.contract import Candidate
from engine.game import Game
from engine.kernel.generic import PASS, WIN, compiled, jitable
from engine.search.tree import DRAWN, NOTHING, ROOT, UNSOLVED, Int8s, Int32s, Int64s, Tree

WORTH_A_LINE = 8
"""Visits below which a principal variation says nothing more."""
LONGEST_LINE = 6


class TurnTable(NamedTuple):
    """Visits, points, node and result of each turn from one node, the view that of its player
    to move.

    The shape is (n_steps + 1, n_steps + 1), first stone by second; the last column is for turns of
    one step, and the last row for the pass. Results: 0 for not known, 1 or 2 for the winner, 3 for
    a draw.
    """

    visits: Int32s
    points: Int64s
    node: Int32s
    result: Int8s


def turn_table(tree: Tree, node: int) -> TurnTable:
    """The turns from `node` that the tree has seen to their end; the two orders of a turn still
    apart.
    """
    side = tree.amaf_visits.shape[2] + 1
    table = TurnTable(
        visits=np.zeros((side, side), np.int32),
        points=np.zeros((side, side), np.int64),
        node=np.full((side, side), NOTHING, np.int32),
        result=np.zeros((side, side), np.int8),
    )
    fill_turns(tree, node, table)
    return table


@compiled
def fill_turns(tree: Tree, node: int, table: TurnTable) -> None:
    """Write the turns from `node` into an empty table.

    A first stone whose node has no edges and no result may have a second to come: it is left
    out.
    """
    last = tree.amaf_visits.shape[2]
    first = tree.first_edge[node]
    if first == NOTHING:
        return
    for edge in range(first, first + tree.edge_count[node]):
        child, step = tree.child[edge], tree.step[edge]
        if child == NOTHING:
            continue
        row = last if step == PASS else step
        second = tree.first_edge[child]
        if second != NOTHING and tree.mover[child] == tree.mover[node]:
            for below in range(second, second + tree.edge_count[child]):
                column = tree.step[below] if tree.step[below] >= 0 else last
                fill_turn(tree, tree.child[below], table, row, column)
        elif second != NOTHING or step == PASS or tree.solved[child] != UNSOLVED:
            fill_turn(tree, child, table, row, last)


@jitable
def fill_turn(tree: Tree, node: int, table: TurnTable, row: int, column: int) -> None:
    """`node` may be NOTHING."""
    if node == NOTHING:
        return
    table.visits[row, column] = tree.visits[node]
    table.points[row, column] = tree.points[node]
    table.node[row, column] = node
    table.result[row, column] = tree.solved[node]


def pooled(table: TurnTable) -> tuple[Int32s, Int64s, Int8s]:
    """Visits, points and results over both orders, in the upper triangle (and the last row)."""
    visits, points, result = table.visits.copy(), table.points.copy(), table.result.copy()
    stones = slice(0, len(visits) - 1)
    for both in (visits, points):
        both[stones, stones] += both[stones, stones].T
        both[stones, stones] = np.triu(both[stones, stones])
    result[stones, stones] = np.triu(np.maximum(result[stones, stones], result[stones, stones].T))
    return visits, points, result


class Turns(NamedTuple):
    """The turns from one node, best first: their cells of the table, visits, values and proved
    results.
    """

    cells: list[tuple[int, int]]
    visits: list[int]
    values: list[float]
    results: list[float | None]


def ranked(table: TurnTable, player: int, count: int) -> Turns:
    """The `count` best turns: proved wins, then by visits, then proved losses; a draw beats a bad
    game.
    """
    visits, points, result = pooled(table)
    seen = np.flatnonzero((visits > 0) | (result != UNSOLVED))
    flat_visits, flat_result = visits.ravel()[seen], result.ravel()[seen]
    value = points.ravel()[seen] / (WIN * np.maximum(flat_visits, 1))
    value[flat_result == DRAWN] = 0.5
    value[flat_result == player] = 1.0
    value[flat_result == 3 - player] = 0.0
    standing = np.where(flat_result == player, 2, np.where(flat_result == 3 - player, 0, 1))
    order = np.lexsort((-flat_visits, -standing))[:count].tolist()
    if any(flat_result[i] == DRAWN for i in order) and value[order[0]] < 0.5:
        order.sort(key=lambda i: flat_result[i] != DRAWN)
    rows, columns = np.divmod(seen, len(visits))
    return Turns(
        cells=[(int(rows[i]), int(columns[i])) for i in order],
        visits=[int(flat_visits[i]) for i in order],
        values=[float(value[i]) for i in order],
        results=[float(value[i]) if flat_result[i] != UNSOLVED else None for i in order],
    )


def candidates(game: Game, tree: Tree, count: int) -> tuple[Candidate, ...]:
    """The best turns at the root, each with the line that the search expects to follow."""
    table = turn_table(tree, ROOT)
    turns = ranked(table, int(tree.mover[ROOT]), count)
    found = []
    for cell, visits, value, result in zip(*turns, strict=True):
        node, turn = most_visited(game, table, cell)
        line = (turn, *continuation(game, tree, node))
        found.append(Candidate(turn, value, visits, line, result))
    return tuple(found)


def most_visited(game: Game, table: TurnTable, cell: tuple[int, int]) -> tuple[int, str]:
    """The order of a turn that was searched most: its node, and its string."""
    last = len(table.visits) - 1
    orders = [cell] if last in cell else [cell, cell[::-1]]
    order = max(orders, key=lambda each: (table.node[each] != NOTHING, table.visits[each]))
    return int(table.node[order]), turn_string(game, order)


def turn_string(game: Game, cell: tuple[int, int]) -> str:
    """The turn of that cell of a turn table."""
    last = len(game.step_names)
    if cell[0] == last:
        return "pass"
    return ",".join(game.step_names[step] for step in cell if step != last)


def continuation(game: Game, tree: Tree, node: int) -> Iterator[str]:
    """The turns that the tree expects after `node`, as far as it has looked."""
    for _ in range(LONGEST_LINE):
        if node == NOTHING or tree.visits[node] < WORTH_A_LINE or not tree.mover[node]:
            return
        table = turn_table(tree, node)
        turns = ranked(table, int(tree.mover[node]), 1)
        if not turns.cells:
            return
        node, turn = most_visited(game, table, turns.cells[0])
        yield turn
