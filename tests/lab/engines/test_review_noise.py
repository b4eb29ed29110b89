"""The positions on which reviews are measured."""

import engine
from lab.engines.review_noise import EVERY, sample_positions


def test_positions_come_from_all_of_a_game_and_from_both_players() -> None:
    positions = list(sample_positions(engine.game("bluestone", board="pent-3"), 8))
    assert len(positions) == len({position.turns for position in positions}) == 8
    assert {position.to_play for position in positions} == {1, 2}
    assert [len(position.turns) for position in positions[:3]] == [0, EVERY, 2 * EVERY]
    assert not any(position.over for position in positions)
