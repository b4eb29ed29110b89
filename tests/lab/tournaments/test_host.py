from dataclasses import replace

import pytest

from lab.tournaments.host import HostPlan, HostVerdict, measure

OUTCOME = HostVerdict(
    games=2,
    turns=80,
    seconds=8.0,
    time_forfeits=0,
    other_faults=0,
    voids=0,
    host_share=0.02,
    besides_a_turn=2.0,
    host_cpu_a_turn=0.5,
)


def test_a_forfeit_or_a_large_share_is_not_fine() -> None:
    assert OUTCOME.fine
    assert not replace(OUTCOME, time_forfeits=1).fine
    assert not replace(OUTCOME, voids=1).fine
    assert not replace(OUTCOME, host_share=0.051).fine


@pytest.mark.e2e
async def test_a_match_is_measured() -> None:
    found = await measure(
        HostPlan(games=2, turn_ms=10, concurrency=2, board="pent-4", seed=1), lambda _: None
    )

    assert found.games == 2
    assert found.turns > 10
    assert 0 < found.host_share < 1
    assert found.late["median"] <= found.late["99 %"] <= found.late["highest"]
