"""One tree for all threads: consistent whoever grew it, and the same as ever with one thread."""

from collections import defaultdict
from threading import Barrier, Event, current_thread, main_thread

import numpy as np
import pytest

import engine
from engine.game import Game, Position
from engine.kernel.generic import PASS, WIN, Record
from engine.neural.shipped import shipped_network
from engine.search.searcher import Searcher, Worker
from engine.search.tree import NODES, NOTHING, ROOT, TABLES, Int64s, Tree, fullness

THREADS = [1, 2, 4]
GAMES = {
    "plain": engine.game("bluestone", "pent-5"),
    "stop and pass": engine.game("bluestone", "pent-3", "abstractplay"),
    "network": engine.game("bluestone", "pent-6"),
}


def searcher(game: Game, threads: int, megabytes: float = 8, seed: int = 1) -> Searcher:
    network = shipped_network(game) if game is GAMES["network"] else None
    return Searcher(game, megabytes=megabytes, threads=threads, seed=seed, network=network)


def check(tree: Tree, root: Position) -> None:
    """Everything that holds of a tree at rest."""
    nodes, edges, tables = (int(used) for used in tree.used)
    assert 1 <= nodes <= len(tree.visits)
    assert 1 <= edges <= len(tree.step)
    assert 0 <= tables <= len(tree.amaf_visits)
    check_children(tree, nodes, edges)
    parents = check_blocks(tree, nodes, edges)
    check_visits(tree, nodes, parents)
    check_tables(tree, nodes, tables)
    first, count = int(tree.first_edge[ROOT]), int(tree.edge_count[ROOT])
    steps = set(tree.step[first : first + count].tolist())
    legal = set(root.game.mechanics.steps(root.record()))
    assert len(steps) == count
    assert steps in (legal, legal - {PASS})


def check_children(tree: Tree, nodes: int, edges: int) -> None:
    """One edge at most leads to a node. None does to the root, and to what threads made twice."""
    children = tree.child[:edges]
    children = children[children != NOTHING]
    assert len(np.unique(children)) == len(children)
    assert ((children > ROOT) & (children < nodes)).all()
    forgotten = np.setdiff1d(np.arange(1, nodes), children)
    assert not tree.visits[forgotten].any()


def check_blocks(tree: Tree, nodes: int, edges: int) -> dict[tuple[int, int], list[int]]:
    """The parents of each block of edges; the blocks lie side by side without a gap."""
    assert (tree.first_edge[:nodes] >= NOTHING).all(), "somebody still works on a node"
    parents = defaultdict(list)
    for node in np.flatnonzero(tree.first_edge[:nodes] != NOTHING).tolist():
        parents[int(tree.first_edge[node]), int(tree.edge_count[node])].append(node)
        assert tree.mover[node] in (1, 2)
    end = 0
    for first, count in sorted(parents):
        assert first == end
        end += count
    assert end == edges
    return parents


def check_visits(tree: Tree, nodes: int, parents: dict[tuple[int, int], list[int]]) -> None:
    """A playout counts at each node that it passes, and at no child where it ends.

    Where two nodes share edges, their visits together are compared with those of the children; the
    root may have lost its twin when the tree was kept for another turn.
    """
    visits, points = tree.visits[:nodes], tree.points[:nodes]
    assert (visits >= 0).all()
    assert (points >= 0).all()
    assert (points <= WIN * visits.astype(np.int64)).all()
    for (first, count), above in parents.items():
        if above == [ROOT]:
            continue
        children = tree.child[first : first + count]
        assert visits[above].sum() >= visits[children[children != NOTHING]].sum()


def check_tables(tree: Tree, nodes: int, tables: int) -> None:
    """Each table belongs to one node and those that share its children."""
    assert (tree.table[:nodes] >= NOTHING).all(), "somebody still works on a table"
    owners = defaultdict(set)
    for node in np.flatnonzero(tree.table[:nodes] != NOTHING).tolist():
        owners[int(tree.table[node])].add(int(tree.first_edge[node]))
    assert sorted(owners) == list(range(tables))
    assert all(len(blocks) == 1 for blocks in owners.values())
    assert (tree.amaf_visits[:tables] >= 0).all()
    assert (tree.amaf_points[:tables] >= 0).all()


@pytest.mark.parametrize("threads", THREADS)
@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_many_short_searches_leave_a_tree_without_contradictions(game: Game, threads: int) -> None:
    search = searcher(game, threads)
    position = game.start()
    while not position.over and position.turn_number < 9:
        seen = search.move_to(position)
        check(search.tree, position) if seen else None
        for playouts in (1, 2, 3, 50, 300):
            done = search.grow(playouts)
            seen += done
            assert done == playouts or search.solved
            assert search.visits == seen
            check(search.tree, position)
        found = search.candidates(3)
        assert all(position.is_legal(each.turn) for each in found)
        position = position.play(found[0].turn)
    search.close()


@pytest.mark.parametrize("threads", THREADS)
@pytest.mark.parametrize("megabytes", [0.1, 0.4])
@pytest.mark.parametrize("game", [GAMES["plain"], GAMES["network"]], ids=["plain", "network"])
def test_threads_fill_the_memory_and_continue(game: Game, megabytes: float, threads: int) -> None:
    position = game.start().play("0-0")
    search = searcher(game, threads, megabytes)
    for _ in range(3):
        kept = search.move_to(position)
        assert search.grow(3000) == 3000
        assert search.visits == kept + 3000
        check(search.tree, position)
        position = position.play(search.candidates(1)[0].turn)
    search.close()
    assert fullness(search.tree) > 0.7
    assert search.tree.used[TABLES] == len(search.tree.amaf_visits)


def test_a_playout_for_which_there_is_no_node_counts_where_the_tree_ends() -> None:
    position = GAMES["network"].start()
    search = searcher(position.game, threads=1)
    search.move_to(position)
    search.grow(10)
    nodes = int(search.tree.used[NODES])
    search.tree.used[NODES] = len(search.tree.visits)
    assert search.grow(500) == 500
    search.tree.used[NODES] = nodes
    assert search.visits == 510
    check(search.tree, position)


@pytest.mark.parametrize("threads", THREADS)
def test_the_tree_of_several_threads_is_kept_for_the_next_turn(threads: int) -> None:
    game = engine.game("bluestone", "pent-4")
    search = searcher(game, threads)
    position = game.start()
    search.move_to(position)
    search.grow(3000)
    line = search.candidates(1)[0].line
    for turn in line[:2]:
        position = position.play(turn)
    assert 1 < search.move_to(position) < 3000
    check(search.tree, position)
    search.close()


def test_threads_share_the_memory_of_one() -> None:
    game = engine.game("bluestone", "pent-4")
    one, four = (searcher(game, threads) for threads in (1, 4))
    assert len(one.tree.step) == len(four.tree.step)
    assert len(one.tree.visits) == len(four.tree.visits)
    assert one.tree.amaf_visits.shape == four.tree.amaf_visits.shape
    four.close()


def test_one_thread_is_deterministic() -> None:
    game = engine.game("bluestone", "pent-5")
    search = searcher(game, threads=1, seed=7)
    position = game.replay(["0-0", "1-0,3-4"])
    found = []
    for _ in range(2):
        search.move_to(position)
        search.grow(1000)
        search.grow(1000)
        best = search.candidates(3)
        found.append([(each.turn, each.visits, round(each.value * each.visits)) for each in best])
        position = position.play(best[0].turn)
    assert found == FOUND


FOUND = [
    [("4-17,4-10", 124, 67), ("4-17,3-2", 97, 54), ("3-11,4-6", 68, 36)],
    [("4-11,4-6", 219, 116), ("4-11,4-18", 106, 53), ("4-9,4-11", 61, 30)],
]
"""Turn, visits and points: what each tree grown by one thread found before threads shared one."""


class Failing(Searcher):
    """Of its two threads one fails, once both are at work."""

    def __init__(self, *, in_helper: bool) -> None:
        super().__init__(GAMES["plain"], megabytes=8, threads=2, seed=1)
        self.in_helper = in_helper
        self.both = Barrier(2)
        self.has_ended = Event()

    def _take_part(self, worker: Worker, root: Record, left: Int64s) -> int:
        self.both.wait()
        is_helper = current_thread() is not main_thread()
        if is_helper == self.in_helper:
            raise MemoryError
        done = super()._take_part(worker, root, left)
        self.has_ended.set()
        return done


@pytest.mark.parametrize("in_helper", [True, False])
def test_an_error_in_a_thread_is_raised_after_all_threads_have_stopped(in_helper: bool) -> None:
    search = Failing(in_helper=in_helper)
    search.move_to(GAMES["plain"].start())
    with pytest.raises(MemoryError):
        search.grow(20_000)
    assert search.has_ended.is_set()
    search.close()


# ---- halts -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [info.name for info in engine.games()])
@pytest.mark.parametrize("seconds", [0.0, -5.0])
def test_a_halted_search_ends_after_one_playout_in_every_game(name: str, seconds: float) -> None:
    game = engine.game(name)
    search = Searcher(game, megabytes=8, threads=1, seed=1, network=shipped_network(game))
    search.move_to(game.start())
    search.halt_in(seconds)
    assert search.grow(5000) == 1
    search.halt_in(3600)
    assert search.grow(20) == 20
    search.halt()
    assert search.grow(5000) == 1
    search.prove(10**9)
    search.halt_in(None)
    assert search.grow(20) == 20
    assert search.visits == 42


def test_every_thread_notices_a_halt() -> None:
    search = searcher(GAMES["plain"], 4)
    search.move_to(GAMES["plain"].start())
    search.halt()
    assert 1 <= search.grow(50_000) <= 4


def test_a_halt_that_never_comes_changes_nothing() -> None:
    found = []
    for seconds in (None, 3600):
        search = searcher(GAMES["network"], 1)
        search.move_to(GAMES["network"].start())
        search.halt_in(seconds)
        search.grow(300)
        found.append(search.candidates(5))
    assert found[0] == found[1]
