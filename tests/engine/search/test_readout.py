"""What is read from a tree, beside what one finds by following each order of a turn's stones."""

import pytest

import engine
from engine.game import Game, Position
from engine.kernel.generic import STOP, WIN
from engine.search.searcher import Searcher, steps_of
from engine.search.tree import NOTHING, ROOT, child_of

OPENING = ("1-0", "1-1,1-4", "2-2,1-3")
GAMES = {
    "two stones": (engine.game("bluestone", "pent-4"), ("0-0",)),
    "colours": (engine.game("blooms", "hexhex-4"), ()),
    "stop": (engine.game("bluestone", "pent-3", "abstractplay"), OPENING),
    "stop and pass": (
        engine.game("bluestone", "pent-3", "abstractplay"),
        (*OPENING, "2-9,2-3", "pass"),
    ),
}


def searched(game: Game, turns: tuple[str, ...], playouts: int) -> tuple[Searcher, Position]:
    search, position = Searcher(game, megabytes=8, threads=1, seed=2), game.replay(turns)
    search.move_to(position)
    search.grow(playouts)
    return search, position


def orders_of(search: Searcher, turn: str) -> dict[tuple[int, ...], int]:
    """The nodes in which the orders of a turn end."""
    found = {}
    steps = steps_of(search.game.start(), turn)
    for order in {steps, steps[::-1]}:
        node = ROOT
        for step in order:
            node = NOTHING if node == NOTHING else int(child_of(search.tree, node, step))
        if node != NOTHING and search.tree.mover[node] == search.tree.mover[ROOT]:
            node = int(child_of(search.tree, node, STOP))
        if node != NOTHING:
            found[order] = node
    return found


@pytest.mark.parametrize("playouts", [3, 50, 3000])
@pytest.mark.parametrize(("game", "turns"), GAMES.values(), ids=GAMES)
def test_a_candidate_has_the_visits_and_points_of_both_orders(
    game: Game, turns: tuple[str, ...], playouts: int
) -> None:
    search, position = searched(game, turns, playouts)
    tree, found = search.tree, search.candidates(10_000)
    for each in found:
        nodes = orders_of(search, each.turn)
        visits = sum(int(tree.visits[node]) for node in nodes.values())
        assert each.visits == visits
        if each.result is None:
            points = sum(int(tree.points[node]) for node in nodes.values())
            assert each.value == pytest.approx(points / (WIN * visits))
        assert each.line[0] == each.turn
        assert position.is_legal(each.turn)
    turns_found = [frozenset(each.turn.split(",")) for each in found]
    assert len(set(turns_found)) == len(turns_found)
    open_ones = [each.visits for each in found if each.result is None]
    assert open_ones == sorted(open_ones, reverse=True)


def test_fewer_candidates_are_the_first_of_more() -> None:
    search, _ = searched(*GAMES["two stones"], 3000)
    assert search.candidates(3) == search.candidates(50)[:3]
    assert len(search.candidates(50)) == 50


def test_nothing_is_read_from_a_tree_that_has_seen_nothing() -> None:
    search = Searcher(GAMES["two stones"][0], megabytes=8, threads=1, seed=2)
    search.move_to(GAMES["two stones"][0].start())
    assert search.candidates(3) == ()
