"""The measurement notices games that are missing, duplicated or different."""

from dataclasses import replace

import pytest

from lab.tournaments.distributed import DistributedPlan, DistributedVerdict

FINE = DistributedVerdict(
    games=10, once=10, same=10, voids=0, killed=1, lost=1, local_s=1.0, distributed_s=1.0
)


def test_every_game_once_and_the_same_is_fine() -> None:
    assert FINE.fine


@pytest.mark.parametrize("worse", [replace(FINE, once=9), replace(FINE, same=9)])
def test_anything_less_is_not(worse: DistributedVerdict) -> None:
    assert not worse.fine


def test_the_plan_is_a_tournament_on_nodes() -> None:
    plan = DistributedPlan(games=4, workers=2, kill_every_s=5, nodes=7, seed=3, board="pent-4")
    settings = plan.settings()
    assert [each.setup().nodes for each in settings.setups] == [7]
    assert settings.games_per_pairing == 4
