"""Without its folder only a feature is missing: two guests and a capability by turns, a day each.

`make nightly` has all of them (tests/nightly/test_removal.py).
"""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.house.removal import (
    CAPABILITIES,
    GUESTS,
    by_turns,
    check_without,
    check_without_capability,
)
from tools import ROOT

TODAY = 2


@pytest.mark.e2e
@pytest.mark.timeout(600)
@pytest.mark.xdist_group("up")
@pytest.mark.parametrize("turn", range(TODAY))
def test_without_a_guest_the_rest_works(turn: int, tmp_path: Path) -> None:
    day = datetime.now(UTC).toordinal()
    check_without(by_turns(GUESTS, day, TODAY)[turn], tmp_path / "copy")


@pytest.mark.e2e
@pytest.mark.timeout(600)
@pytest.mark.xdist_group("up")
def test_without_a_capability_the_rest_of_the_arena_works(tmp_path: Path) -> None:
    [capability] = by_turns(CAPABILITIES, datetime.now(UTC).toordinal(), 1)
    check_without_capability(capability, tmp_path / "copy")


def test_each_guest_has_its_turn() -> None:
    days = range(len(GUESTS))
    assert {guest for day in days for guest in by_turns(GUESTS, day, TODAY)} == set(GUESTS)


def test_every_guest_is_in_the_table() -> None:
    folders = {path.parent for path in (ROOT / "bot" / "guests").glob("*/__init__.py")}
    assert folders <= {ROOT / guest.folder for guest in GUESTS}
