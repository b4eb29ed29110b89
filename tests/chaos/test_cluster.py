"""The short form of `make chaos ARGS="--cluster ..."`: real processes of one arena."""

from pathlib import Path

import pytest

from tests.chaos.cluster_fencing import try_fencing

pytestmark = [pytest.mark.e2e, pytest.mark.xdist_group("chaos"), pytest.mark.timeout(400)]


@pytest.mark.nightly
async def test_a_process_that_wakes_after_its_games_were_taken_over_writes_and_tells_nothing(
    tmp_path: Path,
) -> None:
    outcome = await try_fencing(tmp_path, 2, 1, print)
    assert outcome.lost == []
    assert outcome.survived == 2
