"""Reads the best turns and their lines out of the tree.

The two orders of a turn's two stones are added up.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from engine.contract import Candidate
from engine.games.mechanics import Frame
from engine.kernel.bits import int64
from engine.kernel.generic import PASS, WIN, compiled, jitable
from engine.search.tree import DRAWN, NOTHING, ROOT, UNSOLVED, Int8s, Int32s, Int64s, Tree

WORTH_A_LINE = 8
"""Visits of a node below which a principal variation ends."""
LONGEST_LINE = 6
"""Turns of a principal variation after its first."""


class BothOrders(NamedTuple):
    """Visits, points and result of each turn; `turn_of` maps each order to the index of its turn.

    Points are from the view of the player to move. A result is 0 if unknown, 1 or 2 for the winner,
    3 for a draw.
    """

    turn_of: npt.NDArray[np.intp]
    visits: Int64s
    points: Int64s
    result: Int8s


class Turns(NamedTuple):
    """Turns from one node, best first, each in the order of its stones that has most visits.

    `steps` are pairs: n_steps as the second step means that there is none, as the first it means
    a pass. `nodes` are the nodes after the turns. `values` are from the view of the player to move,
    0 to 1. `results` are the values of proved turns, None for the others.
    """

    steps: list[tuple[int, int]]
    nodes: list[int]
    visits: list[int]
    values: list[float]
    results: list[float | None]


def candidates(frame: Frame, tree: Tree, count: int) -> tuple[Candidate, ...]:
    """Return the best `count` turns at the root, each with the line that the search expects."""
    found = []
    for steps, node, visits, value, result in zip(*best_turns(tree, ROOT, count), strict=True):
        turn = turn_string(frame, tree.amaf_visits.shape[2], steps)
        line = (turn, *continuation(frame, tree, node))
        found.append(Candidate(turn, value, visits, line, result))
    return tuple(found)


def continuation(frame: Frame, tree: Tree, node: int) -> Iterator[str]:
    """Yield the turns that the tree expects after `node`, as far as it has enough visits."""
    for _ in range(LONGEST_LINE):
        if tree.visits[node] < WORTH_A_LINE or not tree.mover[node]:
            return
        best = best_turns(tree, node, 1)
        if not best.nodes:
            return
        node = best.nodes[0]
        yield turn_string(frame, tree.amaf_visits.shape[2], best.steps[0])


def turn_string(frame: Frame, n_steps: int, steps: tuple[int, int]) -> str:
    """Return the text of the turn with these two steps, as in `Turns`."""
    if steps[0] == n_steps:
        return "pass"
    return ",".join(frame.step_name(step) for step in steps if step != n_steps)


def best_turns(tree: Tree, node: int, count: int) -> Turns:
    """Return the `count` best turns: proved wins first, then by visits, proved losses last.

    Proved draws come first if the value of the best turn is below a half.
    """
    player = int(tree.mover[node])
    orders = seen_turns(tree, node)
    turn_of, visits, points, result = both_orders(tree, orders)
    value = points / (WIN * np.maximum(visits, 1))
    value[result == DRAWN] = 0.5
    value[result == player] = 1.0
    value[result == 3 - player] = 0.0
    standing = np.where(result == player, 2, np.where(result == 3 - player, 0, 1))
    best = np.lexsort((-visits, -standing))[:count].tolist()
    if any(result[turn] == DRAWN for turn in best) and value[best[0]] < 0.5:
        best.sort(key=lambda turn: result[turn] != DRAWN)
    chosen = [most_visited(tree, orders[turn_of == turn]) for turn in best]
    return Turns(
        steps=[(int(first), int(second)) for first, second, _ in chosen],
        nodes=[int(after) for _, _, after in chosen],
        visits=[int(visits[turn]) for turn in best],
        values=[float(value[turn]) for turn in best],
        results=[float(value[turn]) if result[turn] != UNSOLVED else None for turn in best],
    )


def seen_turns(tree: Tree, node: int) -> Int32s:
    """Return the turns from `node` that the tree has visited to their end, in each order.

    A row has the first step, the second step (see `Turns`) and the node after them; shape
    (orders, 3).
    """
    orders = np.empty((write_turns(tree, node, np.empty((0, 3), np.int32)), 3), np.int32)
    write_turns(tree, node, orders)
    after = orders[:, 2]
    seen: Int32s = orders[(tree.visits[after] > 0) | (tree.solved[after] != UNSOLVED)]
    return seen


@compiled
def write_turns(tree: Tree, node: int, out: Int32s) -> int:
    """Write as many rows of `seen_turns` as fit into `out`, and return how many there are.

    A first stone whose node has no edges and no result is left out: its turn may have a second
    stone.
    """
    count, last = 0, tree.amaf_visits.shape[2]
    first = tree.first_edge[node]
    if first == NOTHING:
        return count
    for edge in range(first, first + tree.edge_count[node]):
        child, step = int64(tree.child[edge]), int64(tree.step[edge])
        if child == NOTHING:
            continue
        opening = last if step == PASS else step
        second = tree.first_edge[child]
        if second != NOTHING and tree.mover[child] == tree.mover[node]:
            for below in range(second, second + tree.edge_count[child]):
                if tree.child[below] != NOTHING:
                    closing = last if tree.step[below] < 0 else int64(tree.step[below])
                    write_row(out, count, opening, closing, int64(tree.child[below]))
                    count += 1
        elif second != NOTHING or step == PASS or tree.solved[child] != UNSOLVED:
            write_row(out, count, opening, last, child)
            count += 1
    return count


@jitable
def write_row(out: Int32s, row: int, first: int, second: int, node: int) -> None:
    if row < out.shape[0]:
        out[row, 0] = first
        out[row, 1] = second
        out[row, 2] = node


def both_orders(tree: Tree, orders: Int32s) -> BothOrders:
    """Return the sums over both orders of each turn; the rows are those of `seen_turns`."""
    last = tree.amaf_visits.shape[2]
    first, second, after = orders.T.astype(np.int64)
    swapped = (first > second) & (first != last)
    keys = np.where(swapped, second, first) * (last + 1) + np.where(swapped, first, second)
    keys, turn_of = np.unique(keys, return_inverse=True)
    found = BothOrders(
        turn_of,
        visits=np.zeros(len(keys), np.int64),
        points=np.zeros(len(keys), np.int64),
        result=np.zeros(len(keys), np.int8),
    )
    np.add.at(found.visits, turn_of, tree.visits[after])
    np.add.at(found.points, turn_of, tree.points[after])
    np.maximum.at(found.result, turn_of, tree.solved[after])
    return found


def most_visited(tree: Tree, orders: Int32s) -> Int32s:
    """Return the row of a turn's order that has most visits; the lower first step wins a tie."""
    lower_first = orders[np.argsort(orders[:, 0])]
    most: Int32s = lower_first[np.argmax(tree.visits[lower_first[:, 2]])]
    return most
