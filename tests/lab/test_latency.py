"""`make lab ARGS=latency`: a short run with real programs."""

import pytest

import engine
from lab import latency


@pytest.mark.e2e
@pytest.mark.xdist_group("up")
async def test_turns_are_timed_by_the_bots_own_log() -> None:
    times = await latency.measure(3, engine.game("bluestone", "pent-4"), lambda _: None)
    assert times.count == 3
    assert 0 < times.median <= times.highest
