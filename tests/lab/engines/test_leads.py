"""Who leads in games to a number of captures."""

import engine
from lab.engines.leads import changes, leader_at, measure


def test_the_leader_halfway_is_who_is_ahead_when_someone_has_half() -> None:
    scores = [(0, 0), (0, 2), (3, 2), (3, 5), (6, 5)]
    assert leader_at(scores, 3) == 1
    assert leader_at(scores, 2) == 2
    assert leader_at([(1, 1), (3, 3)], 3) == 0
    assert changes(scores) == 3


def test_games_to_one_capture_are_short() -> None:
    told: list[str] = []
    game = engine.game("freego", "square-5", captures=1)
    found = measure(game, 3, 20, 1, told.append)
    assert (found.captures, found.games, found.leading, found.kept) == (1, 3, 3, 3)
    assert 3 < found.turns <= 25
    assert found.changes == 0
    assert len(told) == 3
