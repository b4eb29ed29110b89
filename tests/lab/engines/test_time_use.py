"""What ways to use time are worth: the figures that are told of the games."""

import engine
from lab.engines.time_use import measure_clocks, measure_pondering

GAME, NODES = engine.game("bluestone", "pent-3"), 20


def test_the_expected_turns_of_all_games_are_counted() -> None:
    told: list[str] = []
    found = measure_pondering(GAME, NODES, 2, 1, told.append)
    assert (found.game, found.board, found.nodes) == ("bluestone", "pent-3", NODES)
    assert 0 <= found.low <= found.share <= found.high <= 1
    assert found.share == found.hits / found.turns
    assert found.gained == round(NODES * found.share)
    assert told[-1] == f"game 2 of 2: {found.hits} of {found.turns} turns expected"


def test_clocks_are_compared_in_pairs_of_games() -> None:
    told: list[str] = []
    found = measure_clocks(GAME, NODES, 3, 1, told.append)
    assert found.wins + found.draws + found.losses == 4
    assert found.low <= found.score <= found.high
    assert all(used > 0 for used in found.playouts)
    assert len(told) == 2
